//===- Repair.h - From too many bytes to a plan that fits -------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_REPAIR_H
#define LOWTIDE_LIB_SOLVER_REMAT_REPAIR_H

#include "SequenceEditor.h"
#include "WorkLimit.h"

namespace lowtide::solver {

struct RepairOptions {
  /// First price per byte and step; 0: derived from the problem.
  double firstPrice = 0;
  double priceGrowth = 1.6;
};

/// Recomputes until no step is over the budget of `sequence`. False when it
/// got stuck or ran out of work; the sequence is valid either way.
bool repairOverflow(Sequence &sequence, const RepairOptions &options,
                    WorkLimit &limit);

/// Drops recomputed instances that the budget has room to do without, the
/// dearest first.
void dropNeedless(Sequence &sequence, WorkLimit &limit);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_REPAIR_H
