//===- Matrix.cpp - Operations of matrix products -------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A product is a multiplication and an addition for each element of the result
// and each step of the inner dimension: [2, 3] x [3, 4] takes 2 * 8 * 3.
//
// Tested by test/Rules/cost.mlir.
//
//===----------------------------------------------------------------------===//

#include "CostRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

static int64_t productFlops(Value result, int64_t inner) {
  return saturatingProduct({2, saturatingProduct(shapeOf(result)), inner});
}

static int64_t matMulFlops(MatMulOp op) {
  return productFlops(op.getOutput(), shapeOf(op.getLhs()).back());
}

static int64_t gemmFlops(GemmOp op) {
  ArrayRef<int64_t> a = shapeOf(op.getA());
  return productFlops(op.getOutput(), op.getTransA() ? a[0] : a[1]);
}

void lowtide::attachMatrixCosts(MLIRContext *c) {
  attachCounted<MatMulOp, matMulFlops, ComputeKind::MatMul>(c);
  attachCounted<GemmOp, gemmFlops, ComputeKind::MatMul>(c);
}
