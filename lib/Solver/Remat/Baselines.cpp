//===- Baselines.cpp - Known methods, for comparison ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Each baseline is a rule for what the first sweep keeps, or a search that is
// known from elsewhere, written down here in our terms and judged by the same
// simulator as our own plans.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "KeepPlan.h"
#include "Planner.h"

#include <cmath>

using namespace lowtide;
using namespace lowtide::solver;

/// Keeps what crosses the borders of sqrt(n) equal segments of the first
/// sweep; the rest runs again. (Chen, Xu, Zhang, Guestrin, 2016.)
static RematSchedule chenSqrt(const RematGraph &graph) {
  int turn = turningPoint(graph);
  int segment = std::max(1, int(std::lround(std::sqrt(double(turn + 1)))));
  std::vector<int> recomputed;
  for (int t = 0; t <= turn; ++t) {
    int op = graph.order[t];
    bool crosses = false;
    for (int v : graph.outputs(op))
      for (int user : graph.users[v]) {
        int at = graph.position[user];
        crosses |= at <= turn && at / segment != t / segment;
      }
    if (!crosses)
      recomputed.push_back(op);
  }
  return justInTimePlan(graph, turn, recomputed);
}

JudgedPlan solver::baselinePlan(const RematGraph &graph,
                                const std::string &name, int64_t budgetBytes,
                                bool fixedOrder, Deadline &deadline) {
  RematOptions options;
  options.fixedOrder = fixedOrder;
  Planner planner(graph, options, deadline);
  if (name == "store-all")
    return planner.judge(graph.order);
  if (name == "chen-sqrt")
    return planner.judge(chenSqrt(graph));
  return {};
}

std::vector<std::string> solver::rematAlgorithms() {
  return {"store-all", "chen-sqrt"};
}
