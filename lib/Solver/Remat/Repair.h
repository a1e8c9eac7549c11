//===- Repair.h - From too many bytes to a plan that fits -------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_REPAIR_H
#define LOWTIDE_LIB_SOLVER_REMAT_REPAIR_H

#include "SequenceEditor.h"
#include "WorkLimit.h"

#include <limits>
#include <random>

namespace lowtide::solver {

struct RepairOptions {
  /// First price per byte and step; 0: derived from the problem.
  double firstPrice = 0;
  double priceGrowth = 1.6;
  /// Gives up once the extra cost is at least this.
  double maxExtra = std::numeric_limits<double>::infinity();
  /// Scores are multiplied by 1 +- noise where a generator is given.
  std::mt19937_64 *random = nullptr;
  double noise = 0;
};

/// Recomputes until no step is over the budget of the sequence. False when it
/// got stuck or ran out of work; the sequence is valid either way. The changes
/// are part of the editor's open move. `lastPrice` gets the price it ended at.
bool repairOverflow(Sequence &sequence, SequenceEditor &editor,
                    const RepairOptions &options, WorkLimit &limit,
                    double *lastPrice = nullptr);

/// Drops recomputed instances that the budget has room to do without, the
/// dearest first; part of the editor's open move.
void dropNeedless(Sequence &sequence, SequenceEditor &editor, WorkLimit &limit);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_REPAIR_H
