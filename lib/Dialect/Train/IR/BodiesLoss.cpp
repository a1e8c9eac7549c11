//===- BodiesLoss.cpp - Losses in standard ops ----------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A label picks one class along the class axis. With weights w of the picked
// classes, 0 for an ignored label, the loss of a label is w * (log of the sum
// of exponentials - the label's logit); `mean` divides the sum of losses by the
// sum of weights.
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
/// Labels as int64 in range, and their weights (null: all are 1).
struct Labels {
  Value ids;
  Value weights;
};
} // namespace

/// Ignored labels read class 0 with weight 0.
static Labels readLabels(OpEmitter &e, Value target, Value classWeights,
                         std::optional<int64_t> ignoreIndex, Type element) {
  Labels labels{e.cast(target, e.builder.getI64Type()), {}};
  Value kept;
  if (ignoreIndex) {
    Value ignored = e.equal(labels.ids, e.intScalar(*ignoreIndex));
    labels.ids = e.where(ignored, e.intScalar(0), labels.ids);
    kept = e.cast(e.emit<NotOp>(ignored), element);
  }
  if (isGiven(classWeights))
    labels.weights = e.emit<GatherOp>(classWeights, labels.ids, 0);
  if (kept)
    labels.weights = labels.weights ? e.mul(labels.weights, kept) : kept;
  return labels;
}

static Value sumAll(OpEmitter &e, Value v) {
  return e.reduceSum(v, iota(rankOf(v)), false);
}

static Value reduceLosses(OpEmitter &e, Value losses, Value weights,
                          StringRef reduction) {
  if (weights)
    losses = e.mul(losses, weights);
  if (reduction == "none")
    return losses;
  Value sum = sumAll(e, losses);
  if (reduction == "sum")
    return sum;
  if (weights)
    return e.div(sum, sumAll(e, weights));
  return e.over(sum, static_cast<double>(elementCount(shapeOf(losses))));
}

/// What each label's gradient is scaled by, in the labels' shape or scalar.
static Value labelScale(OpEmitter &e, Value dloss, const Labels &labels,
                        StringRef reduction) {
  Value scale = dloss;
  if (reduction == "mean") {
    double count = static_cast<double>(elementCount(shapeOf(labels.ids)));
    scale = labels.weights ? e.div(scale, sumAll(e, labels.weights))
                           : e.over(scale, count);
  }
  return labels.weights ? e.mul(labels.weights, scale) : scale;
}

/// Whether a class, along `axis` of `shape`, is the label's.
static Value isLabel(OpEmitter &e, Value ids, ArrayRef<int64_t> shape,
                     int64_t axis) {
  SmallVector<int64_t> along(shape.size(), 1);
  along[axis] = shape[axis];
  auto type = RankedTensorType::get({shape[axis]}, e.builder.getI64Type());
  Value classes = e.emit<RangeOp>(type, e.intScalar(0),
                                  e.intScalar(shape[axis]), e.intScalar(1));
  return e.equal(e.reshape(ids, withAxis(shapeOf(ids), axis)),
                 e.reshape(classes, along));
}

/// A scale for each label, seen along the class axis.
static Value alongClasses(OpEmitter &e, Value scale, int64_t axis) {
  return rankOf(scale) == 0 ? scale
                            : e.reshape(scale, withAxis(shapeOf(scale), axis));
}

Values SoftmaxCrossEntropyOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value logits = v[0];
  int64_t axis = getAxis();
  Labels labels =
      readLabels(e, v[1], v[2], getIgnoreIndex(), elementTypeOf(logits));
  ArrayRef<int64_t> labelShape = shapeOf(labels.ids);
  Value largest = e.reduceMax(logits, axis, true);
  Value shifted = e.sub(logits, largest);
  Value total = e.log(e.reduceSum(e.exp(shifted), axis, true));
  Value picked = e.emit<GatherElementsOp>(
      shifted, e.reshape(labels.ids, withAxis(labelShape, axis)), axis);
  Value losses = e.reshape(e.sub(total, picked), labelShape);
  return {reduceLosses(e, losses, labels.weights, getReduction())};
}

Values SoftmaxCrossEntropyGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value logits = v[1];
  int64_t axis = getAxis();
  Type element = elementTypeOf(logits);
  Labels labels = readLabels(e, v[2], v[3], getIgnoreIndex(), element);
  Value scale = labelScale(e, v[0], labels, getReduction());
  Value probability = e.emit<SoftmaxOp>(logits, axis);
  Value label = e.cast(isLabel(e, labels.ids, shapeOf(logits), axis), element);
  return {e.mul(e.sub(probability, label), alongClasses(e, scale, axis))};
}

Values NllLossGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Type element = elementTypeOf(v[0]);
  Labels labels = readLabels(e, v[1], v[2], getIgnoreIndex(), element);
  Value scale = e.neg(labelScale(e, v[0], labels, getReduction()));
  // The class axis is 1, or 0 for a single sample without a batch.
  int64_t axis = rankOf(labels.ids) == 0 ? 0 : 1;
  return {e.where(isLabel(e, labels.ids, getDataShape(), axis),
                  alongClasses(e, scale, axis), e.scalar(element, 0.0))};
}

Values MseOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value difference = e.sub(v[0], v[1]);
  Value square = e.mul(difference, difference);
  return {e.reduceMean(square, iota(rankOf(square)), false)};
}

Values MseGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  double count = static_cast<double>(elementCount(shapeOf(v[1])));
  return {e.mul(e.sub(v[1], v[2]), e.scale(v[0], 2.0 / count))};
}
