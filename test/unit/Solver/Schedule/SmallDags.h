//===- SmallDags.h - All small problems, and brute force --------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TEST_UNIT_SOLVER_SCHEDULE_SMALLDAGS_H
#define LOWTIDE_TEST_UNIT_SOLVER_SCHEDULE_SMALLDAGS_H

#include "lowtide/Solver/Remat/RematProblem.h"

namespace lowtide::test {

/// What a small problem has besides ops, values and edges.
enum class DagFeatures { Plain, All };

/// The problem whose op i reads what op j < i makes iff bit i * (i - 1) / 2 +
/// j of `edges` is set. Sizes, workspace and, with `All`, kept values, views,
/// in-place pairs, second outputs and `after` edges follow from the seed.
solver::RematProblem makeSmallDag(int numOps, uint64_t edges, uint64_t seed,
                                  DagFeatures features);

/// The least peak over all topological orders, by trying every one of them
/// under `simulate`.
int64_t leastPeakByForce(const solver::RematProblem &problem);

} // namespace lowtide::test

#endif // LOWTIDE_TEST_UNIT_SOLVER_SCHEDULE_SMALLDAGS_H
