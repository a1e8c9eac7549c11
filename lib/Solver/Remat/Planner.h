//===- Planner.h - The parts a solver run is made of ------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_PLANNER_H
#define LOWTIDE_LIB_SOLVER_REMAT_PLANNER_H

#include "WorkLimit.h"

#include "lowtide/Solver/Remat/BoundaryBound.h"
#include "lowtide/Solver/Remat/Simulate.h"
#include "lowtide/Solver/Remat/SolveRemat.h"

#include <optional>

namespace lowtide::solver {

/// A schedule with what the simulator says of it.
struct JudgedPlan {
  RematSchedule schedule;
  int64_t peakBytes = INT64_MAX;
  int64_t cost = INT64_MAX;

  bool isValid() const { return peakBytes != INT64_MAX; }
};

/// One run on one problem without views.
class Planner {
public:
  Planner(const RematGraph &graph, const RematOptions &options,
          Deadline &deadline)
      : graph(graph), options(options), deadline(deadline) {}

  JudgedPlan judge(RematSchedule schedule) const;

  /// Least peak the planner can reach; a function of the problem alone.
  JudgedPlan leastPeak();
  /// A cheap plan whose peak `leastPeak` never exceeds.
  JudgedPlan easyPlan();
  /// The best plan for `budgetBytes`, starting from `fallback` where nothing
  /// better fits; not valid when nothing does.
  JudgedPlan plan(int64_t budgetBytes, const BestBound &bound,
                  const JudgedPlan &fallback);

  /// The plan behind a boundary's choice, repaired.
  JudgedPlan fromChoice(int position, const BoundaryChoice &choice,
                        int64_t budgetBytes);
  /// Local search until the plan costs `enoughCost` or the work is done.
  JudgedPlan improved(const JudgedPlan &plan, int64_t budgetBytes,
                      int64_t enoughCost, int64_t work);

  /// The proved floor; sharper after `leastPeak` of a small problem.
  RematFloor floor();

private:
  RematFloor findFloor() const;
  void lowerByReordering(JudgedPlan &best);
  void lowerByBisection(JudgedPlan &best);
  struct Start;
  std::optional<Start> startFrom(int position, const BoundaryChoice &choice,
                                 int64_t budgetBytes) const;
  std::vector<RematSchedule> startsFrom(const BestBound &bound,
                                        int64_t budgetBytes);
  JudgedPlan repaired(const RematSchedule &start, int64_t budgetBytes,
                      int64_t work);
  JudgedPlan repaired(const RematSchedule &start, int64_t budgetBytes,
                      WorkLimit &limit);

  const RematGraph &graph;
  const RematOptions &options;
  Deadline &deadline;
  RematFloor knownFloor;
};

/// The plan of a named baseline; not valid where it doesn't apply.
JudgedPlan baselinePlan(const RematGraph &graph, const std::string &name,
                        int64_t budgetBytes, bool fixedOrder,
                        Deadline &deadline);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_PLANNER_H
