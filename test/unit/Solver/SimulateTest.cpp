//===- SimulateTest.cpp - Bytes of schedules, counted by hand -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "BruteForce.h"

#include "lowtide/Solver/Remat/Simulate.h"

#include <catch2/catch.hpp>

using namespace lowtide::solver;

namespace {
/// a (4 bytes), b (2) reads a, c (1) reads b, d (1) reads a and c.
struct Diamond : RematProblem {
  Diamond() {
    int64_t bytes[] = {4, 2, 1, 1};
    std::vector<int> reads[] = {{}, {0}, {1}, {0, 2}};
    for (int i = 0; i < 4; ++i) {
      RematOp op;
      op.name = std::string(1, char('a' + i));
      op.cost = 10 + i;
      op.inputs = reads[i];
      op.outputs = {addValue(op.name, bytes[i])};
      order.push_back(addOp(std::move(op)));
    }
  }
};
} // namespace

static Simulation simulated(const RematProblem &problem,
                            const RematSchedule &schedule) {
  auto simulation = simulate(problem, schedule);
  REQUIRE(bool(simulation));
  CHECK_FALSE(bool(verifyPlan(problem, schedule,
                              {simulation->peakBytes, simulation->cost})));
  return *simulation;
}

static std::string refusal(const RematProblem &problem,
                           const RematSchedule &schedule,
                           SimulateOptions options = {}) {
  auto simulation = simulate(problem, schedule, options);
  REQUIRE_FALSE(bool(simulation));
  // The verifier must refuse it too, for any claim.
  llvm::Error error = verifyPlan(problem, schedule, {0, 0}, options);
  CHECK(bool(error));
  llvm::consumeError(std::move(error));
  return llvm::toString(simulation.takeError());
}

TEST_CASE("a copy lives to its last use before the value is made again") {
  Diamond problem;
  // a:4 | a+b:6 | a+b+c:7 | a+c+d:6
  CHECK(simulated(problem, {0, 1, 2, 3}).liveBytes ==
        std::vector<int64_t>{4, 6, 7, 6});
  // The first a dies after b: a | a+b | b+c | c+a | a+c+d
  Simulation again = simulated(problem, {0, 1, 2, 0, 3});
  CHECK(again.liveBytes == std::vector<int64_t>{4, 6, 3, 5, 6});
  CHECK(again.peakBytes == 6);
  CHECK(again.peakStep == 1);
  CHECK(again.cost == 46 + 10);
}

TEST_CASE("workspace, resident bytes and alignment are counted") {
  Diamond problem;
  problem.ops[2].workspaceBytes = 5;
  problem.residentBytes = 100;
  CHECK(simulated(problem, {0, 1, 2, 3}).peakBytes == 112);
  problem.alignment = 4;
  // Step c: resident 100, a 4, b 4, c 4, workspace 8.
  CHECK(simulated(problem, {0, 1, 2, 3}).peakBytes == 120);
}

TEST_CASE("a kept value lives to the end, a value without users dies at once") {
  Diamond problem;
  problem.keep = {1};
  CHECK(simulated(problem, {0, 1, 2, 3}).liveBytes ==
        std::vector<int64_t>{4, 6, 7, 8});
  RematProblem lonely;
  lonely.addValue("x", 7);
  lonely.addValue("y", 1);
  lonely.order = {lonely.addOp({"x", 1, 0, {}, {0}}),
                  lonely.addOp({"y", 1, 0, {}, {1}})};
  CHECK(simulated(lonely, {0, 1}).liveBytes == std::vector<int64_t>{7, 1});
}

TEST_CASE("an op may write into an operand that dies") {
  Diamond problem;
  problem.inplace = {{1, 0, 1}, {2, 1, 2}};
  // a is read later, so b can't overwrite it; c overwrites b: 7 - 1.
  CHECK(simulated(problem, {0, 1, 2, 3}).liveBytes ==
        std::vector<int64_t>{4, 6, 6, 6});
  // With a made again, b may overwrite the first a: 6 - 2.
  CHECK(simulated(problem, {0, 1, 2, 0, 3}).liveBytes ==
        std::vector<int64_t>{4, 4, 2, 5, 6});
}

TEST_CASE("an output takes part in one in-place pair at most") {
  Diamond problem;
  problem.inplace = {{3, 0, 3}, {3, 2, 3}};
  CHECK(simulated(problem, {0, 1, 2, 3}).liveBytes[3] == 5);
}

TEST_CASE("a view keeps the copy alive that it was made from") {
  // a (4), v = view of a, b (1) reads v.
  RematProblem problem;
  for (int64_t bytes : {4, 4, 1})
    problem.addValue("", bytes);
  problem.order = {problem.addOp({"a", 1, 0, {}, {0}}),
                   problem.addOp({"v", 1, 0, {0}, {1}}),
                   problem.addOp({"b", 1, 0, {1}, {2}})};
  problem.views = {{1, 0}};
  CHECK(simulated(problem, {0, 1, 2}).liveBytes ==
        std::vector<int64_t>{4, 4, 5});
  // A second a doesn't release the first one, which v still needs.
  CHECK(simulated(problem, {0, 1, 0, 2}).liveBytes ==
        std::vector<int64_t>{4, 4, 8, 5});
  CHECK(simulated(problem, {0, 1, 0, 1, 2}).liveBytes ==
        std::vector<int64_t>{4, 4, 4, 4, 5});
}

TEST_CASE("schedules that break a rule are refused with a reason") {
  Diamond problem;
  CHECK_THAT(refusal(problem, {0, 2, 1, 3}), Catch::Contains("before it is"));
  CHECK_THAT(refusal(problem, {0, 1, 2}), Catch::Contains("never runs"));
  CHECK_THAT(refusal(problem, {0, 1, 2, 3, 9}), Catch::Contains("no op"));
  problem.ops[0].maxRuns = 2;
  CHECK_THAT(refusal(problem, {0, 1, 0, 2, 0, 3}),
             Catch::Contains("must not run 3 times"));
  problem.ops[0].recomputable = false;
  CHECK_THAT(refusal(problem, {0, 1, 2, 0, 3}),
             Catch::Contains("must not run 2 times"));
  problem.after = {{1, 2}};
  CHECK_THAT(refusal(problem, {0, 1, 2, 1, 3}), Catch::Contains("come later"));

  Diamond ordered;
  ordered.ops[3].inputs = {0};
  CHECK(bool(simulate(ordered, {0, 3, 1, 2})));
  CHECK_THAT(refusal(ordered, {0, 3, 1, 2}, {true}),
             Catch::Contains("out of the order"));
}

TEST_CASE("the verifier refuses a wrong peak or cost") {
  Diamond problem;
  CHECK(llvm::toString(verifyPlan(problem, {0, 1, 2, 3}, {8, 46})) ==
        "the plan claims a peak of 8 bytes but reaches 7");
  CHECK(llvm::toString(verifyPlan(problem, {0, 1, 2, 3}, {7, 45})) ==
        "the plan claims a cost of 45 but costs 46");
}

TEST_CASE("simulator and verifier agree on random schedules") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const int numOps = 2 + int(random() % 7);
    RematProblem problem =
        test::drawProblem(numOps, random(), random, trial % 2);
    if (trial % 4 == 3)
      for (int j = 1; j < numOps; ++j)
        if (!problem.ops[j].inputs.empty() && random() % 3 == 0)
          problem.views.push_back({j, problem.ops[j].inputs[0]});
    RematSchedule schedule = problem.order;
    for (int extra = int(random() % 6); extra > 0; --extra) {
      int at = int(random() % (schedule.size() + 1));
      schedule.insert(schedule.begin() + at, int(random() % unsigned(numOps)));
    }
    auto simulation = simulate(problem, schedule, {true});
    PlanClaim claim{0, 0};
    if (simulation)
      claim = {simulation->peakBytes, simulation->cost};
    llvm::Error error = verifyPlan(problem, schedule, claim, {true});
    CHECK(bool(simulation) == !error);
    llvm::consumeError(std::move(error));
    if (!simulation)
      llvm::consumeError(simulation.takeError());
  }
}
