//===- Matrix.cpp - Reverse rules of matrix products ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// For Y = A B: dA = dY B' and dB = A' dY. Transposes are said by Gemm's flags
// wherever the product is one of plain matrices, so that no transposed copy
// exists. A right operand that a whole batch shares, as a weight is, makes one
// plain product of the flattened batch: its gradient is summed by that product,
// and a batch of weight gradients never exists. Vectors count as matrices of
// one row (left) or one column (right).
//
// Tested by test/Rules/gradient-matrix.mlir.
//
//===----------------------------------------------------------------------===//

#include "GradientRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

namespace {
/// The operands and the adjoint of a product, all of rank 2 or more.
struct Product {
  Value a, b, dy;
};
} // namespace

static Product asMatrices(MatMulOp op, GradientScope &g) {
  SmallVector<int64_t> a(shapeOf(op.getLhs())), b(shapeOf(op.getRhs()));
  SmallVector<int64_t> dy(shapeOf(g.dy()));
  bool row = a.size() == 1, column = b.size() == 1;
  if (row)
    a.insert(a.begin(), 1);
  if (column)
    b.push_back(1);
  if (row)
    dy.insert(dy.end() - (column ? 0 : 1), 1);
  if (column)
    dy.push_back(1);
  return {g.e.reshape(op.getLhs(), a), g.e.reshape(op.getRhs(), b),
          g.e.reshape(g.dy(), dy)};
}

/// All dimensions but the last become one.
static Value asRows(OpEmitter &e, Value a) {
  int64_t columns = shapeOf(a).back();
  int64_t rows = elementCount(shapeOf(a).drop_back());
  return e.reshape(a, {rows, columns});
}

static void sharedRightRule(const Product &p, GradientScope &g) {
  Value dy = asRows(g.e, p.dy);
  if (g.wants(0))
    g.setReshaped(0, g.e.gemm(dy, p.b, false, true));
  if (g.wants(1))
    g.setReshaped(1, g.e.gemm(asRows(g.e, p.a), dy, true, false));
}

/// Sums a batch of matrix adjoints to the batch that the operand had.
static Value reduceBatch(OpEmitter &e, Value adjoint, Value matrix) {
  return e.reduceToShape(adjoint, shapeOf(matrix));
}

static LogicalResult matMulRule(MatMulOp op, GradientScope &g) {
  if (rankOf(op.getLhs()) == 1 && rankOf(op.getRhs()) == 1) {
    if (g.wants(0))
      g.set(0, g.e.mul(op.getRhs(), g.dy()));
    if (g.wants(1))
      g.set(1, g.e.mul(op.getLhs(), g.dy()));
    return success();
  }
  Product p = asMatrices(op, g);
  if (rankOf(p.b) == 2) {
    sharedRightRule(p, g);
    return success();
  }
  if (g.wants(0)) {
    Value da = g.e.matMul(p.dy, g.e.transposeMatrix(p.b));
    g.setReshaped(0, reduceBatch(g.e, da, p.a));
  }
  if (g.wants(1)) {
    Value db = g.e.matMul(g.e.transposeMatrix(p.a), p.dy);
    g.setReshaped(1, reduceBatch(g.e, db, p.b));
  }
  return success();
}

static LogicalResult gemmRule(GemmOp op, GradientScope &g) {
  Value a = op.getA(), b = op.getB(), dy = g.dy();
  bool transA = op.getTransA(), transB = op.getTransB();
  float alpha = op.getAlpha().convertToFloat();
  if (g.wants(0))
    g.set(0, transA ? g.e.gemm(b, dy, transB, true, alpha)
                    : g.e.gemm(dy, b, false, !transB, alpha));
  if (g.wants(1))
    g.set(1, transB ? g.e.gemm(dy, a, true, transA, alpha)
                    : g.e.gemm(a, dy, !transA, false, alpha));
  if (g.wants(2)) {
    Value sum = g.e.reduceToShape(dy, shapeOf(op.getC()));
    g.set(2, g.e.scale(sum, op.getBeta().convertToFloat()));
  }
  return success();
}

void lowtide::attachMatrixRules(MLIRContext *c) {
  attachRule<MatMulOp, matMulRule>(c);
  attachRule<GemmOp, gemmRule>(c);
}
