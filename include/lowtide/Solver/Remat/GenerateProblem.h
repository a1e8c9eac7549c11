//===- GenerateProblem.h - Problems of any size, from a seed ----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The same arguments give the same problem on every machine.
//
// Tested by test/unit/Solver/GenerateProblemTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_REMAT_GENERATEPROBLEM_H
#define LOWTIDE_SOLVER_REMAT_GENERATEPROBLEM_H

#include "lowtide/Solver/Remat/RematProblem.h"

namespace lowtide::solver {

/// A chain of `numLayers` layers: 2 * numLayers + 1 ops of cost and size 1; op
/// i reads op i - 1 and the backward op numLayers + k, k = 1..., also reads op
/// numLayers - k.
RematProblem generateChain(int numLayers);

/// A training step of a transformer with about `numOps` ops: forward, backward
/// and in-place updates that come after every reader of the old parameter.
/// Costs vary a little from layer to layer.
RematProblem generateTransformer(int numOps, uint64_t seed);

/// A random layered graph without a backward sweep.
RematProblem generateRandom(int numOps, uint64_t seed);

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_REMAT_GENERATEPROBLEM_H
