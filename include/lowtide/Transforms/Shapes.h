//===- Shapes.h - Bound dimensions and constant folding ---------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// From form F0 to F1: named dimensions get values, every shape becomes static,
// and what depends on shapes alone is computed now.
//
// Tested by test/Transforms/bind-dimensions.mlir, fold-constants.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TRANSFORMS_SHAPES_H
#define LOWTIDE_TRANSFORMS_SHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>

namespace lowtide {

/// Gives the named dimensions of the inputs their values and refines the types
/// of everything that follows, folding constants on the way. Names that no
/// input has are an error that lists those there are. Dimensions may stay
/// dynamic.
mlir::LogicalResult
bindDimensions(mlir::func::FuncOp function,
               const std::map<std::string, int64_t> &sizeByName);

/// Names of dimensions of the inputs that are still dynamic, each once.
llvm::SmallVector<std::string>
getUnboundDimensions(mlir::func::FuncOp function);

/// Computes `op` at compile time when its operands are constants, it draws no
/// random numbers and its result is small. Returns the constants that take the
/// results' place, or nothing. The builder stands at the op.
llvm::SmallVector<mlir::Value> foldToConstants(mlir::Operation *op,
                                               mlir::OpBuilder &builder);

/// Widens float32 to float64 everywhere: arguments, constants, attributes,
/// results.
mlir::LogicalResult convertToFloat64(mlir::func::FuncOp function);

/// Erases ops whose results nobody reads.
void eraseDeadOps(mlir::func::FuncOp function);

/// Leaves out optional results that nobody reads, so that they take no memory.
void dropUnreadResults(mlir::func::FuncOp function);

} // namespace lowtide

#endif // LOWTIDE_TRANSFORMS_SHAPES_H
