//===- OrderOps.h - The order of ops with the least peak --------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Finds a topological order of a remat problem in which every op runs once
// and the peak, as `simulate` counts it, is low: views, in-place donation,
// workspace, kept values and `after` edges are all honoured. The answer is
// never worse than the order of the problem.
//
// Tested by test/unit/Solver/Schedule/OrderOpsTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_SCHEDULE_ORDEROPS_H
#define LOWTIDE_SOLVER_SCHEDULE_ORDEROPS_H

#include "lowtide/Solver/Remat/RematProblem.h"

#include "llvm/ADT/StringRef.h"

namespace lowtide::solver {

/// `optimal` when the peak equals a proved bound, else `feasible`.
enum class OrderStatus { Optimal, Feasible };

/// "optimal" or "feasible".
llvm::StringRef toString(OrderStatus status);

struct OrderOptions {
  /// Wall-clock limit; it only ends the work early.
  double timeLimitSeconds = 60.0;
  /// How much counted work may be spent; 1 is the default dose, about a
  /// second for 3,000 ops.
  double effort = 1.0;
};

struct OrderResult {
  OrderStatus status = OrderStatus::Feasible;
  /// Op indices; the problem's own order where nothing better was found.
  std::vector<int> order;
  int64_t peakBytes = 0;
  int64_t inputOrderPeakBytes = 0;
  int64_t lowerBoundBytes = 0;
  /// True when the clock, not the counted effort, ended the work.
  bool stoppedByClock = false;
  /// Counted work: ops placed and looked at by the searches.
  uint64_t steps = 0;
};

/// The problem must pass `checkProblem`; fails only where it doesn't.
llvm::Expected<OrderResult> orderForLeastPeak(const RematProblem &problem,
                                              const OrderOptions &options = {});

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_SCHEDULE_ORDEROPS_H
