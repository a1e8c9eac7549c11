//===- PackBuffersTest.cpp - Packings against brute force -----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "SmallPackings.h"

#include "lowtide/Solver/Packing/PackBuffers.h"

#include <catch2/catch.hpp>

#include <random>

using namespace lowtide;
using namespace lowtide::solver;
using namespace lowtide::test;

/// Packs, and checks what must hold of any result.
static PackingResult checkedPack(const PackingProblem &problem,
                                 const PackingOptions &options = {}) {
  PackingResult result = llvm::cantFail(packBuffers(problem, options));
  PackingProblem open = problem;
  open.capacityBytes.reset();
  std::string verdict = llvm::toString(verifyPacking(open, result.solution()));
  REQUIRE(verdict == "");
  REQUIRE(result.maxLiveBytes == maxLiveBytes(problem));
  return result;
}

static void compareWithForce(const PackingProblem &problem, bool isExact) {
  PackingResult result = checkedPack(problem);
  int64_t best = leastHeightByForce(problem);
  REQUIRE(result.lowerBoundBytes <= best);
  REQUIRE(result.heightBytes >= best);
  if (!isExact)
    return;
  REQUIRE(result.heightBytes == best);
  REQUIRE(result.status == PackingStatus::Optimal);
  PackingProblem tight = problem;
  tight.capacityBytes = best;
  REQUIRE(checkedPack(tight).heightBytes == best);
  tight.capacityBytes = best - 1;
  PackingResult refused = checkedPack(tight);
  REQUIRE(refused.status == PackingStatus::Infeasible);
  REQUIRE_FALSE(refused.witness.empty());
}

TEST_CASE("every set of up to four buffers is packed as by brute force") {
  for (int numBuffers = 1; numBuffers <= 4; ++numBuffers)
    forEachSmallPacking(numBuffers, 3, 3, [](const PackingProblem &problem) {
      compareWithForce(problem, /*isExact=*/true);
    });
}

static PackingProblem randomProblem(std::mt19937_64 &random, int numBuffers) {
  PackingProblem problem;
  for (int i = 0; i < numBuffers; ++i) {
    int64_t lower = random() % 7;
    addBuffer(problem, "b" + std::to_string(i), lower,
              lower + 1 + int64_t(random() % (8 - lower)),
              1 + int64_t(random() % 4));
  }
  return problem;
}

TEST_CASE("a sample of six buffers is packed as by brute force") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1500; ++i)
    compareWithForce(randomProblem(random, 6), /*isExact=*/true);
}

TEST_CASE("alignment is honoured and priced exactly") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    PackingProblem problem = randomProblem(random, 5);
    for (PackingBuffer &b : problem.buffers)
      b.alignment = int64_t(1) << random() % 3;
    compareWithForce(problem, /*isExact=*/true);
  }
}

TEST_CASE("pinned buffers stay where they are") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 500; ++i) {
    PackingProblem problem = randomProblem(random, 5);
    problem.buffers[0].pinnedOffsetBytes = random() % 4;
    compareWithForce(problem, /*isExact=*/true);
  }
}

TEST_CASE("bytes are free for others in the gaps of a life") {
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000; ++i) {
    PackingProblem problem = randomProblem(random, 5);
    for (PackingBuffer &b : problem.buffers) {
      LifeInterval life = b.lifetime.front();
      if (life.upper - life.lower < 3)
        continue;
      int64_t middle = life.lower + 1;
      b.lifetime = {{life.lower, middle}, {middle + 1, life.upper}};
    }
    compareWithForce(problem, /*isExact=*/true);
  }
}

TEST_CASE("groups lie one behind the other, alias sets share an offset") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 500; ++i) {
    PackingProblem problem = randomProblem(random, 5);
    problem.buffers[0].group = problem.buffers[2].group = 3;
    problem.buffers[1].aliasSet = problem.buffers[4].aliasSet = 1;
    compareWithForce(problem, /*isExact=*/false);
  }
}

TEST_CASE("buffers of different spaces may share addresses") {
  PackingProblem problem;
  addBuffer(problem, "a", 0, 4, 10);
  addBuffer(problem, "b", 0, 4, 6);
  problem.buffers[1].space = 1;
  PackingResult result = checkedPack(problem);
  CHECK(result.heightBytes == 10);
  CHECK(result.offsetsBytes == std::vector<int64_t>{0, 0});
}

TEST_CASE("nothing depends on units, on the direction or the scale of time") {
  std::mt19937_64 random(6);
  for (int i = 0; i < 200; ++i) {
    PackingProblem problem = randomProblem(random, 8);
    int64_t height = checkedPack(problem).heightBytes;
    PackingProblem other = problem;
    for (PackingBuffer &b : other.buffers) {
      LifeInterval &life = b.lifetime.front();
      life = {1000 - 7 * life.upper, 1000 - 7 * life.lower};
      b.sizeBytes *= 3000000000;
    }
    CHECK(checkedPack(other).heightBytes == height * 3000000000);
  }
}

TEST_CASE("two runs give the same bytes") {
  std::mt19937_64 random(7);
  PackingProblem problem = randomProblem(random, 40);
  CHECK(checkedPack(problem).offsetsBytes == checkedPack(problem).offsetsBytes);
}

TEST_CASE("a hopeless capacity is refused with the buffers that prove it") {
  PackingProblem problem;
  addBuffer(problem, "a", 0, 2, 5);
  addBuffer(problem, "b", 1, 3, 5);
  addBuffer(problem, "c", 4, 6, 9);
  problem.capacityBytes = 9;
  PackingResult result = llvm::cantFail(packBuffers(problem));
  CHECK(result.status == PackingStatus::Infeasible);
  CHECK(result.lowerBoundBytes == 10);
  CHECK(result.witness == std::vector<int32_t>{0, 1});
}

/// Every instant is filled to `load`: at each, two buffers die and others of
/// the same total size are born.
static PackingProblem fullProblem(std::mt19937_64 &random, int64_t load,
                                  int64_t numTimes) {
  PackingProblem problem;
  std::vector<int32_t> alive;
  auto fill = [&](int64_t bytes, int64_t time) {
    while (bytes > 0) {
      int64_t size = 1 + int64_t(random() % std::min<int64_t>(bytes, 6));
      alive.push_back(addBuffer(problem, std::to_string(problem.buffers.size()),
                                time, numTimes, size));
      bytes -= size;
    }
  };
  fill(load, 0);
  for (int64_t time = 1; time < numTimes; ++time) {
    int64_t freed = 0;
    for (int i = 0; i < 2 && !alive.empty(); ++i) {
      size_t pick = random() % alive.size();
      PackingBuffer &b = problem.buffers[alive[pick]];
      b.lifetime.front().upper = time;
      freed += b.sizeBytes;
      alive.erase(alive.begin() + pick);
    }
    fill(freed, time);
  }
  return problem;
}

TEST_CASE("where more than max live is needed, a few buffers prove it") {
  std::mt19937_64 random(8);
  int numAbove = 0;
  for (int i = 0; i < 100; ++i) {
    PackingProblem problem = fullProblem(random, 8, 16);
    PackingResult result = checkedPack(problem);
    REQUIRE(result.status == PackingStatus::Optimal);
    REQUIRE(result.heightBytes == leastHeightByForce(problem));
    if (result.heightBytes == result.maxLiveBytes)
      continue;
    ++numAbove;
    PackingProblem part;
    for (int32_t index : result.witness)
      part.buffers.push_back(problem.buffers[index]);
    REQUIRE(part.buffers.size() <= problem.buffers.size());
    REQUIRE(maxLiveBytes(part) < result.heightBytes);
    REQUIRE(leastHeightByForce(part) == result.heightBytes);
  }
  CHECK(numAbove > 0);
}

TEST_CASE("sizes past 2^31 are exact, totals past 2^61 are an error") {
  PackingProblem problem;
  addBuffer(problem, "a", 0, 2, int64_t(1) << 60);
  addBuffer(problem, "b", 1, 3, (int64_t(1) << 60) - 1);
  CHECK(checkedPack(problem).heightBytes == (int64_t(1) << 61) - 1);
  addBuffer(problem, "c", 1, 3, int64_t(1) << 60);
  llvm::Expected<PackingResult> result = packBuffers(problem);
  REQUIRE_FALSE(bool(result));
  CHECK(llvm::toString(result.takeError()) ==
        "more than 2^61 bytes are alive at one instant");
}

TEST_CASE("no buffers and empty buffers have height zero") {
  PackingProblem problem;
  CHECK(checkedPack(problem).heightBytes == 0);
  addBuffer(problem, "a", 0, 2, 0);
  CHECK(checkedPack(problem).status == PackingStatus::Optimal);
}
