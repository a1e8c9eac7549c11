//===- UnitChain.h - Optimal plans of uniform chains ------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_UNITCHAIN_H
#define LOWTIDE_LIB_SOLVER_REMAT_UNITCHAIN_H

#include "lowtide/Solver/Remat/RematGraph.h"

#include <optional>

namespace lowtide::solver {

/// The number of layers when the problem is the chain that `generateChain`
/// makes, with any one cost and any one size for all ops; 0 otherwise.
int unitChainLayers(const RematGraph &graph);

/// t(l, s): least number of forward runs to reverse `length` steps with
/// `slots` stored states.
int64_t reversalRuns(int64_t length, int64_t slots);

/// An optimal schedule within `budgetBytes`; nothing when fewer than three
/// values fit.
std::optional<RematSchedule> planUnitChain(const RematGraph &graph,
                                           int64_t budgetBytes);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_UNITCHAIN_H
