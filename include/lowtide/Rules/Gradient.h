//===- Gradient.h - Reverse rules of all ops --------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Attaches GradientOpInterface to the ops of the onnx and train dialects and
// AdjointDialectInterface to the onnx dialect. docs/Gradients.md lists the rule
// of every op and what it reads.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RULES_GRADIENT_H
#define LOWTIDE_RULES_GRADIENT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectRegistry.h"

namespace lowtide {

/// Takes effect once both dialects are loaded.
void registerGradientRules(mlir::DialectRegistry &registry);

/// Sums a broadcast value back to `type`, whose shape it was broadcast from:
/// one ReduceSum over the expanded axes and a view; the value itself when the
/// shapes agree.
mlir::Value reduceToShape(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::RankedTensorType type);

} // namespace lowtide

#endif // LOWTIDE_RULES_GRADIENT_H
