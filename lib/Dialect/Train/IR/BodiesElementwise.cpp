//===- BodiesElementwise.cpp - Elementwise train ops in standard ops ------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Tested by test/Rules/gradients.test and test/Rules/bodies.test.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Bodies.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;
using namespace lowtide::train;

static Value zeroLike(OpEmitter &e, Value v) {
  return e.scalar(elementTypeOf(v), 0.0);
}

/// 1 - a * a.
static Value oneMinusSquare(OpEmitter &e, Value a) {
  return e.sub(e.scalar(elementTypeOf(a), 1.0), e.mul(a, a));
}

Values ReluGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value zero = zeroLike(e, v[0]);
  return {e.where(e.greater(v[1], zero), v[0], zero)};
}

Values LeakyReluGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value scaled = e.scale(v[0], getAlpha().convertToFloat());
  return {e.where(e.less(v[1], zeroLike(e, v[1])), scaled, v[0])};
}

Values SigmoidGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value rest = e.sub(e.scalar(elementTypeOf(v[1]), 1.0), v[1]);
  return {e.mul(v[0], e.mul(v[1], rest))};
}

Values TanhGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  return {e.mul(v[0], oneMinusSquare(e, v[1]))};
}

Values SoftplusGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  return {e.mul(v[0], e.sigmoid(v[1]))};
}

Values ErfGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value bell = e.exp(e.neg(e.mul(v[1], v[1])));
  return {e.mul(v[0], e.scale(bell, 2.0 * std::numbers::inv_sqrtpi))};
}

/// With the normal distribution P and density p: P(x) + x * p(x).
static Value geluSlope(OpEmitter &e, Value x) {
  Value erf = e.emit<ErfOp>(e.scale(x, std::sqrt(0.5)));
  Value distribution = e.scale(e.plus(erf, 1.0), 0.5);
  Value bell = e.exp(e.scale(e.mul(x, x), -0.5));
  Value density = e.scale(bell, std::numbers::inv_sqrtpi * std::sqrt(0.5));
  return e.add(distribution, e.mul(x, density));
}

/// With t = tanh(u), u = c * (x + 0.044715 * x^3):
/// (1 + t) / 2 + x / 2 * (1 - t^2) * u'.
static Value geluTanhSlope(OpEmitter &e, Value x) {
  const double c = std::sqrt(2.0) * std::numbers::inv_sqrtpi, k = 0.044715;
  Value square = e.mul(x, x);
  Value u = e.scale(e.mul(x, e.plus(e.scale(square, k), 1.0)), c);
  Value slopeOfU = e.scale(e.plus(e.scale(square, 3.0 * k), 1.0), c);
  Value t = e.tanh(u);
  Value inner = e.mul(e.mul(x, oneMinusSquare(e, t)), slopeOfU);
  return e.scale(e.add(e.plus(t, 1.0), inner), 0.5);
}

Values GeluGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  bool byTanh = getApproximate() == "tanh";
  return {e.mul(v[0], byTanh ? geluTanhSlope(e, v[1]) : geluSlope(e, v[1]))};
}

Values SqrtGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  return {e.div(v[0], e.scale(v[1], 2.0))};
}

Values EluGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value curve = e.scale(e.mul(v[0], e.exp(v[1])), getAlpha().convertToFloat());
  return {e.where(e.greater(v[1], zeroLike(e, v[1])), v[0], curve)};
}

Values HardSigmoidGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  double alpha = getAlpha().convertToFloat();
  Value ramp = e.plus(e.scale(v[1], alpha), getBeta().convertToFloat());
  Value zero = zeroLike(e, ramp), one = e.scalar(elementTypeOf(ramp), 1.0);
  Value inside = e.emit<AndOp>(e.greater(ramp, zero), e.less(ramp, one));
  return {e.where(inside, e.scale(v[0], alpha), zero)};
}

/// 0 below -3, 1 above 3, x / 3 + 1 / 2 between.
Values HardSwishGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Type element = elementTypeOf(v[0]);
  Value three = e.scalar(element, 3.0), minusThree = e.scalar(element, -3.0);
  Value slope = e.plus(e.over(v[1], 3.0), 0.5);
  Value upper = e.where(e.greater(v[1], three), v[0], e.mul(v[0], slope));
  return {e.where(e.less(v[1], minusThree), zeroLike(e, v[0]), upper)};
}

Values ClipGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value dx = v[0], zero = zeroLike(e, v[0]);
  if (isGiven(v[2]))
    dx = e.where(e.less(v[1], v[2]), zero, dx);
  if (isGiven(v[3]))
    dx = e.where(e.greater(v[1], v[3]), zero, dx);
  if (dx == v[0])
    dx = e.emit<IdentityOp>(dx);
  return {dx};
}

Values PowGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value zero = zeroLike(e, v[0]), exponent = v[2];
  Value power = e.pow(v[1], e.plus(exponent, -1.0));
  Value slope = e.where(e.equal(exponent, zero), zero, e.mul(power, exponent));
  return {e.mul(v[0], slope)};
}

Values MaxGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Type element = elementTypeOf(v[0]);
  Value many, own;
  for (auto [i, input] : llvm::enumerate(v.drop_front(2))) {
    Value attains = e.equal(input, v[1]);
    if (static_cast<int64_t>(i) == static_cast<int64_t>(getIndex()))
      own = attains;
    Value one = e.cast(attains, element);
    many = many ? e.add(many, one) : one;
  }
  assert(own && "the index names an operand");
  return {e.where(own, e.div(v[0], many), e.scalar(element, 0.0))};
}

Values SoftmaxGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  int64_t axis = getAxis();
  Value sum = e.reduceSum(e.mul(v[0], v[1]), axis, true);
  return {e.mul(v[1], e.sub(v[0], sum))};
}

Values LogSoftmaxGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  int64_t axis = getAxis();
  Value sum = e.reduceSum(v[0], axis, true);
  return {e.sub(v[0], e.mul(e.exp(v[1]), sum))};
}
