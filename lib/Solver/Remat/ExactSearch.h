//===- ExactSearch.h - Optimal schedules of small problems ------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_EXACTSEARCH_H
#define LOWTIDE_LIB_SOLVER_REMAT_EXACTSEARCH_H

#include "WorkLimit.h"

#include "lowtide/Solver/Remat/RematGraph.h"

#include <optional>

namespace lowtide::solver {

struct ExactOptions {
  bool fixedOrder = true;
  /// Least peak instead of least cost; the budget still holds.
  bool minimizePeak = false;
  int64_t maxStates = 300000;
};

struct ExactResult {
  /// Nothing better exists; without a schedule: nothing fits.
  bool isProved = false;
  std::optional<RematSchedule> schedule;
};

/// True when the problem is small and plain enough to try.
bool isExactSearchPossible(const RematGraph &graph);

/// The best schedule within `budgetBytes`; not proved when the states ran out.
ExactResult searchExactly(const RematGraph &graph, int64_t budgetBytes,
                          const ExactOptions &options, Deadline &deadline);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_EXACTSEARCH_H
