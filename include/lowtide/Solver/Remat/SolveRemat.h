//===- SolveRemat.h - The rematerialization solver --------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
//   RematOptions options;
//   options.budgetBytes = percentOfPeak(storeAllPeak, 50);
//   RematResult result = solveRemat(problem, options);
//   if (result.hasPlan())
//     ... result.schedule, result.peakBytes, result.cost, result.boundCost
//   else
//     ... result.smallestFeasibleBytes, result.witnessOp
//
// The same problem and options give the same result again, unless the clock
// stopped a run: then `stoppedBy` is "clock". Every plan that is returned has
// passed `verifyPlan`.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_REMAT_SOLVEREMAT_H
#define LOWTIDE_SOLVER_REMAT_SOLVEREMAT_H

#include "lowtide/Solver/Remat/RematProblem.h"

namespace lowtide::solver {

enum class RematStatus { Optimal, Feasible, Infeasible, Timeout };

/// "optimal", "feasible", "infeasible" or "timeout".
const char *statusName(RematStatus status);

struct RematOptions {
  int64_t budgetBytes = 0;     ///< everything counted, resident bytes included
  bool fixedOrder = true;      ///< first runs keep the order of the problem
  double timeLimitSeconds = 0; ///< 0: none; it only stops a run early
  uint64_t seed = 0;
  int threads = 1; ///< never changes the result
  /// "auto" or a name of `rematAlgorithms()`.
  std::string algorithm = "auto";
  /// Scales the counted work; 1 is meant for a few seconds.
  double effort = 1;
};

struct RematResult {
  RematStatus status = RematStatus::Timeout;
  RematSchedule schedule; ///< empty without a plan
  int64_t peakBytes = 0;
  int64_t cost = 0;
  int64_t boundCost = 0; ///< proved: no plan within the budget costs less
  int64_t onceCost = 0;  ///< every op once
  int witnessOp = -1;    ///< proves or explains a refusal
  /// A budget that the same call surely meets; 0 when there is a plan.
  int64_t smallestFeasibleBytes = 0;
  int64_t floorBytes = 0; ///< proved: no budget below this can be met
  std::string stoppedBy;  ///< "done", "effort" or "clock"
  double seconds = 0;
  std::string error; ///< the problem or an option is wrong; nothing else set

  bool hasPlan() const {
    return status == RematStatus::Optimal || status == RematStatus::Feasible;
  }
  double increasePercent() const;
  double boundPercent() const;
  double gapPercent() const;
};

/// The cheapest plan found within the budget, with its proof.
RematResult solveRemat(const RematProblem &problem,
                       const RematOptions &options);

/// The plan with the least peak found; `options.budgetBytes` is not read.
/// `smallestFeasibleBytes` is its peak, `floorBytes` the proof below it.
RematResult minimizePeak(const RematProblem &problem,
                         const RematOptions &options);

/// A plan that is found at once and that `minimizePeak` never does worse than.
/// Budgets from its peak on are met without looking for the least peak.
RematResult easyPlan(const RematProblem &problem, const RematOptions &options);

struct ParetoPoint {
  int64_t budgetBytes = 0;
  RematResult result;
};

/// Plans from the least peak to the store-all peak in `numPoints` equal steps,
/// undominated and monotone: more bytes never cost more.
std::vector<ParetoPoint> paretoCurve(const RematProblem &problem,
                                     const RematOptions &options,
                                     int numPoints);

/// All names that `RematOptions::algorithm` takes besides "auto".
std::vector<std::string> rematAlgorithms();

/// A number no budget can go below, and the op that proves it.
struct RematFloor {
  int64_t bytes = 0;
  int op = -1;
};
RematFloor provedFloor(const RematProblem &problem);

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_REMAT_SOLVEREMAT_H
