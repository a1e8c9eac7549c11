//===- Arithmetic.cpp - Reverse rules of broadcast elementwise ops --------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// An operand that was broadcast gets the sum over all places it went to. For
// [3, 4] + [4] the adjoint of the second operand is the column sums of dy.
//
// Tested by test/Rules/gradient-arithmetic.mlir.
//
//===----------------------------------------------------------------------===//

#include "GradientRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

static LogicalResult addRule(AddOp, GradientScope &g) {
  for (unsigned i : {0u, 1u})
    if (g.wants(i))
      g.setReduced(i, g.dy());
  return success();
}

/// Negates after the sum, on the smaller tensor.
static LogicalResult subRule(SubOp op, GradientScope &g) {
  if (g.wants(0))
    g.setReduced(0, g.dy());
  if (g.wants(1))
    g.set(1, g.e.neg(g.e.reduceToShape(g.dy(), shapeOf(op.getRhs()))));
  return success();
}

static LogicalResult mulRule(MulOp op, GradientScope &g) {
  if (g.wants(0))
    g.setReduced(0, g.e.mul(g.dy(), op.getRhs()));
  if (g.wants(1))
    g.setReduced(1, g.e.mul(g.dy(), op.getLhs()));
  return success();
}

/// With y = a / b: da = dy / b and db = -da * y, which reads y, not a.
static LogicalResult divRule(DivOp op, GradientScope &g) {
  Value quotient = g.e.div(g.dy(), op.getRhs());
  if (g.wants(0))
    g.setReduced(0, quotient);
  if (g.wants(1)) {
    Value sum = g.e.reduceToShape(g.e.mul(quotient, op.getOutput()),
                                  shapeOf(op.getRhs()));
    g.set(1, g.e.neg(sum));
  }
  return success();
}

/// da = dy * b * a^(b - 1) and db = dy * y * log(a); 0^b is flat in b.
static LogicalResult powRule(PowOp op, GradientScope &g) {
  Value base = op.getLhs(), exponent = op.getRhs();
  ArrayRef<int64_t> shape = shapeOf(op.getOutput());
  Type element = elementTypeOf(base);
  if (g.wants(0)) {
    Value b = g.e.cast(exponent, element);
    if (rankOf(b) != 0 && elementCount(shapeOf(b)) == 1)
      b = g.e.reshape(b, {});
    if (rankOf(b) != 0)
      b = g.e.expand(b, shape);
    g.setReduced(
        0, g.e.emit<train::PowGradOp>(g.dy(), g.e.expand(base, shape), b));
  }
  if (g.wants(1) && isa<FloatType>(elementTypeOf(exponent))) {
    Value zero = g.e.scalar(element, 0.0);
    Value log = g.e.where(g.e.equal(base, zero), zero, g.e.log(base));
    Value product = g.e.mul(g.e.mul(g.dy(), op.getOutput()), log);
    g.setReduced(1, g.e.cast(product, elementTypeOf(exponent)));
  }
  return success();
}

/// a mod b moves with a; what b does at the jumps has no derivative.
static LogicalResult modRule(ModOp op, GradientScope &g) {
  if (g.wants(1))
    return g.unsupported("Mod has no rule for its second operand");
  if (g.wants(0))
    g.setReduced(0, g.dy());
  return success();
}

static LogicalResult preluRule(PReluOp op, GradientScope &g) {
  Value x = op.getLhs(), slope = op.getRhs();
  Value zero = g.e.scalar(elementTypeOf(x), 0.0);
  Value negative = g.e.less(x, zero);
  if (g.wants(0))
    g.setReduced(0, g.e.where(negative, g.e.mul(g.dy(), slope), g.dy()));
  if (g.wants(1))
    g.setReduced(1, g.e.where(negative, g.e.mul(g.dy(), x), zero));
  return success();
}

static LogicalResult sumRule(SumOp op, GradientScope &g) {
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (g.wants(i))
      g.setReduced(i, g.dy());
  return success();
}

static LogicalResult meanRule(MeanOp op, GradientScope &g) {
  Value share = g.e.over(g.dy(), op->getNumOperands());
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (g.wants(i))
      g.setReduced(i, share);
  return success();
}

/// Operands that attain the result share dy evenly.
template <typename OpT>
static LogicalResult extremumRule(OpT op, GradientScope &g) {
  Value y = op->getResult(0);
  if (op->getNumOperands() == 1) {
    g.set(0, g.dy());
    return success();
  }
  SmallVector<Value> inputs;
  for (Value input : op->getOperands())
    inputs.push_back(g.e.expand(input, shapeOf(y)));
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (g.wants(i))
      g.setReduced(
          i, g.e.emit<train::MaxGradOp>(g.dy(), y, ValueRange(inputs), i));
  return success();
}

/// Selects and never multiplies: what wasn't chosen stays out, even a NaN.
static LogicalResult whereRule(WhereOp op, GradientScope &g) {
  Value zero = g.e.scalar(elementTypeOf(g.dy()), 0.0);
  if (g.wants(1))
    g.setReduced(1, g.e.where(op.getCondition(), g.dy(), zero));
  if (g.wants(2))
    g.setReduced(2, g.e.where(op.getCondition(), zero, g.dy()));
  return success();
}

static LogicalResult cumSumRule(CumSumOp op, GradientScope &g) {
  g.set(0, g.e.emit<CumSumOp>(g.dy(), op.getAxis(), op.getExclusive(),
                              op.getReverse() ? 0 : 1));
  return success();
}

void lowtide::attachArithmeticRules(MLIRContext *c) {
  attachRule<AddOp, addRule>(c);
  attachRule<SubOp, subRule>(c);
  attachRule<MulOp, mulRule>(c);
  attachRule<DivOp, divRule>(c);
  attachRule<PowOp, powRule>(c);
  attachRule<ModOp, modRule>(c);
  attachRule<PReluOp, preluRule>(c);
  attachRule<SumOp, sumRule>(c);
  attachRule<MeanOp, meanRule>(c);
  attachRule<MaxOp, extremumRule<MaxOp>>(c);
  attachRule<MinOp, extremumRule<MinOp>>(c);
  attachRule<WhereOp, whereRule>(c);
  attachRule<CumSumOp, cumSumRule>(c);
  attachZeroRules<AndOp, OrOp, XorOp, BitwiseXorOp, EqualOp, LessOp,
                  LessOrEqualOp, GreaterOp, GreaterOrEqualOp>(c);
}
