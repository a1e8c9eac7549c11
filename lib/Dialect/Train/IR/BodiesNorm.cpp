//===- BodiesNorm.cpp - Normalisations in standard ops --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// With n = (x - mean) * inv_std over the reduced axes and d = dy * scale:
//
//   dx = inv_std * (d - mean(d) - n * mean(d * n))
//
// Tested by test/Rules/gradients.test and test/Rules/bodies.test.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Bodies.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;
using namespace lowtide::train;

namespace {
/// Mean and 1 / standard deviation with kept axes, and n.
struct Normalized {
  Value mean, invStd, value;
};
} // namespace

static Normalized normalize(OpEmitter &e, Value x, ArrayRef<int64_t> axes,
                            double epsilon) {
  Value mean = e.reduceMean(x, axes, true);
  Value centered = e.sub(x, mean);
  Value variance = e.reduceMean(e.mul(centered, centered), axes, true);
  Value invStd = e.reciprocal(e.sqrt(e.plus(variance, epsilon)));
  return {mean, invStd, e.mul(centered, invStd)};
}

/// dx for `d`, the adjoint of n.
static Value normalizedGrad(OpEmitter &e, Value d, Value n, Value invStd,
                            ArrayRef<int64_t> axes) {
  Value mean = e.reduceMean(d, axes, true);
  Value slope = e.mul(n, e.reduceMean(e.mul(d, n), axes, true));
  return e.mul(e.sub(e.sub(d, mean), slope), invStd);
}

/// The shape of one number for each channel, as it broadcasts to x.
static SmallVector<int64_t> channelShape(Value x) {
  SmallVector<int64_t> shape(rankOf(x), 1);
  shape[1] = shapeOf(x)[1];
  return shape;
}

Values BatchNormOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  SmallVector<int64_t> shape = channelShape(v[0]);
  int64_t channels = shape[1];
  Normalized n = normalize(e, v[0], axesWithout(rankOf(v[0]), 1),
                           getEpsilon().convertToDouble());
  Value y =
      e.add(e.mul(n.value, e.reshape(v[1], shape)), e.reshape(v[2], shape));
  return {y, e.reshape(n.mean, channels), e.reshape(n.invStd, channels)};
}

Values BatchNormGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value dy = v[0], x = v[1];
  SmallVector<int64_t> shape = channelShape(x);
  SmallVector<int64_t> axes = axesWithout(rankOf(x), 1);
  Value invStd = e.reshape(v[4], shape);
  Value n = e.mul(e.sub(x, e.reshape(v[3], shape)), invStd);
  Value dscale = e.reduceSum(e.mul(dy, n), axes, false);
  Value dbias = e.reduceSum(dy, axes, false);
  Value d = e.mul(dy, e.reshape(v[2], shape));
  return {normalizedGrad(e, d, n, invStd, axes), dscale, dbias};
}

/// running * momentum + batch * (1 - momentum).
static Value movingAverage(OpEmitter &e, Value running, Value batch,
                           double momentum) {
  return e.add(e.scale(running, momentum), e.scale(batch, 1.0 - momentum));
}

Values RunningUpdateOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  return {movingAverage(e, v[0], e.cast(v[1], elementTypeOf(v[0])),
                        getMomentum().convertToDouble())};
}

Values RunningVarianceUpdateOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value variance =
      e.plus(e.reciprocal(e.mul(v[1], v[1])), -getEpsilon().convertToDouble());
  return {movingAverage(e, v[0], e.cast(variance, elementTypeOf(v[0])),
                        getMomentum().convertToDouble())};
}

Values LayerNormOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  int64_t rank = rankOf(v[0]);
  int64_t axis = normalizeAxis(getAxis(), rank).value_or(0);
  Normalized n = normalize(e, v[0], iota(rank - axis, axis),
                           getEpsilon().convertToDouble());
  Value y = e.mul(n.value, v[1]);
  if (isGiven(v[2]))
    y = e.add(y, v[2]);
  return {y, n.mean, n.invStd};
}

Values LayerNormGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value dy = v[0], scale = v[2], invStd = v[4];
  int64_t rank = rankOf(v[1]);
  int64_t axis = normalizeAxis(getAxis(), rank).value_or(0);
  Value n = e.mul(e.sub(v[1], v[3]), invStd);
  Value dscale = e.reduceToShape(e.mul(dy, n), shapeOf(scale));
  Value dbias = e.reduceToShape(dy, shapeOf(scale));
  Value dx =
      normalizedGrad(e, e.mul(dy, scale), n, invStd, iota(rank - axis, axis));
  return {dx, dscale, dbias};
}

/// Sums `before` channels in front of each one to `after` behind it.
static Value channelWindowSum(OpEmitter &e, Value v, int64_t before,
                              int64_t after) {
  SmallVector<int64_t> pads(2 * rankOf(v), 0);
  pads[1] = before;
  pads[1 + rankOf(v)] = after;
  Value padded = e.pad(v, pads), sum;
  int64_t channels = shapeOf(v)[1];
  for (int64_t i = 0; i <= before + after; ++i) {
    Value part = e.slice(padded, i, i + channels, 1);
    sum = sum ? e.add(sum, part) : part;
  }
  return sum;
}

/// y = x * D^-beta, D = bias + alpha / size * (sum of x^2 over the window).
/// An x is in the windows of its neighbours too, mirrored:
/// dx = dy * D^-beta - 2 * alpha * beta / size * x * sum(dy * x * D^(-beta-1)).
Values LrnGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value dy = v[0], x = v[1];
  Type element = elementTypeOf(x);
  int64_t size = getSize(), before = (size - 1) / 2, after = size - 1 - before;
  double alpha = getAlpha().convertToDouble(),
         beta = getBeta().convertToDouble();
  double share = alpha / static_cast<double>(size);
  Value squares = channelWindowSum(e, e.mul(x, x), before, after);
  Value d = e.plus(e.scale(squares, share), getBias().convertToDouble());
  Value direct = e.mul(dy, e.pow(d, e.scalar(element, -beta)));
  Value through =
      channelWindowSum(e, e.div(e.mul(direct, x), d), after, before);
  return {e.sub(direct, e.scale(e.mul(x, through), 2.0 * share * beta))};
}
