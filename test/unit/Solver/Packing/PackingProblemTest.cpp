//===- PackingProblemTest.cpp - The verifier rejects what is wrong --------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Packing/PackBuffers.h"

#include <catch2/catch.hpp>

#include <random>

using namespace lowtide::solver;

static std::string verdictOf(const PackingProblem &problem,
                             std::vector<int64_t> offsets) {
  PackingSolution solution{offsets, heightOf(problem, offsets)};
  return llvm::toString(verifyPacking(problem, solution));
}

static PackingProblem twoNeighbours() {
  PackingProblem problem;
  addBuffer(problem, "a", 0, 4, 8);
  addBuffer(problem, "b", 2, 6, 8);
  return problem;
}

TEST_CASE("max live counts alias sets once and leaves gaps out") {
  PackingProblem problem = twoNeighbours();
  CHECK(maxLiveBytes(problem) == 16);
  problem.buffers[0].aliasSet = problem.buffers[1].aliasSet = 0;
  problem.buffers[1].sizeBytes = 12;
  CHECK(maxLiveBytes(problem) == 12);
  problem = twoNeighbours();
  problem.buffers[0].lifetime = {{0, 1}, {6, 8}};
  CHECK(maxLiveBytes(problem) == 8);
}

TEST_CASE("overlap in time and space is rejected with both names") {
  PackingProblem problem = twoNeighbours();
  CHECK(verdictOf(problem, {0, 8}) == "");
  CHECK(verdictOf(problem, {0, 7}) ==
        "buffer 'b' at 7 overlaps buffer 'a' at 0 in time and space");
  CHECK(verdictOf(problem, {4, 0}) ==
        "buffer 'b' at 0 overlaps buffer 'a' at 4 in time and space");
  problem.buffers[1].lifetime = {{4, 6}};
  CHECK(verdictOf(problem, {0, 0}) == "");
}

TEST_CASE("each rule of a buffer has its rejection") {
  PackingProblem problem = twoNeighbours();
  problem.buffers[1].alignment = 16;
  CHECK(verdictOf(problem, {0, 8}) ==
        "buffer 'b' at 8 is not at a multiple of 16 within 0..2^62");
  problem.buffers[1].alignment = 1;
  CHECK(verdictOf(problem, {0, -8}) ==
        "buffer 'b' at -8 is not at a multiple of 1 within 0..2^62");
  problem.buffers[1].pinnedOffsetBytes = 32;
  CHECK(verdictOf(problem, {0, 8}) == "buffer 'b' at 8 should be at 32");
  problem.buffers[1].pinnedOffsetBytes.reset();
  problem.buffers[0].group = problem.buffers[1].group = 0;
  CHECK(verdictOf(problem, {0, 16}) ==
        "buffer 'b' at 16 should be at 8 behind its group");
  problem.buffers[0].group = problem.buffers[1].group = -1;
  problem.buffers[0].aliasSet = problem.buffers[1].aliasSet = 0;
  CHECK(verdictOf(problem, {0, 8}) ==
        "buffer 'b' at 8 should be at 0 with its alias set");
  CHECK(verdictOf(problem, {8, 8}) == "");
}

TEST_CASE("a wrong height, a passed capacity, missing offsets") {
  PackingProblem problem = twoNeighbours();
  PackingSolution solution{{0, 8}, 15};
  CHECK(llvm::toString(verifyPacking(problem, solution)) ==
        "the height is 16 but 15 is claimed");
  problem.capacityBytes = 15;
  CHECK(verdictOf(problem, {0, 8}) ==
        "the height is 16 but the capacity is 15");
  solution.offsetsBytes.pop_back();
  CHECK(llvm::toString(verifyPacking(problem, solution)) ==
        "1 offsets for 2 buffers");
}

TEST_CASE("an answer with one offset changed into a neighbour is rejected") {
  std::mt19937_64 random(11);
  PackingProblem problem;
  for (int i = 0; i < 60; ++i) {
    int64_t lower = random() % 50;
    addBuffer(problem, std::to_string(i), lower, lower + 1 + random() % 20,
              16 * (1 + random() % 64));
  }
  PackingResult result = llvm::cantFail(packBuffers(problem));
  int numMutations = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    for (size_t j = 0; j < problem.buffers.size(); ++j) {
      const LifeInterval &a = problem.buffers[i].lifetime[0];
      const LifeInterval &b = problem.buffers[j].lifetime[0];
      if (i == j || a.lower >= b.upper || b.lower >= a.upper)
        continue;
      // Move i so that it shares exactly its last byte with j.
      int64_t offset =
          result.offsetsBytes[j] - problem.buffers[i].sizeBytes + 1;
      if (offset < 0)
        continue;
      std::vector<int64_t> mutated = result.offsetsBytes;
      mutated[i] = offset;
      ++numMutations;
      REQUIRE(verdictOf(problem, mutated) != "");
    }
  CHECK(numMutations > 500);
}
