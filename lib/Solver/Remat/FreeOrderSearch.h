//===- FreeOrderSearch.h - Plans that may reorder ops -----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_FREEORDERSEARCH_H
#define LOWTIDE_LIB_SOLVER_REMAT_FREEORDERSEARCH_H

#include "WorkLimit.h"

#include "lowtide/Solver/Remat/RematGraph.h"

namespace lowtide::solver {

struct FreeOrderOptions {
  uint64_t seed = 0;
  double enough = 0; ///< extra cost at which the search is over
  /// May runs be added and taken away, or only moved?
  bool mayRecompute = true;
};

/// An order with a low peak, found by ever smaller budgets; never worse than
/// the order of the problem.
std::vector<int> findLeanOrder(const RematGraph &graph, uint64_t seed,
                               WorkLimit &limit);

/// Anneals over whole sequences: moves of any instance, runs added and taken
/// away. Returns the cheapest schedule seen that fits `budgetBytes`; without
/// one, the schedule with the least overflow.
RematSchedule searchFreeOrder(const RematGraph &graph, int64_t budgetBytes,
                              const RematSchedule &start,
                              const FreeOrderOptions &options,
                              WorkLimit &limit);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_FREEORDERSEARCH_H
