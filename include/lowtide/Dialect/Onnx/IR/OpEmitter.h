//===- OpEmitter.h - Building onnx ops as formulas --------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Gradient rules and op bodies are formulas. The emitter builds each op at one
// insertion point and location, so that the code reads like the formula:
//
//   Value dx = e.mul(dy, e.sub(e.scalar(type, 1.0), e.mul(y, y)));
//
// All shapes are static. Constants are emitted where they are used; common
// subexpressions are the business of a later pass.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_ONNX_IR_OPEMITTER_H
#define LOWTIDE_DIALECT_ONNX_IR_OPEMITTER_H

#include "lowtide/Dialect/Onnx/IR/Onnx.h"

#include "mlir/IR/Builders.h"

namespace lowtide::onnx {

/// The static shape, rank, element type and element count of a tensor value.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
int64_t rankOf(mlir::Value value);
mlir::Type elementTypeOf(mlir::Value value);
int64_t elementCount(llvm::ArrayRef<int64_t> shape);

/// Whether an optional operand is given: neither null nor of type `none`.
bool isGiven(mlir::Value value);

/// The integers of a constant operand; nothing when it isn't a constant.
std::optional<llvm::SmallVector<int64_t>> constantInts(mlir::Value value);

/// 0, 1, ..., count - 1.
llvm::SmallVector<int64_t> iota(int64_t count, int64_t first = 0);

class OpEmitter {
public:
  OpEmitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  /// The first result of a new op with inferred result types.
  template <typename OpT, typename... Args>
  mlir::Value emit(Args &&...args) {
    return builder.create<OpT>(loc, std::forward<Args>(args)...)->getResult(0);
  }

  // Constants.
  mlir::Value none();
  mlir::Value ints(llvm::ArrayRef<int64_t> values);
  mlir::Value intScalar(int64_t value);
  /// A tensor of rank 0; integers and booleans are rounded towards zero.
  mlir::Value scalar(mlir::Type elementType, double value);
  mlir::Value filled(mlir::RankedTensorType type, double value);
  mlir::Value zeros(mlir::RankedTensorType type) { return filled(type, 0.0); }

  // Elementwise.
  mlir::Value add(mlir::Value a, mlir::Value b) { return emit<AddOp>(a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return emit<SubOp>(a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return emit<MulOp>(a, b); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return emit<DivOp>(a, b); }
  mlir::Value pow(mlir::Value a, mlir::Value b) { return emit<PowOp>(a, b); }
  mlir::Value neg(mlir::Value a) { return emit<NegOp>(a); }
  mlir::Value abs(mlir::Value a) { return emit<AbsOp>(a); }
  mlir::Value exp(mlir::Value a) { return emit<ExpOp>(a); }
  mlir::Value log(mlir::Value a) { return emit<LogOp>(a); }
  mlir::Value sqrt(mlir::Value a) { return emit<SqrtOp>(a); }
  mlir::Value tanh(mlir::Value a) { return emit<TanhOp>(a); }
  mlir::Value reciprocal(mlir::Value a) { return emit<ReciprocalOp>(a); }
  mlir::Value sigmoid(mlir::Value a) { return emit<SigmoidOp>(a); }
  mlir::Value equal(mlir::Value a, mlir::Value b) {
    return emit<EqualOp>(a, b);
  }
  mlir::Value less(mlir::Value a, mlir::Value b) { return emit<LessOp>(a, b); }
  mlir::Value greater(mlir::Value a, mlir::Value b) {
    return emit<GreaterOp>(a, b);
  }
  mlir::Value where(mlir::Value c, mlir::Value a, mlir::Value b) {
    return emit<WhereOp>(c, a, b);
  }
  /// The same value when it has the element type already.
  mlir::Value cast(mlir::Value a, mlir::Type elementType);
  /// A factor, addend or divisor of a's element type.
  mlir::Value scale(mlir::Value a, double factor);
  mlir::Value plus(mlir::Value a, double addend);
  mlir::Value over(mlir::Value a, double divisor);

  // Shapes. Each returns its operand when there is nothing to do.
  mlir::Value reshape(mlir::Value a, llvm::ArrayRef<int64_t> shape);
  mlir::Value expand(mlir::Value a, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value a, llvm::ArrayRef<int64_t> perm);
  /// Transposes the last two axes.
  mlir::Value transposeMatrix(mlir::Value a);
  mlir::Value concat(mlir::ValueRange values, int64_t axis);
  mlir::Value slice(mlir::Value a, llvm::ArrayRef<int64_t> starts,
                    llvm::ArrayRef<int64_t> ends, llvm::ArrayRef<int64_t> axes);
  /// One axis, from `start` to before `end`.
  mlir::Value slice(mlir::Value a, int64_t start, int64_t end, int64_t axis);
  /// Borders of `value` around: begins, then ends, for every axis.
  mlir::Value pad(mlir::Value a, llvm::ArrayRef<int64_t> pads,
                  double value = 0.0);

  // Reductions; no axes means nothing to reduce.
  mlir::Value reduceSum(mlir::Value a, llvm::ArrayRef<int64_t> axes,
                        bool keepDims);
  mlir::Value reduceMean(mlir::Value a, llvm::ArrayRef<int64_t> axes,
                         bool keepDims);
  mlir::Value reduceMax(mlir::Value a, llvm::ArrayRef<int64_t> axes,
                        bool keepDims);
  /// Sums a broadcast value back to the shape it was broadcast from: one
  /// ReduceSum over the expanded axes and a view, nothing when shapes agree.
  mlir::Value reduceToShape(mlir::Value a, llvm::ArrayRef<int64_t> shape);

  // Matrices.
  mlir::Value matMul(mlir::Value a, mlir::Value b) {
    return emit<MatMulOp>(a, b);
  }
  mlir::Value gemm(mlir::Value a, mlir::Value b, bool transA, bool transB,
                   float alpha = 1.0f);
};

} // namespace lowtide::onnx

#endif // LOWTIDE_DIALECT_ONNX_IR_OPEMITTER_H
