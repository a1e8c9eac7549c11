//===- Planner.cpp - The parts a solver run is made of --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Plans come from three sources: the choice behind the best bound, a repair of
// the plain order, and the plan with the least peak as a last resort. Each is
// repaired until it fits, trimmed, and improved by local search.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "ExactSearch.h"
#include "FreeOrderSearch.h"
#include "KeepPlan.h"
#include "LocalSearch.h"
#include "Repair.h"
#include "UnitChain.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::solver;

static constexpr int64_t repairWork = 600000000;

JudgedPlan Planner::judge(RematSchedule schedule) const {
  JudgedPlan plan;
  auto simulation = simulate(graph, schedule, {options.fixedOrder});
  if (!simulation) {
    llvm::consumeError(simulation.takeError());
    return plan;
  }
  plan.schedule = std::move(schedule);
  plan.peakBytes = simulation->peakBytes;
  plan.cost = simulation->cost;
  return plan;
}

JudgedPlan Planner::repaired(const RematSchedule &start, int64_t budgetBytes,
                             int64_t work) {
  WorkLimit limit(deadline, int64_t(double(work) * options.effort));
  return repaired(start, budgetBytes, limit);
}

JudgedPlan Planner::repaired(const RematSchedule &start, int64_t budgetBytes,
                             WorkLimit &limit) {
  Sequence sequence(graph, budgetBytes, start);
  RepairOptions repair;
  SequenceEditor editor(sequence);
  // Where it got stuck, what it reached may still be of use to the caller.
  if (repairOverflow(sequence, editor, repair, limit))
    dropNeedless(sequence, editor, limit);
  return judge(sequence.schedule());
}

JudgedPlan Planner::easyPlan() {
  JudgedPlan best = judge(graph.order);
  JudgedPlan chen =
      baselinePlan(graph, "chen-sqrt", 0, options.fixedOrder, deadline);
  if (chen.isValid() && chen.peakBytes < best.peakBytes)
    best = std::move(chen);
  return best;
}

RematFloor Planner::floor() {
  if (knownFloor.op >= 0)
    return knownFloor;
  return knownFloor = findFloor();
}

RematFloor Planner::findFloor() const {
  RematFloor floor;
  floor.bytes = graph.problem->residentBytes;
  std::vector<std::pair<int64_t, int>> steps;
  for (int t = 0; t < graph.numOps(); ++t)
    steps.push_back({graph.workingSetBytes(graph.order[t]), t});
  std::stable_sort(steps.begin(), steps.end(),
                   [](auto &a, auto &b) { return a.first > b.first; });
  if (steps.empty())
    return floor;
  floor.bytes += steps[0].first;
  floor.op = graph.order[steps[0].second];
  // At the end all values that stay are there together.
  int64_t keptBytes = graph.problem->residentBytes;
  for (int value : graph.problem->keep)
    keptBytes += graph.bytes[value];
  if (keptBytes > floor.bytes)
    floor = {keptBytes, graph.order.back()};
  // Values that can't be made again count beside the working set; a few steps
  // of every size are enough to find a good floor.
  auto base = simulate(graph, graph.order);
  if (!base) {
    llvm::consumeError(base.takeError());
    return floor;
  }
  std::vector<int> byLive(graph.numOps());
  for (int t = 0; t < graph.numOps(); ++t)
    byLive[t] = t;
  std::stable_sort(byLive.begin(), byLive.end(), [&](int a, int b) {
    return base->liveBytes[a] > base->liveBytes[b];
  });
  int stride = std::max(1, graph.numOps() / 48);
  for (int k = 0; k < graph.numOps(); k += stride) {
    if (base->liveBytes[byLive[k]] <= floor.bytes)
      break;
    BoundaryProblem boundary(graph, byLive[k], {!options.fixedOrder});
    int64_t bytes = boundary.floorBytes();
    if (bytes > floor.bytes) {
      floor.bytes = bytes;
      floor.op = graph.order[byLive[k]];
    }
  }
  return floor;
}

JudgedPlan Planner::leastPeak() {
  ExactOptions exact;
  exact.fixedOrder = options.fixedOrder;
  exact.minimizePeak = true;
  if (ExactResult proved = searchExactly(graph, INT64_MAX, exact, deadline);
      proved.isProved && proved.schedule) {
    JudgedPlan plan = judge(*proved.schedule);
    knownFloor = floor();
    knownFloor.bytes = plan.peakBytes;
    return plan;
  }
  JudgedPlan best = easyPlan();
  if (auto chain = planUnitChain(graph, 3 * graph.bytes[0]))
    if (JudgedPlan plan = judge(*chain); plan.peakBytes < best.peakBytes)
      best = std::move(plan);
  if (!options.fixedOrder && graph.numOps() <= 2000)
    lowerByReordering(best);
  lowerByBisection(best);
  return best;
}

/// Halves the bytes between what was reached and what wasn't; every target is
/// tried from boundary choices, from the best plan and from the plain order.
void Planner::lowerByBisection(JudgedPlan &best) {
  const int64_t floorBytes = floor().bytes;
  WorkLimit pool(deadline, int64_t(double(4 * repairWork) * options.effort));
  auto tryFrom = [&](const RematSchedule &start, int64_t budgetBytes) {
    WorkLimit limit(deadline, std::min(pool.left(), pool.capacity() / 12));
    JudgedPlan plan = repaired(start, budgetBytes, limit);
    pool.spend(limit.workDone());
    if (plan.isValid() && plan.peakBytes < best.peakBytes)
      best = std::move(plan);
    return best.peakBytes <= budgetBytes;
  };
  int64_t low = floorBytes; // not reached, or reached and done
  BestBound bound;
  for (int round = 0; round < 14 && best.peakBytes > floorBytes; ++round) {
    int64_t target = low + (best.peakBytes - low) / 2;
    if (target <= low || target >= best.peakBytes || pool.isSpent() ||
        best.peakBytes - low <= best.peakBytes / 256)
      break;
    std::vector<RematSchedule> starts;
    if (bound.position < 0)
      bound = bestBoundary(graph, target, {!options.fixedOrder},
                           int64_t(200000000 * options.effort));
    if (bound.position >= 0 && !bound.infeasible) {
      BoundaryProblem boundary(graph, bound.position, {!options.fixedOrder});
      bound.result = boundary.solve(target, bound.result.price);
      if (!bound.result.infeasible)
        starts = startsFrom(bound, target);
    }
    starts.push_back(best.schedule);
    starts.push_back(graph.order);
    bool isReached = false;
    for (const RematSchedule &start : starts)
      if (!isReached && !pool.isSpent())
        isReached = tryFrom(start, target);
    if (!isReached)
      low = target;
  }
  // Small steps from the best plan go further than large ones.
  WorkLimit rest(deadline, int64_t(double(2 * repairWork) * options.effort));
  for (int64_t before = INT64_MAX;
       best.peakBytes < before && best.peakBytes > floorBytes;) {
    before = best.peakBytes;
    WorkLimit limit(deadline, std::min(rest.left(), rest.capacity() / 4));
    JudgedPlan plan = repaired(
        best.schedule, std::max(floorBytes, before - before / 50), limit);
    if (!rest.spend(limit.workDone()))
      break;
    if (plan.isValid() && plan.peakBytes < before)
      best = std::move(plan);
  }
}

JudgedPlan Planner::fromChoice(int position, const BoundaryChoice &choice,
                               int64_t budgetBytes) {
  return repaired(justInTimePlan(graph, position, choice.recomputed),
                  budgetBytes, repairWork);
}

JudgedPlan Planner::improved(const JudgedPlan &plan, int64_t budgetBytes,
                             int64_t enoughCost, int64_t work) {
  WorkLimit limit(deadline, int64_t(double(work) * options.effort));
  LocalSearchOptions search;
  search.seed = options.seed;
  search.enough = double(enoughCost - graph.totalCost);
  JudgedPlan better =
      judge(improvePlan(graph, budgetBytes, plan.schedule, search, limit));
  return better.isValid() && better.peakBytes <= budgetBytes &&
                 better.cost < plan.cost
             ? better
             : plan;
}

/// One start of a repair.
struct Planner::Start {
  RematSchedule schedule;
  int64_t peakBytes, cost;
  double overflow; ///< summed over steps
};

std::optional<Planner::Start> Planner::startFrom(int position,
                                                 const BoundaryChoice &choice,
                                                 int64_t budgetBytes) const {
  Start start;
  start.schedule = justInTimePlan(graph, position, choice.recomputed);
  auto simulation = simulate(graph, start.schedule);
  if (!simulation) {
    llvm::consumeError(simulation.takeError());
    return std::nullopt;
  }
  start.peakBytes = simulation->peakBytes;
  start.cost = simulation->cost;
  start.overflow = 0;
  for (int64_t bytes : simulation->liveBytes)
    start.overflow += double(std::max<int64_t>(0, bytes - budgetBytes));
  return start;
}

/// The choice at the best boundary needs room of its own while it recomputes,
/// which the boundary doesn't see. So choices for smaller budgets are tried
/// too, first smaller by just what was missing. A choice that fits as it is
/// comes first, then the given ones, then those with the least overflow.
std::vector<RematSchedule> Planner::startsFrom(const BestBound &bound,
                                               int64_t budgetBytes) {
  std::vector<Start> given, tighter;
  for (const BoundaryChoice *choice :
       {&bound.result.within, &bound.result.over})
    if (choice == &bound.result.within || !choice->recomputed.empty())
      if (auto start = startFrom(bound.position, *choice, budgetBytes))
        given.push_back(std::move(*start));
  std::vector<RematSchedule> result;
  if (given.empty() || given[0].overflow == 0) {
    result.push_back(given.empty() ? graph.order : given[0].schedule);
    return result;
  }
  BoundaryProblem boundary(graph, bound.position, {!options.fixedOrder});
  int64_t missing = given[0].peakBytes - budgetBytes;
  std::vector<int64_t> budgets = {budgetBytes - missing,
                                  budgetBytes - 2 * missing};
  for (double part : {0.97, 0.94, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5})
    if (auto less = int64_t(double(budgetBytes) * part); less < budgets.back())
      budgets.push_back(less);
  for (int64_t budget : budgets) {
    if (deadline.passed())
      break;
    BoundaryResult choice = boundary.solve(budget, bound.result.price);
    if (choice.infeasible)
      break;
    if (auto start = startFrom(bound.position, choice.within, budgetBytes))
      tighter.push_back(std::move(*start));
    if (!tighter.empty() && tighter.back().overflow == 0)
      break;
  }
  std::stable_sort(tighter.begin(), tighter.end(),
                   [](const Start &a, const Start &b) {
                     return a.overflow != b.overflow ? a.overflow < b.overflow
                                                     : a.cost < b.cost;
                   });
  size_t next = 0;
  if (!tighter.empty() && tighter[0].overflow == 0)
    result.push_back(std::move(tighter[next++].schedule));
  for (Start &start : given)
    result.push_back(std::move(start.schedule));
  for (; next < tighter.size() && next < 3; ++next)
    result.push_back(std::move(tighter[next].schedule));
  return result;
}

/// Anneals orders and runs together for ever smaller budgets.
void Planner::lowerByReordering(JudgedPlan &best) {
  FreeOrderOptions search;
  search.enough = double(INT64_MAX); // any plan that fits will do
  const double parts[] = {0.85, 0.93, 0.97, 0.985};
  for (size_t k = 0; k < std::size(parts);) {
    WorkLimit limit(deadline, int64_t(600000000 * options.effort));
    search.seed = options.seed + k;
    JudgedPlan other =
        judge(searchFreeOrder(graph, int64_t(double(best.peakBytes) * parts[k]),
                              best.schedule, search, limit));
    if (other.isValid() && other.peakBytes < best.peakBytes)
      best = std::move(other);
    else
      ++k;
    if (deadline.passed())
      return;
  }
}

JudgedPlan Planner::plan(int64_t budgetBytes, const BestBound &bound,
                         const JudgedPlan &fallback) {
  JudgedPlan best;
  auto offer = [&](JudgedPlan plan) {
    if (plan.isValid() && plan.peakBytes <= budgetBytes &&
        plan.cost < best.cost)
      best = std::move(plan);
  };
  if (fallback.isValid())
    offer(fallback);
  // One pool of work for all starts; the likely ones come first.
  WorkLimit limit(deadline, int64_t(double(repairWork) * options.effort));
  if (bound.position >= 0)
    for (const RematSchedule &start : startsFrom(bound, budgetBytes))
      if (!limit.isSpent())
        offer(repaired(start, budgetBytes, limit));
  if (!limit.isSpent())
    offer(repaired(graph.order, budgetBytes, limit));
  // The fallback may hold much that this budget can do without.
  if (fallback.isValid()) {
    WorkLimit trim(deadline, int64_t(double(repairWork) * options.effort));
    offer(repaired(fallback.schedule, budgetBytes, trim));
  }
  return best;
}
