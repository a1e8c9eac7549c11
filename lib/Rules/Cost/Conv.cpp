//===- Conv.cpp - Operations of convolutions and pools --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A convolution and both its adjoints visit the same pairs of a place and a
// tap: 2 operations for each element of the windowed side (y, or dy) and each
// weight of one output channel. Taps in the padding are counted too.
//
// Tested by test/Rules/cost.mlir.
//
//===----------------------------------------------------------------------===//

#include "CostRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

/// Weights are [outputs, inputs / group, taps...].
static int64_t windowFlops(Value places, ArrayRef<int64_t> weightShape) {
  return saturatingProduct({2, saturatingProduct(shapeOf(places)),
                            saturatingProduct(weightShape.drop_front())});
}

static int64_t convFlops(ConvOp op) {
  return windowFlops(op.getY(), shapeOf(op.getW()));
}
static int64_t convTransposeFlops(ConvTransposeOp op) {
  return windowFlops(op.getX(), shapeOf(op.getW()));
}
static int64_t convInputGradFlops(train::ConvInputGradOp op) {
  return windowFlops(op.getDy(), shapeOf(op.getW()));
}
static int64_t convWeightGradFlops(train::ConvWeightGradOp op) {
  return windowFlops(op.getDy(), op.getWeightShape());
}

/// One operation for each tap.
static int64_t poolFlops(Value places, ArrayRef<int64_t> kernel) {
  return saturatingProduct(
      {saturatingProduct(shapeOf(places)), saturatingProduct(kernel)});
}
static int64_t maxPoolFlops(MaxPoolOp op) {
  return poolFlops(op.getY(), op.getKernelShape());
}
static int64_t averagePoolFlops(AveragePoolOp op) {
  return poolFlops(op.getY(), op.getKernelShape());
}
static int64_t maxPoolGradFlops(train::MaxPoolGradOp op) {
  return poolFlops(op.getDy(), op.getKernelShape());
}
static int64_t averagePoolGradFlops(train::AveragePoolGradOp op) {
  return poolFlops(op.getDy(), op.getKernelShape());
}

/// Two operations for each channel of the window and a power.
static int64_t windowedPowerFlops(Value x, int64_t size) {
  return saturatingProduct({saturatingProduct(shapeOf(x)), 2 * size + 40});
}
static int64_t lrnFlops(LRNOp op) {
  return windowedPowerFlops(op.getX(), op.getSize());
}
static int64_t lrnGradFlops(train::LrnGradOp op) {
  return windowedPowerFlops(op.getX(), 2 * op.getSize());
}

void lowtide::attachConvCosts(MLIRContext *c) {
  constexpr ComputeKind conv = ComputeKind::Conv;
  constexpr ComputeKind plain = ComputeKind::Elementwise;
  attachCounted<ConvOp, convFlops, conv>(c);
  attachCounted<ConvTransposeOp, convTransposeFlops, conv>(c);
  attachCounted<train::ConvInputGradOp, convInputGradFlops, conv>(c);
  attachCounted<train::ConvWeightGradOp, convWeightGradFlops, conv>(c);
  attachCounted<MaxPoolOp, maxPoolFlops, plain>(c);
  attachCounted<AveragePoolOp, averagePoolFlops, plain>(c);
  attachCounted<train::MaxPoolGradOp, maxPoolGradFlops, plain>(c);
  attachCounted<train::AveragePoolGradOp, averagePoolGradFlops, plain>(c);
  attachCounted<LRNOp, lrnFlops, plain>(c);
  attachCounted<train::LrnGradOp, lrnGradFlops, plain>(c);
}
