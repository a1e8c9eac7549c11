//===- BestBoundary.cpp - Which step proves the best bound ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. Every step gives a valid bound; find one that gives a good one
// without solving them all.
//
// Idea. Steps where the order fits as it is prove nothing. Of the others a
// coarse grid is solved, then the steps around the best one in ever smaller
// strides; the price found so far is the first guess for the next. The floor
// needs no cut: it is the working set plus what can't be recomputed.
//
// Cost. About 24 + 4 log n boundaries. A better step may be missed; any step's
// bound is valid all the same.
//
// Tested by test/unit/Solver/BoundaryBoundTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/BoundaryBound.h"
#include "lowtide/Solver/Remat/Simulate.h"

#include <algorithm>
#include <set>

using namespace lowtide;
using namespace lowtide::solver;

namespace {
class Search {
public:
  Search(const RematGraph &graph, int64_t budgetBytes, BoundaryOptions options,
         int64_t maxWork)
      : graph(graph), budgetBytes(budgetBytes), options(options),
        maxWork(maxWork) {}

  BestBound run();

private:
  bool tryPosition(int position);

  const RematGraph &graph;
  int64_t budgetBytes;
  BoundaryOptions options;
  int64_t maxWork;
  std::set<int> tried;
  BestBound best;
};
} // namespace

/// False when the search is over: refused, or out of work.
bool Search::tryPosition(int position) {
  if (!tried.insert(position).second)
    return true;
  BoundaryProblem boundary(graph, position, options);
  BoundaryResult result = boundary.solve(budgetBytes, best.result.price);
  // Collecting a boundary looks at every edge even when no cut follows.
  best.work += boundary.work() + graph.numOps();
  if (result.infeasible) {
    best.infeasible = true;
    best.position = position;
    return false;
  }
  best.solved.emplace_back(result.bound, position);
  if (result.bound > best.extraCost || best.position < 0) {
    best.extraCost = result.bound;
    best.position = position;
    best.result = std::move(result);
  }
  return best.work < maxWork;
}

BestBound Search::run() {
  auto base = simulate(graph, graph.order);
  assert(base && "a checked problem has a valid order");
  if (!base)
    return best;
  std::vector<int> over;
  for (int t = 0; t < graph.numOps(); ++t) {
    int64_t least =
        graph.problem->residentBytes + graph.workingSetBytes(graph.order[t]);
    if (least > budgetBytes) {
      best.infeasible = true;
      best.position = t;
      return best;
    }
    if (base->liveBytes[t] > budgetBytes)
      over.push_back(t);
  }
  if (over.empty())
    return best;
  const int numOver = int(over.size());
  int stride = std::max(1, numOver / 24);
  int center = 0;
  auto visit = [&](int index) {
    int64_t before = best.extraCost;
    bool goesOn = tryPosition(over[index]);
    if (best.extraCost > before)
      center = index;
    return goesOn;
  };
  for (int index = stride / 2; index < numOver; index += stride)
    if (!visit(index))
      return best;
  while (stride > 1) {
    stride = std::max(1, stride / 3);
    int middle = center;
    for (int step : {-2, -1, 1, 2})
      if (int index = middle + step * stride; index >= 0 && index < numOver)
        if (!visit(index))
          return best;
  }
  return best;
}

BestBound solver::bestBoundary(const RematGraph &graph, int64_t budgetBytes,
                               BoundaryOptions options, int64_t maxWork) {
  BestBound best = Search(graph, budgetBytes, options, maxWork).run();
  std::stable_sort(best.solved.begin(), best.solved.end(),
                   [](auto &a, auto &b) { return a.first > b.first; });
  return best;
}
