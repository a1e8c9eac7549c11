//===- SmallPackings.h - All small packings, and brute force ----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TEST_UNIT_SOLVER_PACKING_SMALLPACKINGS_H
#define LOWTIDE_TEST_UNIT_SOLVER_PACKING_SMALLPACKINGS_H

#include "lowtide/Solver/Packing/PackingProblem.h"

#include <functional>

namespace lowtide::test {

/// Calls `visit` with every multiset of `numBuffers` buffers whose life lies
/// within [0, numTimes) and whose size is 1..maxSize.
void forEachSmallPacking(
    int numBuffers, int numTimes, int maxSize,
    const std::function<void(const solver::PackingProblem &)> &visit);

/// The least height, found by trying every offset of every buffer. Knows
/// alignment, pins, gaps, groups and alias sets from their definitions only.
int64_t leastHeightByForce(const solver::PackingProblem &problem);

} // namespace lowtide::test

#endif // LOWTIDE_TEST_UNIT_SOLVER_PACKING_SMALLPACKINGS_H
