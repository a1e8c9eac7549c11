//===- KeepPlan.h - Plans that follow from what is kept ---------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_KEEPPLAN_H
#define LOWTIDE_LIB_SOLVER_REMAT_KEEPPLAN_H

#include "lowtide/Solver/Remat/RematGraph.h"

namespace lowtide::solver {

/// Every op of `recomputed` runs once more, just before its outputs are first
/// read after `position`. Ops that may not run again are left out.
RematSchedule justInTimePlan(const RematGraph &graph, int position,
                             const std::vector<int> &recomputed);

/// The position that splits the order into a first sweep and its return: the
/// step with the most values that are kept for later.
int turningPoint(const RematGraph &graph);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_KEEPPLAN_H
