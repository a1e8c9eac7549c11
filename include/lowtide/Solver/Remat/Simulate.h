//===- Simulate.h - Bytes and cost of a schedule ----------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One simulator judges every solver. `verifyPlan` answers the same question by
// a second, deliberately plain route and shares no code with it.
//
// Tested by test/unit/Solver/SimulateTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_REMAT_SIMULATE_H
#define LOWTIDE_SOLVER_REMAT_SIMULATE_H

#include "lowtide/Solver/Remat/RematProblem.h"

namespace lowtide::solver {

struct RematGraph;

struct Simulation {
  int64_t peakBytes = 0; ///< resident bytes and workspace included
  int64_t cost = 0;
  int peakStep = -1;              ///< first step that reaches the peak
  std::vector<int64_t> liveBytes; ///< per step, as `peakBytes` counts
};

struct SimulateOptions {
  /// First runs must come in the order of the problem.
  bool fixedOrder = false;
};

/// Peak and cost of `schedule`, or why it isn't a valid one. The problem must
/// pass `checkProblem`. O(steps + edges).
llvm::Expected<Simulation> simulate(const RematProblem &problem,
                                    const RematSchedule &schedule,
                                    SimulateOptions options = {});

/// The same for a problem that is prepared already.
llvm::Expected<Simulation> simulate(const RematGraph &graph,
                                    const RematSchedule &schedule,
                                    SimulateOptions options = {});

struct PlanClaim {
  int64_t peakBytes;
  int64_t cost;
};

/// Judges a schedule from the definitions, step by step, and compares it with
/// what a solver claims. Success, or the first thing that is wrong.
/// O(events * log events); run it in release builds too.
llvm::Error verifyPlan(const RematProblem &problem,
                       const RematSchedule &schedule, const PlanClaim &claim,
                       SimulateOptions options = {});

/// floor(peak * percent / 100), as percent budgets are defined.
int64_t percentOfPeak(int64_t peakBytes, double percent);

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_REMAT_SIMULATE_H
