//===- BuildStep.h - A training step from a forward graph -------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// From form F1 to F2: the loss, the backward graph, the optimizer's updates and
// the state they need, in one function. docs/Architecture.md states the form.
//
// Tested by test/Transforms/build-step.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TRANSFORMS_BUILDSTEP_H
#define LOWTIDE_TRANSFORMS_BUILDSTEP_H

#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Rules/Step.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace lowtide {

struct StepOptions {
  enum class Loss { CrossEntropy, MeanSquaredError, Output };
  Loss loss = Loss::CrossEntropy;
  /// The output that the loss reads (or is); empty for the only one.
  std::string output;
  int64_t classAxis = 1;
  OptimizerSpec optimizer;
  /// Glob patterns of the initializers to train; empty for all floating ones.
  std::vector<std::string> wrt;
  TrainingMode trainingMode = TrainingMode::Keep;
};

/// Rewrites the forward graph `function` (static shapes) into a training step.
/// Fails with a diagnostic at every op on a path from a trained parameter to
/// the loss that has no gradient, all in one run, and changes nothing that
/// could be used afterwards.
mlir::LogicalResult buildStep(mlir::func::FuncOp function,
                              const StepOptions &options);

} // namespace lowtide

#endif // LOWTIDE_TRANSFORMS_BUILDSTEP_H
