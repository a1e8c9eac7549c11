//===- Step.h - Losses, optimizers, training forms --------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What a training step adds to a forward graph, op by op, so that the pass that
// builds the step names no op. Formulas of optimizers and their defaults are
// PyTorch's.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RULES_STEP_H
#define LOWTIDE_RULES_STEP_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectRegistry.h"

#include <string>

namespace lowtide {

/// Attaches TrainingFormOpInterface to the ops whose training differs from
/// their ONNX form: normalisations, dropout, losses.
void registerTrainingForms(mlir::DialectRegistry &registry);

/// The type of `target` for a loss on `output`: class labels (int64, the shape
/// without `classAxis`) or values like the output's. Null when the axis is out
/// of range.
mlir::RankedTensorType getCrossEntropyTargetType(mlir::RankedTensorType output,
                                                 int64_t classAxis);

/// The mean cross-entropy of `logits` against class labels; a scalar.
mlir::Value buildCrossEntropy(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value logits, mlir::Value target,
                              int64_t classAxis);
/// The mean squared difference; a scalar.
mlir::Value buildMeanSquaredError(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value output, mlir::Value target);

struct OptimizerSpec {
  enum class Kind { None, Sgd, AdamW };
  Kind kind = Kind::None;
  double learningRate = 1e-3;
  double momentum = 0;
  double weightDecay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  /// Suffixes of the state tensors of each parameter.
  llvm::SmallVector<llvm::StringRef> getStateNames() const;
  bool needsStepCounter() const { return kind == Kind::AdamW; }
};

/// The new parameter, then the new state tensors.
llvm::SmallVector<mlir::Value>
buildUpdate(mlir::OpBuilder &builder, mlir::Location loc,
            const OptimizerSpec &optimizer, mlir::Value parameter,
            mlir::Value gradient, mlir::ValueRange states, mlir::Value step);

} // namespace lowtide

#endif // LOWTIDE_RULES_STEP_H
