//===- OrderOpsTest.cpp - Orders against brute force ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "SmallDags.h"

#include "lowtide/Solver/Remat/Simulate.h"
#include "lowtide/Solver/Schedule/OrderOps.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <random>

using namespace lowtide;
using namespace lowtide::solver;
using namespace lowtide::test;

/// The order is valid, has the peak it claims, and both bounds hold.
static OrderResult checkedOrder(const RematProblem &problem) {
  OrderResult result = llvm::cantFail(orderForLeastPeak(problem));
  Simulation simulation = llvm::cantFail(simulate(problem, result.order));
  REQUIRE(simulation.peakBytes == result.peakBytes);
  std::string verdict = llvm::toString(
      verifyPlan(problem, result.order, {result.peakBytes, simulation.cost}));
  REQUIRE(verdict == "");
  REQUIRE(result.peakBytes <= result.inputOrderPeakBytes);
  REQUIRE(result.lowerBoundBytes <= result.peakBytes);
  return result;
}

static void compareWithForce(int numOps, uint64_t edges, uint64_t seed,
                             DagFeatures features) {
  INFO("ops " << numOps << " edges " << edges << " seed " << seed);
  RematProblem problem = makeSmallDag(numOps, edges, seed, features);
  if (llvm::Error defect = checkProblem(problem)) {
    llvm::consumeError(std::move(defect));
    return;
  }
  OrderResult result = checkedOrder(problem);
  int64_t best = leastPeakByForce(problem);
  REQUIRE(result.peakBytes == best);
  REQUIRE(result.lowerBoundBytes <= best);
  REQUIRE(result.status == OrderStatus::Optimal);
}

TEST_CASE("every graph of up to five ops is ordered as by brute force") {
  for (int numOps = 1; numOps <= 5; ++numOps)
    for (uint64_t edges = 0; edges < uint64_t(1) << numOps * (numOps - 1) / 2;
         ++edges)
      compareWithForce(numOps, edges, 1, DagFeatures::Plain);
}

TEST_CASE("views, donation, kept values and dependences are honoured") {
  for (int numOps = 2; numOps <= 5; ++numOps)
    for (uint64_t edges = 0; edges < uint64_t(1) << numOps * (numOps - 1) / 2;
         ++edges)
      for (uint64_t seed = 0; seed < 3; ++seed)
        compareWithForce(numOps, edges, seed, DagFeatures::All);
}

TEST_CASE("a sample of graphs of six and seven ops, with all features") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 1200; ++i) {
    compareWithForce(6, random() % (1 << 15), i, DagFeatures::All);
    compareWithForce(7, random() % (1 << 21) | random() % (1 << 21), i,
                     i % 2 ? DagFeatures::All : DagFeatures::Plain);
  }
}

TEST_CASE("a branch is finished before the next one starts") {
  // Four branches of a big value that shrinks to one byte; the file runs all
  // the big ops first.
  RematProblem p;
  std::vector<int> big, small;
  for (int i = 0; i < 4; ++i) {
    RematOp op;
    op.outputs = {p.addValue("big", 100)};
    big.push_back(op.outputs[0]);
    p.addOp(op);
  }
  for (int i = 0; i < 4; ++i) {
    RematOp op;
    op.inputs = {big[i]};
    op.outputs = {p.addValue("small", 1)};
    small.push_back(op.outputs[0]);
    p.addOp(op);
  }
  RematOp join;
  join.inputs = small;
  p.addOp(join);
  for (int i = 0; i < 9; ++i)
    p.order.push_back(i);
  OrderResult result = checkedOrder(p);
  // All four: 400 + 1. One at a time: 100 + 1 and three results of 1.
  CHECK(result.inputOrderPeakBytes == 401);
  CHECK(result.peakBytes == 104);
  CHECK(result.status == OrderStatus::Optimal);
}

/// A tree of ops, each of which reads what its children make.
static RematProblem randomTree(std::mt19937_64 &random, int numOps) {
  RematProblem p;
  std::vector<int> roots; // values that nobody reads yet
  for (int i = 0; i < numOps; ++i) {
    RematOp op;
    op.workspaceBytes = random() % 50;
    size_t numChildren = i + 1 == numOps
                             ? roots.size()
                             : std::min<size_t>(roots.size(), random() % 3);
    for (size_t c = 0; c < numChildren; ++c) {
      size_t pick = random() % roots.size();
      op.inputs.push_back(roots[pick]);
      roots.erase(roots.begin() + pick);
    }
    op.outputs = {p.addValue("", 1 + int64_t(random() % 100))};
    roots.push_back(op.outputs.front());
    p.addOp(std::move(op));
    p.order.push_back(i);
  }
  return p;
}

TEST_CASE("trees are ordered optimally, small ones as by brute force") {
  std::mt19937_64 random(21);
  for (int i = 0; i < 300; ++i) {
    RematProblem small = randomTree(random, 8);
    CHECK(checkedOrder(small).peakBytes == leastPeakByForce(small));
  }
  for (int numOps : {50, 200, 800}) {
    OrderResult result = checkedOrder(randomTree(random, numOps));
    CHECK(result.status == OrderStatus::Optimal);
    // Composed, not searched: only the segments were walked.
    CHECK(result.steps < 10 * uint64_t(numOps));
  }
}

TEST_CASE("large random graphs are improved and never made worse") {
  std::mt19937_64 random(22);
  RematProblem p;
  for (int i = 0; i < 400; ++i) {
    RematOp op;
    for (int k = 0; k < 2 && i > 0; ++k) {
      int from = std::max(0, i - 30) + int(random() % std::min(i, 30));
      int value = p.ops[from].outputs.front();
      if (!llvm::is_contained(op.inputs, value))
        op.inputs.push_back(value);
    }
    op.outputs = {p.addValue("", 1 + int64_t(random() % 100))};
    p.addOp(std::move(op));
    p.order.push_back(i);
  }
  OrderResult result = checkedOrder(p);
  CHECK(result.peakBytes < result.inputOrderPeakBytes);
}

TEST_CASE("two runs give the same order") {
  RematProblem p = makeSmallDag(7, 0x12345, 3, DagFeatures::All);
  if (llvm::Error defect = checkProblem(p))
    FAIL(llvm::toString(std::move(defect)));
  CHECK(llvm::cantFail(orderForLeastPeak(p)).order ==
        llvm::cantFail(orderForLeastPeak(p)).order);
}

TEST_CASE("a problem without ops has the resident bytes as its peak") {
  RematProblem p;
  p.residentBytes = 7;
  OrderResult result = llvm::cantFail(orderForLeastPeak(p));
  CHECK(result.peakBytes == 7);
  CHECK(result.status == OrderStatus::Optimal);
}
