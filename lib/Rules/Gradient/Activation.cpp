//===- Activation.cpp - Reverse rules of functions of one operand ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// dx = dy * f'(x). Where f' is a function of the result y the rule reads y,
// which a later op often needs anyway, so that x dies early.
//
// Tested by test/Rules/gradient-activation.mlir.
//
//===----------------------------------------------------------------------===//

#include "GradientRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

/// dx is one train op of (dy, result).
template <typename OpT, typename GradT>
static LogicalResult resultGradRule(OpT op, GradientScope &g) {
  g.set(0, g.e.emit<GradT>(g.dy(), op->getResult(0)));
  return success();
}

/// dx is one train op of (dy, operand).
template <typename OpT, typename GradT>
static LogicalResult operandGradRule(OpT op, GradientScope &g) {
  g.set(0, g.e.emit<GradT>(g.dy(), op->getOperand(0)));
  return success();
}

static LogicalResult negRule(NegOp, GradientScope &g) {
  g.set(0, g.e.neg(g.dy()));
  return success();
}

static LogicalResult absRule(AbsOp op, GradientScope &g) {
  g.set(0, g.e.mul(g.dy(), g.e.emit<SignOp>(op.getInput())));
  return success();
}

static LogicalResult expRule(ExpOp op, GradientScope &g) {
  g.set(0, g.e.mul(g.dy(), op.getOutput()));
  return success();
}

static LogicalResult logRule(LogOp op, GradientScope &g) {
  g.set(0, g.e.div(g.dy(), op.getInput()));
  return success();
}

/// y' = -y^2.
static LogicalResult reciprocalRule(ReciprocalOp op, GradientScope &g) {
  Value y = op.getOutput();
  g.set(0, g.e.neg(g.e.mul(g.e.mul(g.dy(), y), y)));
  return success();
}

static LogicalResult sinRule(SinOp op, GradientScope &g) {
  g.set(0, g.e.mul(g.dy(), g.e.emit<CosOp>(op.getInput())));
  return success();
}

static LogicalResult cosRule(CosOp op, GradientScope &g) {
  g.set(0, g.e.neg(g.e.mul(g.dy(), g.e.emit<SinOp>(op.getInput()))));
  return success();
}

/// The sign of the result is the sign of the operand while alpha is positive.
static LogicalResult leakyReluRule(LeakyReluOp op, GradientScope &g) {
  bool fromResult = op.getAlpha().convertToDouble() > 0.0;
  g.set(0, g.e.emit<train::LeakyReluGradOp>(
               g.dy(), fromResult ? op.getOutput() : op.getInput(),
               op.getAlpha()));
  return success();
}

/// 1 / (1 + |x|) = 1 - |y|, and its square is the derivative.
static LogicalResult softsignRule(SoftsignOp op, GradientScope &g) {
  Value one = g.e.scalar(elementTypeOf(g.dy()), 1.0);
  Value root = g.e.sub(one, g.e.abs(op.getOutput()));
  g.set(0, g.e.mul(g.e.mul(g.dy(), root), root));
  return success();
}

static LogicalResult geluRule(GeluOp op, GradientScope &g) {
  g.set(0, g.e.emit<train::GeluGradOp>(g.dy(), op.getInput(),
                                       op.getApproximate()));
  return success();
}

static LogicalResult eluRule(EluOp op, GradientScope &g) {
  g.set(0, g.e.emit<train::EluGradOp>(g.dy(), op.getInput(), op.getAlpha()));
  return success();
}

static LogicalResult hardSigmoidRule(HardSigmoidOp op, GradientScope &g) {
  g.set(0, g.e.emit<train::HardSigmoidGradOp>(g.dy(), op.getInput(),
                                              op.getAlpha(), op.getBeta()));
  return success();
}

/// With t = tanh(softplus(x)): t + x * (1 - t^2) * sigmoid(x).
static LogicalResult mishRule(MishOp op, GradientScope &g) {
  Value x = op.getInput();
  Value t = g.e.tanh(g.e.emit<SoftplusOp>(x));
  Value slope = g.e.sub(g.e.scalar(elementTypeOf(x), 1.0), g.e.mul(t, t));
  Value inner = g.e.mul(g.e.mul(slope, x), g.e.sigmoid(x));
  g.set(0, g.e.mul(g.e.add(inner, t), g.dy()));
  return success();
}

/// The difference is passed on in the operand's precision.
static LogicalResult castRule(CastOp op, GradientScope &g) {
  Type from = elementTypeOf(op.getInput());
  if (isa<FloatType>(from) && isa<FloatType>(op.getTo()))
    g.set(0, g.e.cast(g.dy(), from));
  return success();
}

/// A value at a bound still passes dy. A bound gets what it replaced.
static LogicalResult clipRule(ClipOp op, GradientScope &g) {
  Value x = op.getInput(), min = op.getMin(), max = op.getMax();
  for (Value bound : {min, max})
    if (isGiven(bound) && elementCount(shapeOf(bound)) != 1)
      return g.unsupported("a bound isn't a single number");
  if (g.wants(0))
    g.set(0, g.e.emit<train::ClipGradOp>(g.dy(), x, min, max));
  Value zero = g.e.scalar(elementTypeOf(x), 0.0);
  if (g.wants(1)) {
    Value below = g.e.less(x, min);
    g.setReduced(1, g.e.where(below, g.dy(), zero));
  }
  if (g.wants(2)) {
    Value above = g.e.greater(x, max);
    g.setReduced(2, g.e.where(above, g.dy(), zero));
  }
  return success();
}

void lowtide::attachActivationRules(MLIRContext *c) {
  attachRule<NegOp, negRule>(c);
  attachRule<AbsOp, absRule>(c);
  attachRule<ExpOp, expRule>(c);
  attachRule<LogOp, logRule>(c);
  attachRule<ReciprocalOp, reciprocalRule>(c);
  attachRule<SinOp, sinRule>(c);
  attachRule<CosOp, cosRule>(c);
  attachRule<SqrtOp, resultGradRule<SqrtOp, train::SqrtGradOp>>(c);
  attachRule<ReluOp, resultGradRule<ReluOp, train::ReluGradOp>>(c);
  attachRule<SigmoidOp, resultGradRule<SigmoidOp, train::SigmoidGradOp>>(c);
  attachRule<TanhOp, resultGradRule<TanhOp, train::TanhGradOp>>(c);
  attachRule<SoftplusOp, operandGradRule<SoftplusOp, train::SoftplusGradOp>>(c);
  attachRule<ErfOp, operandGradRule<ErfOp, train::ErfGradOp>>(c);
  attachRule<HardSwishOp, operandGradRule<HardSwishOp, train::HardSwishGradOp>>(
      c);
  attachRule<LeakyReluOp, leakyReluRule>(c);
  attachRule<SoftsignOp, softsignRule>(c);
  attachRule<GeluOp, geluRule>(c);
  attachRule<EluOp, eluRule>(c);
  attachRule<HardSigmoidOp, hardSigmoidRule>(c);
  attachRule<MishOp, mishRule>(c);
  attachRule<CastOp, castRule>(c);
  attachRule<ClipOp, clipRule>(c);
  attachZeroRules<SignOp, FloorOp, CeilOp, RoundOp, NotOp, IsNaNOp>(c);
}
