//===- Loss.cpp - Reverse rules of softmax and losses ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Softmax is read back from its result. A loss with the softmax inside computes
// it again from the logits, so that no probabilities are kept.
//
// Tested by test/Rules/gradient-loss.mlir.
//
//===----------------------------------------------------------------------===//

#include "GradientRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

static LogicalResult softmaxRule(SoftmaxOp op, GradientScope &g) {
  auto axis = normalizeAxis(op.getAxis(), rankOf(op.getInput()));
  if (!axis)
    return g.unsupported("its axis is out of range");
  g.set(0, g.e.emit<train::SoftmaxGradOp>(g.dy(), op.getOutput(),
                                          *axis));
  return success();
}

static LogicalResult logSoftmaxRule(LogSoftmaxOp op, GradientScope &g) {
  auto axis = normalizeAxis(op.getAxis(), rankOf(op.getInput()));
  if (!axis)
    return g.unsupported("its axis is out of range");
  g.set(0, g.e.emit<train::LogSoftmaxGradOp>(g.dy(), op.getOutput(),
                                             *axis));
  return success();
}

static LogicalResult crossEntropyRule(train::SoftmaxCrossEntropyOp op,
                                      GradientScope &g) {
  if (g.wants(2))
    return g.unsupported("class weights have no rule");
  if (g.wants(0))
    g.set(0, g.e.emit<train::SoftmaxCrossEntropyGradOp>(
                 g.dy(), op.getLogits(), op.getTarget(), op.getWeights(),
                 op.getAxis(), op.getIgnoreIndexAttr(), op.getReduction()));
  return success();
}

/// The second result is a log-softmax of the scores and has its rule.
static LogicalResult crossEntropyLossRule(SoftmaxCrossEntropyLossOp op,
                                          GradientScope &g) {
  if (g.wants(2))
    return g.unsupported("class weights have no rule");
  if (!g.wants(0))
    return success();
  Value total;
  if (g.hasDy(0))
    total = g.e.emit<train::SoftmaxCrossEntropyGradOp>(
        g.dy(0), op.getScores(), op.getLabels(), op.getWeights(), 1,
        op.getIgnoreIndexAttr(), op.getReduction());
  if (g.hasDy(1)) {
    Value part = g.e.emit<train::LogSoftmaxGradOp>(g.dy(1), op.getLogProb(), 1);
    total = total ? g.e.add(total, part) : part;
  }
  if (total)
    g.set(0, total);
  return success();
}

static LogicalResult nllLossRule(NegativeLogLikelihoodLossOp op,
                                 GradientScope &g) {
  if (g.wants(2))
    return g.unsupported("class weights have no rule");
  if (g.wants(0))
    g.set(0, g.e.emit<train::NllLossGradOp>(
                 g.dy(), op.getTarget(), op.getWeight(), shapeOf(op.getInput()),
                 op.getIgnoreIndexAttr(), op.getReduction()));
  return success();
}

/// The target's adjoint is that of x with the other sign.
static LogicalResult mseRule(train::MseOp op, GradientScope &g) {
  if (g.wants(0))
    g.set(0, g.e.emit<train::MseGradOp>(g.dy(), op.getX(), op.getTarget()));
  if (g.wants(1))
    g.set(1, g.e.emit<train::MseGradOp>(g.dy(), op.getTarget(), op.getX()));
  return success();
}

void lowtide::attachLossRules(MLIRContext *c) {
  attachRule<SoftmaxOp, softmaxRule>(c);
  attachRule<LogSoftmaxOp, logSoftmaxRule>(c);
  attachRule<train::SoftmaxCrossEntropyOp, crossEntropyRule>(c);
  attachRule<SoftmaxCrossEntropyLossOp, crossEntropyLossRule>(c);
  attachRule<NegativeLogLikelihoodLossOp, nllLossRule>(c);
  attachRule<train::MseOp, mseRule>(c);
}
