//===- OrderSearch.cpp - An order that stays under a peak -----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: given bytes P, an order of the remaining ops whose steps all stay
// within P, or a proof that there is none.
//
// Idea: place ops one by one. While some move is safe (OrderState.h) it is
// made without a choice: one op that leaves no more bytes than it found, or a
// path of ops, each waiting for the one before, that climbs within P and comes
// down to where it began. Otherwise try the ready ops in turn, the one first
// that leaves the least after its safe moves. Sets of placed ops from which
// the end can't be reached are remembered.
//
// Example: a makes 4 bytes, b reads them and makes 9, c reads those and makes
// 1. From nothing, a..c is a safe path for P = 13 only with something that
// ends; with a kept input of 1 byte that c reads last, a, b, c come down to
// the byte they began with.
//
// Complexity: the number of sets met, at worst all downsets; wide graphs are
// cut off by the limit on placed ops. In series-parallel graphs the safe
// paths finish a branch once its valley is below the point where it started.
//
// Reference: Liu, "An application of generalized tree pebbling to sparse
// matrix factorization" (1987), for valleys of branches.
//
// Tested by test/unit/Solver/Schedule/OrderOpsTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "OrderSearch.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace lowtide::solver;

namespace {
class Extender {
public:
  Extender(const OrderGraph &graph, OrderState &state, size_t numDone,
           int64_t peakBytes, const OrderLimits &limits, uint64_t &steps)
      : graph(graph), state(state), numDone(numDone), peakBytes(peakBytes),
        limits(limits), steps(steps), stopAt(steps + limits.steps) {}

  OrderAnswer run();

private:
  /// One choice that is open: what was placed before it, what can be tried.
  struct Frame {
    size_t size;
    std::vector<int> options;
    size_t nextOption = 0;
  };

  bool isDone() const { return state.sequence().size() >= numDone; }
  bool isSpent() {
    if (steps >= stopAt)
      return true;
    if (steps - checkedAt < 512)
      return false;
    checkedAt = steps;
    return limits.isLate();
  }
  /// Whether `op` may be placed now at all.
  bool mayRun(int op) const { return !limits.allowed || (*limits.allowed)[op]; }
  void unwind(size_t size) {
    while (state.sequence().size() > size)
      state.undo();
  }
  bool open();
  void runSafeMoves();
  bool runSafePath();
  bool descend(int64_t start, int depth);
  std::vector<int> rankOptions();
  int64_t lookAhead(int op);

  const OrderGraph &graph;
  OrderState &state;
  size_t numDone;
  int64_t peakBytes;
  const OrderLimits &limits;
  uint64_t &steps;
  uint64_t stopAt, checkedAt = 0;
  int64_t leastAbove = INT64_MAX;
  int pathBudget = 0;
  std::vector<Frame> frames;
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> seen;
};
} // namespace

/// Longest safe path that is looked for.
static constexpr int kPathLength = 24;

void Extender::runSafeMoves() {
  while (!isDone()) {
    int best = -1;
    steps += state.ready().size() / 4;
    for (int op : state.ready())
      if (mayRun(op) && state.bytesAfter(op) <= state.live() &&
          state.bytesDuring(op) <= peakBytes && (best < 0 || op < best))
        best = op;
    if (best >= 0) {
      state.run(best);
      ++steps;
      continue;
    }
    if (!runSafePath())
      return;
  }
}

/// Continues a path from its last op; true once it is back at `start` bytes.
bool Extender::descend(int64_t start, int depth) {
  if (state.live() <= start)
    return true;
  if (depth == 0 || isDone() || pathBudget <= 0)
    return false;
  int last = state.sequence().back();
  for (int op : graph.next[last]) {
    if (!state.isReady(op) || !mayRun(op) || state.bytesDuring(op) > peakBytes)
      continue;
    state.run(op);
    ++steps;
    --pathBudget;
    if (descend(start, depth - 1))
      return true;
    state.undo();
  }
  return false;
}

bool Extender::runSafePath() {
  std::vector<int> ready = state.ready();
  std::sort(ready.begin(), ready.end());
  int64_t start = state.live();
  pathBudget = limits.pathTries;
  for (int op : ready) {
    if (pathBudget <= 0)
      return false;
    if (!mayRun(op) || state.bytesDuring(op) > peakBytes)
      continue;
    state.run(op);
    ++steps;
    --pathBudget;
    if (descend(start, kPathLength))
      return true;
    state.undo();
  }
  return false;
}

/// Runs `op` and what it makes ready, one after the other, and takes all back.
/// The key of the lowest point that is reached: the lower, the earlier.
int64_t Extender::lookAhead(int op) {
  size_t size = state.sequence().size();
  int64_t start = state.live(), hill = state.bytesDuring(op);
  state.run(op);
  ++steps;
  int64_t valley = state.live(), hillAtValley = hill;
  for (int moves = 0; moves < limits.depth && !isDone(); ++moves) {
    // What the last op made ready is where the gains are.
    int best = -1;
    int64_t bestAfter = 0;
    for (int later : graph.next[state.sequence().back()]) {
      if (!state.isReady(later) || !mayRun(later) ||
          state.bytesDuring(later) > peakBytes)
        continue;
      int64_t after = state.bytesAfter(later);
      if (best < 0 || after < bestAfter) {
        best = later;
        bestAfter = after;
      }
    }
    if (best < 0)
      break;
    hill = std::max(hill, state.bytesDuring(best));
    state.run(best);
    ++steps;
    if (state.live() < valley) {
      valley = state.live();
      hillAtValley = hill;
    }
  }
  unwind(size);
  if (limits.rule == ChoiceRule::FewestBytes || valley <= start)
    return limits.rule == ChoiceRule::FewestBytes ? valley : INT64_MIN;
  return valley - hillAtValley;
}

std::vector<int> Extender::rankOptions() {
  std::vector<std::pair<int64_t, int>> keyed;
  steps += state.ready().size() / 2;
  for (int op : state.ready()) {
    if (!mayRun(op))
      continue;
    int64_t during = state.bytesDuring(op);
    if (during > peakBytes) {
      leastAbove = std::min(leastAbove, during);
      continue;
    }
    keyed.push_back({state.bytesAfter(op), op});
  }
  std::sort(keyed.begin(), keyed.end());
  size_t numRanked = std::min(size_t(limits.width), keyed.size());
  for (size_t i = 0; i < numRanked; ++i)
    keyed[i].first = lookAhead(keyed[i].second);
  std::sort(keyed.begin(), keyed.begin() + numRanked);
  std::vector<int> options;
  for (auto &[bytes, op] : keyed)
    options.push_back(op);
  return options;
}

/// Makes safe moves, then opens a choice. True when all is placed.
bool Extender::open() {
  runSafeMoves();
  if (isDone())
    return true;
  if (seen.insert(state.hash()).second)
    frames.push_back({state.sequence().size(), rankOptions()});
  return false;
}

OrderAnswer Extender::run() {
  size_t base = state.sequence().size();
  if (open())
    return {OrderAnswer::Found, 0};
  while (!frames.empty()) {
    if (isSpent()) {
      unwind(base);
      return {OrderAnswer::Unknown, 0};
    }
    Frame &frame = frames.back();
    if (frame.nextOption == frame.options.size()) {
      frames.pop_back();
      continue;
    }
    unwind(frame.size);
    state.run(frame.options[frame.nextOption++]);
    ++steps;
    if (open())
      return {OrderAnswer::Found, 0};
  }
  unwind(base);
  return {OrderAnswer::Impossible, leastAbove};
}

OrderAnswer lowtide::solver::extendWithin(const OrderGraph &graph,
                                          OrderState &state, size_t numDone,
                                          int64_t peakBytes,
                                          const OrderLimits &limits,
                                          uint64_t &steps) {
  return Extender(graph, state, numDone, peakBytes, limits, steps).run();
}
