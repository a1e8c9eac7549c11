//===- PlanStep.h - Order, recomputation, addresses -------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// From form F2 to F4. Every part extracts a plain problem, has a solver answer
// it, checks the answer by independent means and applies it:
//
//   order        the op order with the least peak
//   budget       which values to drop and recompute, and when
//   addresses    an offset for every value and workspace
//
// docs/Architecture.md states the forms, docs/MemoryModel.md what is counted.
//
// Tested by test/Transforms/{rematerialize,assign-offsets}.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TRANSFORMS_PLANSTEP_H
#define LOWTIDE_TRANSFORMS_PLANSTEP_H

#include "lowtide/Analysis/StepMemory.h"
#include "lowtide/Solver/Packing/PackBuffers.h"
#include "lowtide/Solver/Remat/SolveRemat.h"

#include <functional>
#include <variant>

namespace lowtide {

/// The rematerialization problem of a step: one op for each op that does work,
/// one value for each storage that isn't resident, in the step's order.
solver::RematProblem extractRematProblem(const StepMemory &memory);

/// Rearranges the function so that its working ops run in the order of
/// `schedule` (indices into `memory.getOps()`); a second run of an op becomes a
/// clone that carries `plan.recompute_of`.
void applySchedule(mlir::func::FuncOp function, const StepMemory &memory,
                   const solver::RematSchedule &schedule);

/// The inverse: readers of clones read the original, and the clones are gone.
void removeClones(mlir::func::FuncOp function);

/// The dose of packing work that planning takes: little, since a step's buffers
/// nearly always fit into the most bytes alive at once. Asking whether a
/// schedule fits and placing it must use the same.
solver::PackingOptions packingOptions();

/// Gives every value and workspace its place in one arena, in the order the
/// function has now. Fails where the packing solver does.
mlir::LogicalResult assignOffsets(mlir::func::FuncOp function,
                                  const StepMemory &memory);

/// Re-checks the places of a function in form F4 against a fresh analysis:
/// aligned, inside the arena, and apart wherever two are live together.
mlir::LogicalResult verifyPlaces(mlir::func::FuncOp function,
                                 const StepMemory &memory);

/// A budget: bytes, a percentage of the store-all peak, or the least that can
/// be found.
struct StoreAllBudget {};
struct ByteBudget {
  int64_t bytes;
};
struct PercentBudget {
  double percent;
};
struct LeastBudget {};
using Budget =
    std::variant<StoreAllBudget, ByteBudget, PercentBudget, LeastBudget>;

struct PlanOptions {
  Budget budget = StoreAllBudget{};
  /// Keep the order of the file instead of looking for a leaner one.
  bool keepOrder = false;
  double timeLimitSeconds = 0; ///< 0: none.
  int threads = 1;
  uint64_t seed = 0;
  /// The smallest feasible budget of this step, where an earlier call with the
  /// same options has found it; planning within a budget needs it.
  std::optional<int64_t> leastArenaBytes;
  double effort = 1; ///< Scales the planner's counted work.
};

/// What planning found out; all bytes are of the whole arena.
struct PlanOutcome {
  /// Unplaced refusals have a status of infeasible or timeout.
  solver::RematStatus status = solver::RematStatus::Feasible;
  int64_t budgetBytes = 0; ///< 0 for a store-all plan.
  int64_t storeAllPeakBytes = 0;
  int64_t residentBytes = 0;
  int64_t floorBytes = 0;
  int64_t arenaBytes = 0;
  int64_t maxLiveBytes = 0;
  /// The smallest budget that the same command meets; one byte less is
  /// refused. 0 where it wasn't needed.
  int64_t smallestFeasibleBytes = 0;
  /// Of the plan at the smallest feasible budget; 0 where it wasn't made.
  int64_t leastCostPlanned = 0;
  int64_t leastCostBound = 0;
  int64_t costOnce = 0; ///< Picoseconds of the step without recomputation.
  int64_t costPlanned = 0;
  int64_t costBound = 0;
  std::string forcedByNode;
  std::vector<std::string> forcedByTensors;
  std::string stoppedBy; ///< Empty, "effort" or "clock".

  bool hasPlan() const {
    return status == solver::RematStatus::Optimal ||
           status == solver::RematStatus::Feasible;
  }
};

/// 100 * (value / reference - 1); 0 without a reference.
double percentAbove(int64_t value, int64_t reference);

/// Plans the step and, when the budget can be met, leaves it in form F4;
/// otherwise the function is unchanged and the outcome says why. Fails with
/// diagnostics when the step can't be analyzed.
mlir::FailureOr<PlanOutcome> planStep(mlir::func::FuncOp function,
                                      const CostModel &costs,
                                      const runtime::Backend &backend,
                                      const PlanOptions &options);

} // namespace lowtide

#endif // LOWTIDE_TRANSFORMS_PLANSTEP_H
