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
  if (!repairOverflow(sequence, editor, repair, limit))
    return {};
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
  const int64_t floorBytes = floor().bytes;
  auto tryFrom = [&](const RematSchedule &start, int64_t budgetBytes) {
    JudgedPlan plan = repaired(start, budgetBytes, repairWork / 3);
    bool isBetter = plan.isValid() && plan.peakBytes < best.peakBytes;
    if (isBetter)
      best = std::move(plan);
    return isBetter;
  };
  if (!options.fixedOrder && graph.numOps() <= 2000)
    lowerByReordering(best);
  int64_t low = floorBytes; // not reached, or reached and done
  for (int round = 0; round < 14 && best.peakBytes > floorBytes; ++round) {
    int64_t target = round == 0 ? floorBytes : low + (best.peakBytes - low) / 2;
    if (round > 0 && (target <= low || target >= best.peakBytes))
      break;
    RematSchedule start = best.schedule;
    if (!tryFrom(graph.order, target) && !tryFrom(start, target))
      low = target;
    if (best.peakBytes - low <= best.peakBytes / 256)
      break;
  }
  return best;
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

/// The choice at the best boundary needs room of its own while it recomputes,
/// which the boundary doesn't see. So choices for smaller budgets are tried
/// too; the ones with the least overflow are worth a repair.
std::vector<RematSchedule> Planner::startsFrom(const BestBound &bound,
                                               int64_t budgetBytes) {
  struct Start {
    double overflow, cost;
    RematSchedule schedule;
  };
  std::vector<Start> starts;
  auto add = [&](const BoundaryChoice &choice) {
    RematSchedule schedule =
        justInTimePlan(graph, bound.position, choice.recomputed);
    auto simulation = simulate(graph, schedule);
    if (!simulation) {
      llvm::consumeError(simulation.takeError());
      return;
    }
    double overflow = 0;
    for (int64_t bytes : simulation->liveBytes)
      overflow += double(std::max<int64_t>(0, bytes - budgetBytes));
    starts.push_back({overflow, double(simulation->cost), std::move(schedule)});
  };
  add(bound.result.within);
  if (!bound.result.over.recomputed.empty())
    add(bound.result.over);
  if (starts.empty() || starts[0].overflow == 0)
    return {starts.empty() ? graph.order : std::move(starts[0].schedule)};
  std::vector<RematSchedule> result;
  for (Start &start : starts)
    result.push_back(start.schedule);
  size_t numGiven = starts.size();
  BoundaryProblem boundary(graph, bound.position, {!options.fixedOrder});
  for (double part : {0.97, 0.94, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5}) {
    BoundaryResult tighter =
        boundary.solve(int64_t(double(budgetBytes) * part), bound.result.price);
    if (tighter.infeasible)
      break;
    add(tighter.within);
    if (starts.back().overflow == 0)
      break;
  }
  std::stable_sort(starts.begin() + int64_t(numGiven), starts.end(),
                   [](const Start &a, const Start &b) {
                     return a.overflow != b.overflow ? a.overflow < b.overflow
                                                     : a.cost < b.cost;
                   });
  for (size_t k = numGiven; k < starts.size() && k < numGiven + 3; ++k)
    result.push_back(std::move(starts[k].schedule));
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
  return best;
}
