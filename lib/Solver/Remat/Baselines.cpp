//===- Baselines.cpp - Known methods, for comparison ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Each baseline is a rule for what the first sweep keeps, or a search that is
// known from elsewhere, written down here in our terms and judged by the same
// simulator as our own plans. None repairs its plan: it fits or it doesn't.
//
// An op counts as dear when it costs more than the mean op of the first sweep;
// problem files don't say which op is a matrix product.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "DynamicEviction.h"
#include "ExactSearch.h"
#include "KeepPlan.h"
#include "Planner.h"
#include "Repair.h"
#include "UnitChain.h"

#include <cmath>
#include <functional>

using namespace lowtide;
using namespace lowtide::solver;

static int squareRootSegment(int count) {
  return std::max(1, int(std::lround(std::sqrt(double(count)))));
}

/// Keeps what crosses the borders of sqrt(n) equal segments of the first
/// sweep; the rest runs again. (Chen, Xu, Zhang, Guestrin, 2016.)
static RematSchedule chenSqrt(const RematGraph &graph) {
  int turn = turningPoint(graph), segment = squareRootSegment(turn + 1);
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

/// Values after which nothing else of the first sweep is read within it: the
/// places where the sweep is one value wide.
static std::vector<int> bottlenecks(const RematGraph &graph, int turn) {
  std::vector<int> result;
  int lastRead = -1;
  for (int t = 0; t <= turn; ++t) {
    // Is everything made before t also read by t at the latest?
    if (lastRead <= t && t > 0)
      result.push_back(graph.order[t]);
    for (int v : graph.outputs(graph.order[t]))
      for (int user : graph.users[v])
        if (graph.position[user] <= turn)
          lastRead = std::max(lastRead, graph.position[user]);
  }
  return result;
}

/// Keeps every sqrt(n)-th bottleneck of the first sweep. (gradient-
/// checkpointing, mode "memory".)
static RematSchedule openaiMemory(const RematGraph &graph) {
  int turn = turningPoint(graph);
  std::vector<int> narrow = bottlenecks(graph, turn);
  int stride = squareRootSegment(int(narrow.size()));
  std::vector<char> isKept(graph.numOps(), 0);
  for (size_t k = size_t(stride) / 2; k < narrow.size(); k += size_t(stride))
    isKept[narrow[k]] = 1;
  std::vector<int> recomputed;
  for (int t = 0; t <= turn; ++t)
    if (!isKept[graph.order[t]])
      recomputed.push_back(graph.order[t]);
  return justInTimePlan(graph, turn, recomputed);
}

static std::vector<char> dearOps(const RematGraph &graph, int turn) {
  double sum = 0;
  for (int t = 0; t <= turn; ++t)
    sum += double(graph.cost(graph.order[t]));
  std::vector<char> isDear(graph.numOps(), 0);
  for (int t = 0; t <= turn; ++t) {
    int op = graph.order[t];
    isDear[op] = double(graph.cost(op)) > sum / (turn + 1);
  }
  return isDear;
}

/// Keeps what the dear ops make. (gradient-checkpointing, mode "speed".)
static RematSchedule openaiSpeed(const RematGraph &graph) {
  int turn = turningPoint(graph);
  std::vector<char> isDear = dearOps(graph, turn);
  std::vector<int> recomputed;
  for (int t = 0; t <= turn; ++t)
    if (!isDear[graph.order[t]])
      recomputed.push_back(graph.order[t]);
  return justInTimePlan(graph, turn, recomputed);
}

/// The cheapest set to keep at the turning point when dear ops never run
/// twice; `budgetBytes` 0 asks for the smallest set. (The min-cut partitioner
/// of PyTorch, and the knapsack over it.)
static RematSchedule torchMinCut(const RematGraph &graph, int64_t budgetBytes) {
  int turn = turningPoint(graph);
  RematGraph banned = graph;
  std::vector<char> isDear = dearOps(graph, turn);
  for (int op = 0; op < graph.numOps(); ++op)
    if (isDear[op])
      banned.maxRuns[op] = 1;
  BoundaryProblem boundary(banned, turn);
  int64_t least = boundary.floorBytes();
  BoundaryResult result = boundary.solve(std::max(budgetBytes, least));
  return justInTimePlan(graph, turn, result.within.recomputed);
}

/// Evicts the cheapest value per byte at the highest step until it fits, as
/// compilers do that rematerialize after scheduling.
static RematSchedule greedy(const RematGraph &graph, int64_t budgetBytes,
                            Deadline &deadline) {
  Sequence sequence(graph, budgetBytes, graph.order);
  SequenceEditor editor(sequence);
  WorkLimit limit(deadline, 1000000000);
  repairOverflow(sequence, editor, {}, limit);
  return sequence.schedule();
}

static RematSchedule exact(const RematGraph &graph, int64_t budgetBytes,
                           bool fixedOrder, Deadline &deadline) {
  ExactOptions options;
  options.fixedOrder = fixedOrder;
  options.maxStates = 3000000;
  ExactResult result = searchExactly(graph, budgetBytes, options, deadline);
  return result.schedule.value_or(graph.order);
}

JudgedPlan solver::baselinePlan(const RematGraph &graph,
                                const std::string &name, int64_t budgetBytes,
                                bool fixedOrder, Deadline &deadline) {
  RematOptions options;
  options.fixedOrder = fixedOrder;
  Planner planner(graph, options, deadline);
  if (graph.numOps() == 0 || name == "store-all")
    return planner.judge(graph.order);
  if (name == "chen-sqrt")
    return planner.judge(chenSqrt(graph));
  if (name == "openai-memory")
    return planner.judge(openaiMemory(graph));
  if (name == "openai-speed")
    return planner.judge(openaiSpeed(graph));
  if (name == "torch-mincut")
    return planner.judge(torchMinCut(graph, 0));
  if (name == "torch-budget")
    return planner.judge(torchMinCut(graph, budgetBytes));
  if (name == "greedy")
    return planner.judge(greedy(graph, budgetBytes, deadline));
  if (name == "exact")
    return planner.judge(exact(graph, budgetBytes, fixedOrder, deadline));
  if (name == "dtr")
    return planner.judge(evictDynamically(graph, budgetBytes));
  if (name == "revolve")
    if (auto schedule = planUnitChain(graph, budgetBytes))
      return planner.judge(*schedule);
  return {};
}

std::vector<std::string> solver::rematAlgorithms() {
  return {"store-all",    "chen-sqrt",    "openai-speed", "openai-memory",
          "torch-mincut", "torch-budget", "greedy",       "dtr",
          "revolve",      "exact"};
}
