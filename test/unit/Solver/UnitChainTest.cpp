//===- UnitChainTest.cpp - Chains against the closed formula --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/GenerateProblem.h"
#include "lowtide/Solver/Remat/SolveRemat.h"

#include <catch2/catch.hpp>

using namespace lowtide::solver;

/// l + 1 + t(l + 1, M - 2), t(l, s) = r l - C(s + r, s + 1), r least with
/// C(s + r, s) >= l; in floating point, which is exact enough up to 2^53.
static double formula(int layers, int budget) {
  auto choose = [](double n, double k) {
    double result = 1;
    for (double i = 1; i <= k; ++i)
      result = result * (n - k + i) / i;
    return k > n ? 0 : result;
  };
  double l = layers + 1, s = budget - 2, r = 0;
  while (choose(s + r, s) < l)
    ++r;
  return layers + 1 + r * l - choose(s + r, s + 1);
}

static RematResult solve(const RematProblem &problem, int64_t budgetBytes) {
  RematOptions options;
  options.budgetBytes = budgetBytes;
  return solveRemat(problem, options);
}

TEST_CASE("the chain of 8 layers costs what is known for each budget") {
  RematProblem problem = generateChain(8);
  REQUIRE(problem.ops.size() == 17);
  const int64_t costs[] = {45, 26, 22, 21, 20, 19, 18, 17};
  for (int budget = 3; budget <= 10; ++budget) {
    RematResult result = solve(problem, budget);
    CHECK(result.status == RematStatus::Optimal);
    CHECK(result.cost == costs[budget - 3]);
    CHECK(formula(8, budget) == costs[budget - 3]);
  }
  RematResult refused = solve(problem, 2);
  CHECK(refused.status == RematStatus::Infeasible);
  CHECK(refused.smallestFeasibleBytes == 3);
  CHECK(refused.floorBytes == 3);
}

TEST_CASE("chains of up to 100 layers cost what the formula says") {
  for (int layers : {1, 2, 3, 5, 8, 13, 31, 64, 99, 100}) {
    RematProblem problem = generateChain(layers);
    for (int budget = 3; budget <= layers + 3;
         budget += budget < 12 ? 1 : 1 + layers / 7) {
      CAPTURE(layers, budget);
      RematResult result = solve(problem, budget);
      CHECK(result.status == RematStatus::Optimal);
      CHECK(double(result.cost) == formula(layers, budget));
    }
  }
}
