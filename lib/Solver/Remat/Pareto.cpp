//===- Pareto.cpp - Extra cost against bytes ------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. The whole curve from the least peak to the plain order.
//
// Idea. Solve at equally spaced budgets. A plan for fewer bytes that costs no
// more replaces the one for more bytes, and a bound for more bytes is raised
// to none: bounds only fall as bytes grow, so a bound found at a larger budget
// also holds at every smaller one.
//
// Cost. One solver run per point, with a share of the usual effort.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/Simulate.h"
#include "lowtide/Solver/Remat/SolveRemat.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::solver;

/// Takes over cheaper plans and better bounds from the neighbours.
static void makeMonotone(std::vector<ParetoPoint> &points) {
  // Points are sorted by budget, smallest first.
  for (size_t k = 1; k < points.size(); ++k) {
    RematResult &here = points[k].result, &less = points[k - 1].result;
    if (less.hasPlan() && (!here.hasPlan() || less.cost < here.cost)) {
      here.schedule = less.schedule;
      here.peakBytes = less.peakBytes;
      here.cost = less.cost;
      here.status = RematStatus::Feasible;
    }
  }
  for (size_t k = points.size(); k-- > 1;) {
    RematResult &here = points[k].result, &less = points[k - 1].result;
    less.boundCost = std::max(less.boundCost, here.boundCost);
  }
  for (ParetoPoint &point : points)
    if (point.result.hasPlan() && point.result.cost <= point.result.boundCost) {
      point.result.status = RematStatus::Optimal;
      point.result.stoppedBy = "done";
    }
}

std::vector<ParetoPoint> solver::paretoCurve(const RematProblem &problem,
                                             const RematOptions &options,
                                             int numPoints) {
  std::vector<ParetoPoint> points;
  RematResult least = minimizePeak(problem, options);
  auto base = simulate(problem, problem.order);
  if (!least.error.empty() || !base) {
    if (!base)
      llvm::consumeError(base.takeError());
    return points;
  }
  numPoints = std::max(2, numPoints);
  const int64_t low = std::min(least.peakBytes, base->peakBytes);
  const int64_t high = base->peakBytes;
  for (int k = 0; k < numPoints; ++k) {
    RematOptions one = options;
    one.budgetBytes =
        low + int64_t(double(high - low) * k / double(numPoints - 1));
    one.effort = options.effort * 0.3;
    if (!points.empty() && one.budgetBytes <= points.back().budgetBytes)
      continue;
    RematResult result = solveRemat(problem, one);
    if (!result.hasPlan()) {
      if (k > 0)
        continue;
      result = least;
    }
    points.push_back({one.budgetBytes, std::move(result)});
  }
  makeMonotone(points);
  // A point that costs as much as the one before it is dominated.
  std::vector<ParetoPoint> kept;
  for (ParetoPoint &point : points)
    if (kept.empty() || point.result.cost < kept.back().result.cost)
      kept.push_back(std::move(point));
  return kept;
}
