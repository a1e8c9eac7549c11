//===- DynamicEviction.h - Plans made while running -------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_DYNAMICEVICTION_H
#define LOWTIDE_LIB_SOLVER_REMAT_DYNAMICEVICTION_H

#include "lowtide/Solver/Remat/RematGraph.h"

namespace lowtide::solver {

/// What a run-time that knows nothing of the future would do: evict when the
/// next op doesn't fit, recompute when an evicted value is read.
RematSchedule evictDynamically(const RematGraph &graph, int64_t budgetBytes);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_DYNAMICEVICTION_H
