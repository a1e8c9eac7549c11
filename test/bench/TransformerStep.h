//===- TransformerStep.h - Buffers of a planned training step ---*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Makes the packing problem of one training step of a transformer, as a
// planner would hand it over: resident parameters and optimizer state at the
// bottom, activations from their op to the backward op that reads them last,
// layers that keep only their input and are recomputed in the backward pass,
// gradients that die in an early update, temporaries and workspace.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TEST_BENCH_TRANSFORMERSTEP_H
#define LOWTIDE_TEST_BENCH_TRANSFORMERSTEP_H

#include "lowtide/Solver/Packing/PackingProblem.h"

namespace lowtide::bench {

struct TransformerStepShape {
  int32_t layers = 24;
  /// Every `recomputeStride`-th layer keeps all it needs; the others keep
  /// their input. 1 keeps everything.
  int32_t recomputeStride = 3;
  /// Micro-batches, whose parameter gradients accumulate.
  int32_t microBatches = 1;
  /// Varies widths and sequence lengths by layer.
  uint64_t seed = 0;
};

solver::PackingProblem makeTransformerStep(const TransformerStepShape &shape);

} // namespace lowtide::bench

#endif // LOWTIDE_TEST_BENCH_TRANSFORMERSTEP_H
