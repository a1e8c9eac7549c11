//===- SolveRematTest.cpp - Plans, refusals, determinism ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/SolveRemat.h"
#include "lowtide/Solver/Remat/GenerateProblem.h"
#include "lowtide/Solver/Remat/RematFile.h"
#include "lowtide/Solver/Remat/Simulate.h"

#include "llvm/Support/FileSystem.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace lowtide::solver;

static int64_t peakOf(const RematProblem &problem) {
  auto base = simulate(problem, problem.order);
  REQUIRE(bool(base));
  return base->peakBytes;
}

static RematResult solveAt(const RematProblem &problem, double percent,
                           double effort = 0.05) {
  RematOptions options;
  options.budgetBytes = percentOfPeak(peakOf(problem), percent);
  options.effort = effort;
  RematResult result = solveRemat(problem, options);
  CHECK(result.error.empty());
  CHECK(result.boundCost <= std::max(result.cost, result.onceCost));
  if (result.hasPlan()) {
    CHECK(result.peakBytes <= options.budgetBytes);
    CHECK_FALSE(bool(verifyPlan(problem, result.schedule,
                                {result.peakBytes, result.cost}, {true})));
  }
  return result;
}

TEST_CASE("a transformer step is planned close to the bound") {
  RematProblem problem = generateTransformer(600, 1);
  for (double percent : {90, 75, 50, 35, 25}) {
    CAPTURE(percent);
    RematResult result = solveAt(problem, percent);
    REQUIRE(result.hasPlan());
    CHECK(result.gapPercent() < 1);
  }
  RematResult whole = solveAt(problem, 100);
  CHECK(whole.status == RematStatus::Optimal);
  CHECK(whole.cost == whole.onceCost);
}

TEST_CASE("the smallest budget works and one byte less is refused") {
  for (uint64_t seed : {1, 2, 3}) {
    RematProblem problem =
        seed == 3 ? generateRandom(60, seed) : generateTransformer(200, seed);
    RematOptions options;
    options.effort = 0.05;
    options.budgetBytes = 1;
    RematResult refused = solveRemat(problem, options);
    CHECK(refused.status == RematStatus::Infeasible);
    CHECK(refused.witnessOp >= 0);
    CHECK(refused.floorBytes <= refused.smallestFeasibleBytes);

    options.budgetBytes = refused.smallestFeasibleBytes;
    CHECK(solveRemat(problem, options).hasPlan());
    options.budgetBytes -= 1;
    RematResult again = solveRemat(problem, options);
    CHECK_FALSE(again.hasPlan());
    CHECK(again.smallestFeasibleBytes == refused.smallestFeasibleBytes);
    RematResult least = minimizePeak(problem, options);
    CHECK(least.smallestFeasibleBytes == refused.smallestFeasibleBytes);
    CHECK(least.peakBytes <= least.smallestFeasibleBytes);
  }
}

TEST_CASE("the same call gives the same plan, whatever the thread count") {
  RematProblem problem = generateRandom(120, 5);
  for (bool fixedOrder : {true, false}) {
    RematOptions options;
    options.fixedOrder = fixedOrder;
    options.effort = 0.05;
    options.budgetBytes = percentOfPeak(peakOf(problem), 80);
    RematResult one = solveRemat(problem, options);
    options.threads = 2;
    RematResult two = solveRemat(problem, options);
    CHECK(one.schedule == two.schedule);
    CHECK(one.boundCost == two.boundCost);
    CHECK(one.stoppedBy != "clock");
  }
}

TEST_CASE("ops that must run once, and updates, are respected") {
  RematProblem problem = generateTransformer(200, 4);
  for (size_t i = 0; i < problem.ops.size(); i += 3)
    problem.ops[i].policy = RematPolicy::Save;
  RematResult result = solveAt(problem, 70);
  REQUIRE(result.hasPlan());
  std::vector<int> runs(problem.ops.size(), 0);
  for (int op : result.schedule)
    ++runs[op];
  for (size_t i = 0; i < problem.ops.size(); i += 3)
    CHECK(runs[i] == 1);
}

TEST_CASE("views are planned through") {
  // A chain whose backward ops read a view of each forward value.
  RematProblem problem;
  const int layers = 10;
  std::vector<int> views;
  int last = -1;
  for (int i = 0; i < layers; ++i) {
    int value = problem.addValue("x", 100), view = problem.addValue("v", 100);
    std::vector<int> reads;
    if (last >= 0)
      reads.push_back(last);
    problem.order.push_back(problem.addOp({"f", 10, 0, reads, {value}}));
    problem.order.push_back(problem.addOp({"view", 0, 0, {value}, {view}}));
    problem.views.push_back({view, value});
    views.push_back(view);
    last = view;
  }
  for (int i = layers - 1; i >= 0; --i) {
    int value = problem.addValue("g", 100);
    std::vector<int> reads{views[i]};
    if (last != views[i])
      reads.push_back(last);
    problem.order.push_back(problem.addOp({"b", 10, 0, reads, {value}, false}));
    last = value;
  }
  for (double percent : {80, 60, 50})
    CHECK(solveAt(problem, percent).hasPlan());
}

TEST_CASE("the curve is monotone and undominated") {
  RematProblem problem = generateTransformer(200, 2);
  RematOptions options;
  options.effort = 0.05;
  std::vector<ParetoPoint> points = paretoCurve(problem, options, 8);
  REQUIRE(points.size() >= 4);
  CHECK(points.back().result.cost == points.back().result.onceCost);
  for (size_t k = 1; k < points.size(); ++k) {
    CHECK(points[k].budgetBytes > points[k - 1].budgetBytes);
    CHECK(points[k].result.cost < points[k - 1].result.cost);
    CHECK(points[k].result.boundCost <= points[k - 1].result.boundCost);
  }
}

TEST_CASE(
    "baselines are judged by the same simulator and never beat the bound") {
  RematProblem problem = generateTransformer(200, 2);
  RematResult best = solveAt(problem, 50);
  REQUIRE(best.hasPlan());
  int numFitting = 0;
  for (const std::string &name : rematAlgorithms()) {
    CAPTURE(name);
    RematOptions options;
    options.algorithm = name;
    options.budgetBytes = percentOfPeak(peakOf(problem), 50);
    RematResult result = solveRemat(problem, options);
    CHECK(result.error.empty());
    if (!result.hasPlan())
      continue;
    ++numFitting;
    CHECK(result.cost >= best.boundCost);
    CHECK(result.cost >= best.cost);
  }
  CHECK(numFitting >= 2);
}

TEST_CASE("wrong calls are answered with an error") {
  RematProblem problem = generateChain(3);
  RematOptions options;
  options.algorithm = "magic";
  CHECK(solveRemat(problem, options).error == "unknown algorithm 'magic'");
  options.algorithm = "auto";
  problem.order.pop_back();
  CHECK_THAT(solveRemat(problem, options).error, Catch::Contains("entries"));
}

TEST_CASE("public problems reach their known optima where they are at hand") {
  const char *shared = std::getenv("LOWTIDE_SHARED");
  std::string folder = std::string(shared ? shared : "../shared");
  struct Known {
    const char *name;
    double percent, extraPercent;
  };
  for (Known known : {Known{"FCN8", 90, 0.0294},
                      {"FCN8", 80, 0.1361},
                      {"ResNet50", 90, 0.1085},
                      {"ResNet50", 70, 0.5645},
                      {"ResNet50", 50, 1.4988},
                      {"VGG16", 90, 1.9677},
                      {"U-Net", 60, 4.4509},
                      {"MobileNet", 70, 0.6262}}) {
    std::string path = folder + "/instances/" + known.name + ".json";
    if (!llvm::sys::fs::exists(path)) {
      WARN("skipped, " << path << " is absent");
      continue;
    }
    auto problem = readProblemFile(path);
    REQUIRE(bool(problem));
    RematResult result = solveAt(*problem, known.percent, 1);
    CAPTURE(known.name, known.percent);
    CHECK(result.status == RematStatus::Optimal);
    CHECK(result.increasePercent() ==
          Approx(known.extraPercent).margin(0.00006));
  }
}
