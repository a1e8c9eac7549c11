//===- Bodies.h - Building bodies of train ops ------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A body is written with an OpEmitter, as a formula in standard ONNX ops. It
// reads the operands it is given, and of the op itself only attributes, static
// shapes and the values of host operands.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_TRAIN_IR_BODIES_H
#define LOWTIDE_DIALECT_TRAIN_IR_BODIES_H

#include "lowtide/Dialect/Onnx/IR/OpEmitter.h"
#include "lowtide/Dialect/Train/IR/Train.h"

namespace lowtide::train {

using Values = llvm::SmallVector<mlir::Value>;

/// All axes but `axis`.
inline llvm::SmallVector<int64_t> axesWithout(int64_t rank, int64_t axis) {
  llvm::SmallVector<int64_t> axes = onnx::iota(rank);
  axes.erase(axes.begin() + axis);
  return axes;
}

/// `shape` with a 1 inserted before `axis`.
inline llvm::SmallVector<int64_t> withAxis(llvm::ArrayRef<int64_t> shape,
                                           int64_t axis) {
  llvm::SmallVector<int64_t> wider(shape);
  wider.insert(wider.begin() + axis, 1);
  return wider;
}

/// The adjoint of a gather: `updates` are added to zeros of `shape` at
/// `indices` along `axis`. Indices may be negative and of any integer type.
mlir::Value addAtIndices(onnx::OpEmitter &e, mlir::Value updates,
                         mlir::Value indices, llvm::ArrayRef<int64_t> shape,
                         int64_t axis);

/// The adjoint of windows: places of `dy` spread by `weights` over an input
/// of `inputShape`. What windows reached past the input is dropped.
mlir::Value spreadWindows(onnx::OpEmitter &e, mlir::Value dy,
                          mlir::Value weights,
                          llvm::ArrayRef<int64_t> inputShape,
                          llvm::ArrayRef<int64_t> strides,
                          llvm::ArrayRef<int64_t> dilations,
                          llvm::ArrayRef<int64_t> padsBegin, int64_t group);

} // namespace lowtide::train

#endif // LOWTIDE_DIALECT_TRAIN_IR_BODIES_H
