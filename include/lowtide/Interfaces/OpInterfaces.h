//===- OpInterfaces.h - What passes may ask of an op ------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The C++ side of OpInterfaces.td.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_INTERFACES_OPINTERFACES_H
#define LOWTIDE_INTERFACES_OPINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace lowtide {

/// Rates of a device spec: dense matrix arithmetic, convolutions, and all the
/// rest, which memory bandwidth bounds.
enum class ComputeKind { Elementwise, MatMul, Conv };

/// How a graph's training-mode ops behave in the step: as the file says, all as
/// in training, or all as in evaluation.
enum class TrainingMode { Keep, Train, Eval };

/// What an op may use of the step that is being built.
class StepContext {
public:
  virtual ~StepContext() = default;
  virtual TrainingMode getTrainingMode() const = 0;
  /// The int64 scalars that key random draws; made on first use.
  virtual mlir::Value getSeed() = 0;
  virtual mlir::Value getStep() = 0;
  /// A number for a random op that no other op of the step has.
  virtual int64_t getUniqueOpId() = 0;
  /// Makes `updated` the next step's value of `statistic`, an argument of the
  /// step; null leaves it as it is. Either way it isn't trained. Does nothing
  /// when `statistic` isn't an argument.
  virtual void updateStatistic(mlir::Value statistic, mlir::Value updated) = 0;
};

} // namespace lowtide

#include "lowtide/Interfaces/OpInterfaces.h.inc"

#endif // LOWTIDE_INTERFACES_OPINTERFACES_H
