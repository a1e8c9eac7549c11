//===- BruteForceTest.cpp - Every tiny DAG against the truth --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "BruteForce.h"

#include "lowtide/Solver/Remat/BoundaryBound.h"
#include "lowtide/Solver/Remat/Simulate.h"
#include "lowtide/Solver/Remat/SolveRemat.h"

#include <catch2/catch.hpp>

using namespace lowtide::solver;
using namespace lowtide::solver::test;

/// Solves one problem and compares status, cost, bound and plan.
static void compare(const RematProblem &problem, bool fixedOrder,
                    std::mt19937 &random) {
  auto base = simulate(problem, problem.order);
  REQUIRE(bool(base));
  RematOptions options;
  options.fixedOrder = fixedOrder;
  options.effort = 0.001; // small problems are closed by exact search
  options.budgetBytes =
      base->peakBytes - int64_t(random() % (base->peakBytes / 2 + 1));
  auto truth = leastCost(problem, options.budgetBytes, fixedOrder);
  RematResult result = solveRemat(problem, options);
  REQUIRE(result.error.empty());

  // The boundary bound alone must never be above the truth.
  RematGraph graph(problem);
  for (int t = 0; t < graph.numOps(); ++t) {
    BoundaryProblem boundary(graph, t, {!fixedOrder});
    BoundaryResult bound =
        boundary.solveExactly(options.budgetBytes, INT64_MAX, 100000);
    if (truth) {
      REQUIRE_FALSE(bound.infeasible);
      REQUIRE(graph.totalCost + bound.bound <= *truth);
    }
  }
  if (!truth) {
    REQUIRE(result.status == RematStatus::Infeasible);
    REQUIRE(result.smallestFeasibleBytes > options.budgetBytes);
    REQUIRE(leastCost(problem, result.smallestFeasibleBytes, fixedOrder));
    REQUIRE_FALSE(
        leastCost(problem, result.smallestFeasibleBytes - 1, fixedOrder));
    return;
  }
  REQUIRE(result.status == RematStatus::Optimal);
  REQUIRE(result.cost == *truth);
  REQUIRE(result.boundCost == *truth);
  REQUIRE(result.peakBytes <= options.budgetBytes);
  REQUIRE_FALSE(
      bool(verifyPlan(problem, result.schedule, {result.peakBytes, result.cost},
                      {fixedOrder})));
}

static void compareAll(int numOps, uint32_t stride, bool withExtras,
                       bool fixedOrder) {
  std::mt19937 random(unsigned(numOps) * 4 + withExtras * 2 + fixedOrder);
  uint32_t numGraphs = 1u << (numOps * (numOps - 1) / 2);
  for (uint32_t edges = 0; edges < numGraphs; edges += stride) {
    CAPTURE(numOps, edges, withExtras, fixedOrder);
    RematProblem problem = drawProblem(numOps, edges, random, withExtras);
    compare(problem, fixedOrder, random);
  }
}

TEST_CASE("all DAGs with up to 4 ops are solved as brute force does") {
  for (bool withExtras : {false, true})
    for (bool fixedOrder : {true, false})
      for (int numOps = 1; numOps <= 4; ++numOps)
        compareAll(numOps, 1, withExtras, fixedOrder);
}

TEST_CASE("every third DAG with 5 ops is solved as brute force does") {
  for (bool withExtras : {false, true})
    for (bool fixedOrder : {true, false})
      compareAll(5, 3, withExtras, fixedOrder);
}

TEST_CASE("some DAGs with 6 ops are solved as brute force does") {
  for (bool withExtras : {false, true})
    for (bool fixedOrder : {true, false})
      compareAll(6, 257, withExtras, fixedOrder);
}

TEST_CASE("all DAGs with up to 6 ops, the long run", "[.][long]") {
  for (bool withExtras : {false, true})
    for (bool fixedOrder : {true, false})
      for (int numOps = 5; numOps <= 6; ++numOps)
        compareAll(numOps, 1, withExtras, fixedOrder);
}
