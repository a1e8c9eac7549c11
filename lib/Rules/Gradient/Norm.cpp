//===- Norm.cpp - Reverse rules of normalisations and dropout -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A training step holds the train forms, which hand their statistics over and
// draw from a named stream; their rules are one fused op each. The onnx forms
// that are left are those with constant statistics.
//
// Tested by test/Rules/gradient-norm.mlir.
//
//===----------------------------------------------------------------------===//

#include "GradientRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

/// Statistics are read by running averages only, which end the path.
static LogicalResult checkOnlyFirst(GradientScope &g, unsigned results) {
  for (unsigned i = 1; i < results; ++i)
    if (g.hasDy(i))
      return g.unsupported("the loss depends on its statistics");
  return success();
}

static void setWanted(GradientScope &g, Operation *grads) {
  for (unsigned i = 0; i < grads->getNumResults(); ++i)
    if (g.wants(i))
      g.set(i, grads->getResult(i));
}

static LogicalResult batchNormRule(train::BatchNormOp op, GradientScope &g) {
  if (failed(checkOnlyFirst(g, 3)))
    return failure();
  setWanted(g, g.e.builder.create<train::BatchNormGradOp>(
                   g.e.loc, g.dy(), op.getX(), op.getScale(), op.getMean(),
                   op.getInvStd()));
  return success();
}

static LogicalResult layerNormRule(train::LayerNormOp op, GradientScope &g) {
  if (failed(checkOnlyFirst(g, 3)))
    return failure();
  setWanted(g, g.e.builder.create<train::LayerNormGradOp>(
                   g.e.loc, g.dy(), op.getX(), op.getScale(), op.getMean(),
                   op.getInvStd(), op.getAxis()));
  return success();
}

static LogicalResult trainDropoutRule(train::DropoutOp op, GradientScope &g) {
  g.set(0, g.e.emit<train::DropoutGradOp>(g.dy(), op.getSeed(), op.getStep(),
                                          op.getRatio(), op.getOpId()));
  return success();
}

/// Outside training Dropout is the identity.
static LogicalResult dropoutRule(DropoutOp op, GradientScope &g) {
  auto training = constantInts(op.getTrainingMode());
  bool isIdentity = !isGiven(op.getTrainingMode()) ||
                    (training && training->size() == 1 && !training->front());
  if (!isIdentity)
    return g.unsupported("in training mode it must be a train.dropout");
  g.set(0, g.dy());
  return success();
}

/// y = (x - mean) * factor + bias with factor = scale / sqrt(var + epsilon),
/// all of them one number for each channel.
static LogicalResult inferenceNormRule(BatchNormalizationOp op,
                                       GradientScope &g) {
  if (op.getTrainingMode())
    return g.unsupported("in training mode it must be a train.batch_norm");
  if (rankOf(op.getX()) < 2)
    return g.unsupported("its data has no channels");
  OpEmitter &e = g.e;
  Value x = op.getX(), scale = op.getScale();
  Type element = elementTypeOf(x);
  SmallVector<int64_t> perChannel(rankOf(x), 1), axes = iota(rankOf(x));
  perChannel[1] = shapeOf(x)[1];
  axes.erase(axes.begin() + 1);
  Value variance = e.cast(op.getInputVar(), element);
  Value deviation = e.sqrt(e.plus(variance, op.getEpsilon().convertToFloat()));
  Value factor = e.div(e.cast(scale, element), deviation);
  auto set = [&](unsigned i, Value adjoint) {
    g.set(i, e.cast(adjoint, elementTypeOf(op->getOperand(i))));
  };
  if (g.wants(0))
    set(0, e.mul(g.dy(), e.reshape(factor, perChannel)));
  if (g.wants(2) || g.wants(3)) {
    Value sum = e.reduceSum(g.dy(), axes, false);
    if (g.wants(2))
      set(2, sum);
    if (g.wants(3))
      set(3, e.neg(e.mul(sum, factor)));
  }
  if (g.wants(1) || g.wants(4)) {
    Value mean = e.reshape(e.cast(op.getInputMean(), element), perChannel);
    Value sum = e.reduceSum(e.mul(g.dy(), e.sub(x, mean)), axes, false);
    Value dscale = e.div(sum, deviation);
    if (g.wants(1))
      set(1, dscale);
    if (g.wants(4)) {
      Value slope = e.div(e.div(e.cast(scale, element), deviation), deviation);
      set(4, e.scale(e.mul(dscale, slope), -0.5));
    }
  }
  return success();
}

static LogicalResult layerNormalizationRule(LayerNormalizationOp,
                                            GradientScope &g) {
  return g.unsupported("in a training step it must be a train.layer_norm");
}

/// Each channel of each sample is a channel of one batch of size 1.
static LogicalResult instanceNormRule(InstanceNormalizationOp op,
                                      GradientScope &g) {
  if (rankOf(op.getInput()) < 2)
    return g.unsupported("its data has no channels");
  OpEmitter &e = g.e;
  Value x = op.getInput();
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t samples = shape[0], channels = shape[1], all = samples * channels;
  SmallVector<int64_t> folded{1, all, elementCount(shape.drop_front(2))};
  auto spread = [&](Value perChannel) {
    return e.reshape(e.expand(perChannel, {samples, channels}), {all});
  };
  Value data = e.reshape(x, folded), scale = spread(op.getScale());
  auto norm = e.builder.create<train::BatchNormOp>(
      e.loc, data, scale, spread(op.getBias()),
      llvm::APFloat(double(op.getEpsilon().convertToFloat())));
  auto grads = e.builder.create<train::BatchNormGradOp>(
      e.loc, e.reshape(g.dy(), folded), data, scale, norm.getMean(),
      norm.getInvStd());
  if (g.wants(0))
    g.setReshaped(0, grads.getDx());
  auto sum = [&](Value spreadGrad) {
    return e.reduceSum(e.reshape(spreadGrad, {samples, channels}), {0}, false);
  };
  if (g.wants(1))
    g.set(1, sum(grads.getDscale()));
  if (g.wants(2))
    g.set(2, sum(grads.getDbias()));
  return success();
}

static LogicalResult lrnRule(LRNOp op, GradientScope &g) {
  if (rankOf(op.getX()) < 2)
    return g.unsupported("its data has no channels");
  auto wide = [](const llvm::APFloat &value) {
    return llvm::APFloat(double(value.convertToFloat()));
  };
  g.set(0, g.e.emit<train::LrnGradOp>(g.dy(), op.getX(), op.getSize(),
                                      wide(op.getAlpha()), wide(op.getBeta()),
                                      wide(op.getBias())));
  return success();
}

void lowtide::attachNormRules(MLIRContext *c) {
  attachRule<train::BatchNormOp, batchNormRule>(c);
  attachRule<train::LayerNormOp, layerNormRule>(c);
  attachRule<train::DropoutOp, trainDropoutRule>(c);
  attachRule<DropoutOp, dropoutRule>(c);
  attachRule<BatchNormalizationOp, inferenceNormRule>(c);
  attachRule<LayerNormalizationOp, layerNormalizationRule>(c);
  attachRule<InstanceNormalizationOp, instanceNormRule>(c);
  attachRule<LRNOp, lrnRule>(c);
}
