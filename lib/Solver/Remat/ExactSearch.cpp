//===- ExactSearch.cpp - Optimal schedules of small problems --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. The cheapest schedule within a budget, proved, for a few dozen ops.
//
// Idea. All that matters of the past is which ops have run and which values
// are alive. Running an op whose inputs are alive is a move that costs what
// the op costs, allowed where the bytes fit; forgetting a value is free. The
// cheapest path to "everything has run" is found in order of cost (Dijkstra).
// In-place: a move may use up an operand, which then is forgotten.
//
// Example. a, b(a), c(a, b) with room for two values: run a, run b, run c with
// a and b alive needs room for three, so there is no path.
//
// Cost. At worst exponential in the number of values; small budgets keep the
// number of sets small. It gives up after `maxStates`.
//
// It takes run limits of one or none only.
//
// Tested by test/unit/Solver/BruteForceTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ExactSearch.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

using namespace lowtide;
using namespace lowtide::solver;

namespace {
struct State {
  uint64_t done;  ///< ops that have run
  uint64_t alive; ///< values
  bool operator==(const State &other) const = default;
};

struct StateHash {
  size_t operator()(const State &state) const {
    uint64_t mixed = state.done * 0x9e3779b97f4a7c15u;
    mixed ^= (state.alive + (mixed >> 29)) * 0xbf58476d1ce4e5b9u;
    return size_t(mixed ^ (mixed >> 32));
  }
};

struct Reached {
  int64_t cost;
  int parent;
  int op; ///< -1: a value was forgotten
  State state;
  bool isClosed = false;
};

class ExactSearch {
public:
  ExactSearch(const RematGraph &graph, int64_t budgetBytes,
              const ExactOptions &options, Deadline &deadline);
  ExactResult run();

private:
  bool mayRun(const State &state, int op) const;
  int64_t usage(const State &state, int op, uint64_t consumed) const;
  void runOp(int from, int op);
  void forget(int from);
  void reach(int from, int op, const State &state, int64_t cost);
  RematSchedule path(int at) const;

  const RematGraph &graph;
  int64_t room;
  const ExactOptions &options;
  Deadline &deadline;
  std::vector<uint64_t> reads, makes; ///< per op, masks of counted values
  std::vector<uint64_t> needs;        ///< per op: ops that come first
  std::vector<uint64_t> blocks;       ///< per op: ops it must not follow
  uint64_t keep = 0, all = 0;
  std::vector<Reached> reached;
  std::unordered_map<State, int, StateHash> known;
  using Entry = std::pair<int64_t, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;
};
} // namespace

bool solver::isExactSearchPossible(const RematGraph &graph) {
  if (graph.numOps() > 32 || graph.numValues() > 64)
    return false;
  for (int limit : graph.maxRuns)
    if (limit != 1 && limit != INT_MAX)
      return false;
  for (const auto &pairs : graph.inplace)
    if (pairs.size() > 6)
      return false;
  return true;
}

ExactSearch::ExactSearch(const RematGraph &graph, int64_t budgetBytes,
                         const ExactOptions &options, Deadline &deadline)
    : graph(graph), room(budgetBytes - graph.problem->residentBytes),
      options(options), deadline(deadline), reads(graph.numOps(), 0),
      makes(graph.numOps(), 0), needs(graph.numOps(), 0),
      blocks(graph.numOps(), 0) {
  for (int op = 0; op < graph.numOps(); ++op) {
    for (int v : graph.inputs(op))
      if (graph.producer[v] >= 0)
        reads[op] |= uint64_t(1) << v;
    for (int v : graph.outputs(op)) {
      makes[op] |= uint64_t(1) << v;
      if (graph.keep[v])
        keep |= uint64_t(1) << v;
    }
    all |= uint64_t(1) << op;
    if (options.fixedOrder)
      for (int t = 0; t < graph.position[op]; ++t)
        needs[op] |= uint64_t(1) << graph.order[t];
  }
  for (const RematAfter &edge : graph.problem->after) {
    needs[edge.later] |= uint64_t(1) << edge.earlier;
    blocks[edge.earlier] |= uint64_t(1) << edge.later;
  }
}

bool ExactSearch::mayRun(const State &state, int op) const {
  if ((state.alive & reads[op]) != reads[op] || (state.done & blocks[op]))
    return false;
  if (state.done >> op & 1)
    return graph.maxRuns[op] > 1;
  return (state.done & needs[op]) == needs[op];
}

int64_t ExactSearch::usage(const State &state, int op,
                           uint64_t consumed) const {
  int64_t bytes = graph.workspace[op];
  for (uint64_t left = state.alive | makes[op]; left; left &= left - 1)
    bytes += graph.bytes[__builtin_ctzll(left)];
  uint64_t used = 0;
  for (const InplacePair &pair : graph.inplace[op]) {
    uint64_t both = uint64_t(1) << pair.input | uint64_t(1) << pair.output;
    if (!(consumed >> pair.input & 1) || (used & both))
      continue;
    used |= both;
    bytes -= pair.savedBytes;
  }
  return bytes;
}

void ExactSearch::reach(int from, int op, const State &state, int64_t cost) {
  auto [found, isNew] = known.try_emplace(state, int(reached.size()));
  if (isNew)
    reached.push_back({cost, from, op, state});
  Reached &entry = reached[found->second];
  if (!isNew) {
    if (entry.isClosed || entry.cost <= cost)
      return;
    entry.cost = cost;
    entry.parent = from;
    entry.op = op;
  }
  open.push({cost, found->second});
}

void ExactSearch::runOp(int from, int op) {
  const State state = reached[from].state;
  const int64_t cost = reached[from].cost;
  uint64_t operands = 0;
  for (const InplacePair &pair : graph.inplace[op])
    operands |= uint64_t(1) << pair.input;
  // Every subset of the operands that may be overwritten, the empty one last.
  for (uint64_t consumed = operands;; consumed = (consumed - 1) & operands) {
    int64_t bytes = usage(state, op, consumed);
    if (bytes <= room) {
      State next{state.done | uint64_t(1) << op,
                 (state.alive & ~consumed) | makes[op]};
      reach(from, op, next,
            options.minimizePeak ? std::max(cost, bytes)
                                 : cost + graph.cost(op));
    }
    if (consumed == 0)
      break;
  }
}

void ExactSearch::forget(int from) {
  const State state = reached[from].state;
  for (uint64_t left = state.alive; left; left &= left - 1) {
    State next = state;
    next.alive &= ~(left & -left);
    reach(from, -1, next, reached[from].cost);
  }
}

RematSchedule ExactSearch::path(int at) const {
  RematSchedule schedule;
  for (; at >= 0; at = reached[at].parent)
    if (reached[at].op >= 0)
      schedule.push_back(reached[at].op);
  std::reverse(schedule.begin(), schedule.end());
  return schedule;
}

ExactResult ExactSearch::run() {
  reach(-1, -1, {0, 0}, 0);
  int64_t looked = 0;
  while (!open.empty()) {
    auto [cost, at] = open.top();
    open.pop();
    if (reached[at].isClosed)
      continue;
    reached[at].isClosed = true;
    const State state = reached[at].state;
    if (state.done == all && (state.alive & keep) == keep)
      return {true, path(at)};
    if (int64_t(reached.size()) > options.maxStates ||
        (++looked % 1024 == 0 && deadline.passed()))
      return {};
    for (int op = 0; op < graph.numOps(); ++op)
      if (mayRun(state, op))
        runOp(at, op);
    forget(at);
  }
  return {true, std::nullopt};
}

ExactResult solver::searchExactly(const RematGraph &graph, int64_t budgetBytes,
                                  const ExactOptions &options,
                                  Deadline &deadline) {
  if (!isExactSearchPossible(graph))
    return {};
  return ExactSearch(graph, budgetBytes, options, deadline).run();
}
