//===- UnitChain.cpp - Optimal plans of uniform chains --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. Forward ops 0..l, each reading the one before; backward op l + k
// reads op l + k - 1 and op l - k. All costs and sizes alike. What is the
// cheapest schedule when M values fit?
//
// Idea. Two values are always taken by an op and what it reads on the way, one
// more by the gradient; so M - 2 states may be stored, the free start among
// them. Store one more state at distance m, reverse what is behind it with one
// slot less, then what is before it. With r least such that C(s + r, s) >= l,
// no step need run more than r times, and the total is
// t(l, s) = r * l - C(s + r, s + 1). The split is any m that reaches it.
//
// Example. l = 8, M = 4: t(9, 2) = 3 * 9 - C(5, 3) = 17, total 8 + 1 + 17 = 26.
//
// Cost. O(l) per split to find m; the schedule's length otherwise.
//
// It is for equal costs and sizes only.
//
// Reference. A. Griewank, A. Walther, Algorithm 799: revolve, 2000.
//
// Tested by test/unit/Solver/UnitChainTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "UnitChain.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::solver;

int solver::unitChainLayers(const RematGraph &graph) {
  const int numOps = graph.numOps(), layers = numOps / 2;
  const RematProblem &problem = *graph.problem;
  if (numOps < 3 || numOps % 2 == 0 || graph.numValues() != numOps ||
      problem.residentBytes != 0 || !problem.keep.empty() ||
      !problem.inplace.empty() || !problem.after.empty() ||
      graph.cost(0) == 0 ||
      graph.bytes[graph.outputs(0).empty() ? 0 : graph.outputs(0)[0]] == 0)
    return 0;
  for (int i = 0; i < numOps; ++i) {
    if (graph.order[i] != i || graph.outputs(i).size() != 1 ||
        graph.outputs(i)[0] != i || graph.cost(i) != graph.cost(0) ||
        graph.bytes[i] != graph.bytes[0] || graph.workspace[i] != 0 ||
        graph.maxRuns[i] != INT_MAX ||
        graph.searchCost[i] != double(graph.cost(i)))
      return 0;
    std::vector<int> reads;
    if (i > 0)
      reads.push_back(i - 1);
    if (int twin = 2 * layers - i; i > layers && twin != i - 1)
      reads.push_back(twin);
    std::vector<int> inputs = graph.inputs(i);
    std::sort(inputs.begin(), inputs.end());
    std::sort(reads.begin(), reads.end());
    if (inputs != reads)
      return 0;
  }
  return layers;
}

/// C(n, k), cut off where it no longer matters.
static int64_t choose(int64_t n, int64_t k) {
  const int64_t most = int64_t(1) << 40;
  if (k < 0 || k > n)
    return 0;
  k = std::min(k, n - k);
  int64_t result = 1;
  for (int64_t i = 1; i <= k; ++i) {
    result = result * (n - k + i) / i;
    if (result > most)
      return most;
  }
  return result;
}

int64_t solver::reversalRuns(int64_t length, int64_t slots) {
  if (length <= 0)
    return 0;
  int64_t r = 0;
  while (choose(slots + r, slots) < length)
    ++r;
  return r * length - choose(slots + r, slots + 1);
}

namespace {
/// Emits the schedule. State j is what forward op j made; -1 is the start.
class Reversal {
public:
  explicit Reversal(int layers) : layers(layers) {}
  RematSchedule run(int64_t slots) {
    reverse(-1, layers + 1, slots);
    return std::move(schedule);
  }

private:
  void reverse(int low, int length, int64_t slots);
  void advance(int from, int to) {
    for (int j = from + 1; j <= to; ++j)
      schedule.push_back(j);
  }
  void visit(int state) {
    if (state == layers - 1)
      schedule.push_back(layers); // the last forward op begins the way back
    if (state >= 0)
      schedule.push_back(2 * layers - state);
  }

  int layers;
  RematSchedule schedule;
};
} // namespace

/// State `low` is stored. Runs the backward ops of the `length` states from
/// `low` on, the last one first. The depth is at most the number of slots
/// plus that of the splits, both below the number of layers.
void Reversal::reverse(int low, int length, int64_t slots) {
  if (length <= 1 || slots <= 1) {
    for (int state = low + length - 1; state >= low; --state) {
      advance(low, state);
      visit(state);
    }
    return;
  }
  const int64_t target = reversalRuns(length, slots);
  for (int m = 1; m < length; ++m) {
    if (m + reversalRuns(length - m, slots - 1) + reversalRuns(m, slots) !=
        target)
      continue;
    advance(low, low + m);
    reverse(low + m, length - m, slots - 1);
    reverse(low, m, slots);
    return;
  }
}

std::optional<RematSchedule> solver::planUnitChain(const RematGraph &graph,
                                                   int64_t budgetBytes) {
  const int layers = unitChainLayers(graph);
  const int64_t slots = budgetBytes / std::max<int64_t>(1, graph.bytes[0]) - 2;
  if (layers == 0 || slots < 1)
    return std::nullopt;
  return Reversal(layers).run(std::min<int64_t>(slots, layers));
}
