//===- Conv.cpp - Reverse rules of convolutions and pools -----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A convolution is linear in its data and in its weights, and its two adjoints
// are ops of their own: conv_input_grad needs no data, conv_weight_grad no
// weights. A transposed convolution is the adjoint of a convolution, so its own
// adjoint is that convolution. Pads are made explicit here, once.
//
// Tested by test/Rules/gradient-conv.mlir.
//
//===----------------------------------------------------------------------===//

#include "GradientRule.h"
#include "lowtide/Rules/ConvGeometry.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

/// The adjoint of a bias over channels, axis 1.
static Value channelSum(OpEmitter &e, Value dy) {
  SmallVector<int64_t> axes = iota(rankOf(dy));
  axes.erase(axes.begin() + 1);
  return e.reduceSum(dy, axes, /*keepDims=*/false);
}

static LogicalResult convRule(ConvOp op, GradientScope &g) {
  auto window = resolveConvGeometry(op);
  if (!window)
    return g.unsupported("its window doesn't fit its data");
  SmallVector<int64_t> pads = explicitPads(*window);
  if (g.wants(0))
    g.set(0, g.e.emit<train::ConvInputGradOp>(
                 g.dy(), op.getW(), shapeOf(op.getX()), window->strides,
                 window->dilations, pads, op.getGroup()));
  if (g.wants(1))
    g.set(1, g.e.emit<train::ConvWeightGradOp>(
                 g.dy(), op.getX(), shapeOf(op.getW()), window->strides,
                 window->dilations, pads, op.getGroup()));
  if (g.wants(2))
    g.set(2, channelSum(g.e, g.dy()));
  return success();
}

/// The convolution of dy may see places at the end that no window of the
/// forward op came from, when output_padding is a stride or more.
static Value convOfAdjoint(ConvTransposeOp op, const WindowGeometry &window,
                           GradientScope &g) {
  auto list = [&](ArrayRef<int64_t> values) {
    return g.e.builder.getDenseI64ArrayAttr(values);
  };
  Value dx = g.e.emit<ConvOp>(g.dy(), op.getW(), g.e.none(), "NOTSET",
                              list(window.dilations), op.getGroup(),
                              list(window.kernel), list(explicitPads(window)),
                              list(window.strides));
  int64_t spatial = static_cast<int64_t>(window.kernel.size());
  return g.e.slice(dx, SmallVector<int64_t>(spatial, 0),
                   shapeOf(op.getX()).drop_front(2), iota(spatial, 2));
}

static LogicalResult convTransposeRule(ConvTransposeOp op, GradientScope &g) {
  auto window = resolveConvGeometry(op);
  if (!window)
    return g.unsupported("its window doesn't fit its data");
  SmallVector<int64_t> pads = explicitPads(*window);
  if (llvm::any_of(pads, [](int64_t pad) { return pad < 0; }))
    return g.unsupported("output_shape is larger than what its windows cover");
  if (g.wants(0))
    g.set(0, convOfAdjoint(op, *window, g));
  if (g.wants(1))
    g.set(1, g.e.emit<train::ConvWeightGradOp>(
                 op.getX(), g.dy(), shapeOf(op.getW()), window->strides,
                 window->dilations, pads, op.getGroup()));
  if (g.wants(2))
    g.set(2, channelSum(g.e, g.dy()));
  return success();
}

static LogicalResult maxPoolRule(MaxPoolOp op, GradientScope &g) {
  auto window = resolveConvGeometry(op);
  if (!window)
    return g.unsupported("its window doesn't fit its data");
  g.set(0, g.e.emit<train::MaxPoolGradOp>(
               g.dy(), op.getX(), window->kernel, window->strides,
               window->dilations, explicitPads(*window), op.getCeilMode()));
  return success();
}

static LogicalResult averagePoolRule(AveragePoolOp op, GradientScope &g) {
  auto window = resolveConvGeometry(op);
  if (!window)
    return g.unsupported("its window doesn't fit its data");
  g.set(0, g.e.emit<train::AveragePoolGradOp>(
               g.dy(), shapeOf(op.getX()), window->kernel, window->strides,
               window->dilations, explicitPads(*window), op.getCeilMode(),
               op.getCountIncludePad()));
  return success();
}

static LogicalResult globalAveragePoolRule(GlobalAveragePoolOp op,
                                           GradientScope &g) {
  ArrayRef<int64_t> shape = shapeOf(op.getX());
  Value share = g.e.over(g.dy(), elementCount(shape.drop_front(2)));
  g.set(0, g.e.expand(share, shape));
  return success();
}

/// One window over everything: the first maximum gets dy, as in MaxPool.
static LogicalResult globalMaxPoolRule(GlobalMaxPoolOp op, GradientScope &g) {
  ArrayRef<int64_t> kernel = shapeOf(op.getX()).drop_front(2);
  SmallVector<int64_t> ones(kernel.size(), 1), pads(2 * kernel.size(), 0);
  g.set(0, g.e.emit<train::MaxPoolGradOp>(g.dy(), op.getX(), kernel, ones, ones,
                                          pads, 0));
  return success();
}

void lowtide::attachConvRules(MLIRContext *c) {
  attachRule<ConvOp, convRule>(c);
  attachRule<ConvTransposeOp, convTransposeRule>(c);
  attachRule<MaxPoolOp, maxPoolRule>(c);
  attachRule<AveragePoolOp, averagePoolRule>(c);
  attachRule<GlobalAveragePoolOp, globalAveragePoolRule>(c);
  attachRule<GlobalMaxPoolOp, globalMaxPoolRule>(c);
}
