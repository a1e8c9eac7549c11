//===- LocalSearch.h - Cheaper plans by small changes -----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_LOCALSEARCH_H
#define LOWTIDE_LIB_SOLVER_REMAT_LOCALSEARCH_H

#include "Sequence.h"
#include "WorkLimit.h"

#include "lowtide/Solver/Remat/RematProblem.h"

namespace lowtide::solver {

struct LocalSearchOptions {
  uint64_t seed = 0;
  /// The search is over once the extra cost is this or less.
  double enough = 0;
  double firstPrice = 0; ///< of a repair; 0: unknown
};

/// Improves `schedule`, which fits into `budgetBytes`; returns the best
/// schedule seen, which fits as well.
RematSchedule improvePlan(const RematGraph &graph, int64_t budgetBytes,
                          const RematSchedule &schedule,
                          const LocalSearchOptions &options, WorkLimit &limit);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_LOCALSEARCH_H
