//===- BruteForce.h - The truth about tiny problems -------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Written straight from the definitions and slow on purpose: all sets of ops
// that have run times all sets of values that are kept, relaxed until nothing
// gets cheaper. Shares nothing with the library but the problem struct.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TEST_UNIT_SOLVER_BRUTEFORCE_H
#define LOWTIDE_TEST_UNIT_SOLVER_BRUTEFORCE_H

#include "lowtide/Solver/Remat/RematProblem.h"

#include <optional>
#include <random>

namespace lowtide::solver::test {

/// The least cost of a schedule within the budget; nothing when none fits.
std::optional<int64_t> leastCost(const RematProblem &problem,
                                 int64_t budgetBytes, bool fixedOrder);

/// A DAG on `numOps` ops: bit (i, j), i < j, of `edges` says that j reads i.
/// Bytes, costs and the extras of schema /2 are drawn.
RematProblem drawProblem(int numOps, uint32_t edges, std::mt19937 &random,
                         bool withExtras);

} // namespace lowtide::solver::test

#endif // LOWTIDE_TEST_UNIT_SOLVER_BRUTEFORCE_H
