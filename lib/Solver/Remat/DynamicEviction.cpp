//===- DynamicEviction.cpp - Plans made while running ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. What does online eviction cost, for comparison with plans?
//
// Idea. Run the order. Before an op runs, its evicted inputs run again,
// recursively. Where the op doesn't fit, the value with the least
// cost / (bytes * staleness) goes, cost being that of its op and of the
// evicted inputs it would need first. A value is freed after its last use.
//
// Example. x (cost 1, 8 bytes, last touched 5 steps ago) goes before y (cost
// 1, 8 bytes, just touched).
//
// Cost. O(steps * values).
//
// It doesn't look ahead but for last uses; where it can't evict it goes over
// the budget, and the simulator says so.
//
// Reference. Kirisame et al., Dynamic tensor rematerialization, 2021.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "DynamicEviction.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::solver;

namespace {
class Runtime {
public:
  Runtime(const RematGraph &graph, int64_t budgetBytes)
      : graph(graph), room(budgetBytes - graph.problem->residentBytes),
        isHere(graph.numValues(), 0), pinned(graph.numValues(), 0),
        touched(graph.numValues(), 0), lastUse(graph.numValues(), -1) {
    for (int v = 0; v < graph.numValues(); ++v)
      for (int user : graph.users[v])
        lastUse[v] = std::max(lastUse[v], graph.position[user]);
  }
  RematSchedule run();

private:
  bool execute(int op, int depth);
  void makeRoom(int64_t bytes);
  double score(int v) const;

  const RematGraph &graph;
  int64_t room, used = 0;
  std::vector<char> isHere;
  std::vector<int> pinned, touched, lastUse;
  RematSchedule schedule;
  int now = 0; ///< position in the order
};
} // namespace

double Runtime::score(int v) const {
  int op = graph.producer[v];
  double cost = 1 + double(graph.cost(op));
  for (int u : graph.inputs(op))
    if (graph.producer[u] >= 0 && !isHere[u])
      cost += double(graph.cost(graph.producer[u]));
  double stale = 1 + double(int(schedule.size()) - touched[v]);
  return cost / (double(graph.bytes[v]) * stale);
}

void Runtime::makeRoom(int64_t bytes) {
  while (used + bytes > room) {
    int victim = -1;
    double least = 0;
    for (int v = 0; v < graph.numValues(); ++v) {
      int op = graph.producer[v];
      if (!isHere[v] || pinned[v] || graph.bytes[v] == 0 || op < 0 ||
          graph.maxRuns[op] != INT_MAX || graph.deadline[op] != INT_MAX)
        continue;
      if (double s = score(v); victim < 0 || s < least) {
        victim = v;
        least = s;
      }
    }
    if (victim < 0)
      return;
    isHere[victim] = 0;
    used -= graph.bytes[victim];
  }
}

bool Runtime::execute(int op, int depth) {
  // Far more steps than ops: it thrashes.
  if (depth > graph.numOps() ||
      schedule.size() > size_t(20 * graph.numOps() + 100))
    return false;
  for (int u : graph.inputs(op))
    ++pinned[u];
  bool done = true;
  for (int u : graph.inputs(op))
    if (done && graph.producer[u] >= 0 && !isHere[u])
      done = execute(graph.producer[u], depth + 1);
  if (done) {
    int64_t bytes = graph.workspace[op];
    for (int v : graph.outputs(op))
      bytes += isHere[v] ? 0 : graph.bytes[v];
    makeRoom(bytes);
    for (int u : graph.inputs(op))
      touched[u] = int(schedule.size());
    schedule.push_back(op);
    for (int v : graph.outputs(op)) {
      used += isHere[v] ? 0 : graph.bytes[v];
      isHere[v] = 1;
      touched[v] = int(schedule.size());
    }
  }
  for (int u : graph.inputs(op))
    --pinned[u];
  // Free what no later op of the order reads.
  for (const std::vector<int> *list : {&graph.inputs(op), &graph.outputs(op)})
    for (int v : *list)
      if (isHere[v] && !pinned[v] && !graph.keep[v] &&
          lastUse[v] <= graph.position[graph.order[now]] && depth == 0) {
        isHere[v] = 0;
        used -= graph.bytes[v];
      }
  return done;
}

RematSchedule Runtime::run() {
  for (now = 0; now < graph.numOps(); ++now)
    if (!execute(graph.order[now], 0))
      return graph.order;
  return std::move(schedule);
}

RematSchedule solver::evictDynamically(const RematGraph &graph,
                                       int64_t budgetBytes) {
  return Runtime(graph, budgetBytes).run();
}
