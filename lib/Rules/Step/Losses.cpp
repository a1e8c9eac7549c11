//===- Losses.cpp - Losses of a training step -----------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Rules/Step.h"

using namespace mlir;

namespace lowtide {

RankedTensorType getCrossEntropyTargetType(RankedTensorType output,
                                           int64_t classAxis) {
  auto axis = normalizeAxis(classAxis, output.getRank());
  if (!axis)
    return nullptr;
  SmallVector<int64_t> shape(output.getShape());
  shape.erase(shape.begin() + *axis);
  return RankedTensorType::get(shape,
                               IntegerType::get(output.getContext(), 64));
}

static Type scalarLike(Value value) {
  return RankedTensorType::get(
      {}, cast<RankedTensorType>(value.getType()).getElementType());
}

Value buildCrossEntropy(OpBuilder &builder, Location loc, Value logits,
                        Value target, int64_t classAxis) {
  int64_t rank = cast<RankedTensorType>(logits.getType()).getRank();
  Value none = builder.create<onnx::NoneOp>(loc, builder.getNoneType());
  return builder.create<train::SoftmaxCrossEntropyOp>(
      loc, scalarLike(logits), logits, target, none,
      builder.getI64IntegerAttr(*normalizeAxis(classAxis, rank)),
      /*ignore_index=*/IntegerAttr(), builder.getStringAttr("mean"));
}

Value buildMeanSquaredError(OpBuilder &builder, Location loc, Value output,
                            Value target) {
  return builder.create<train::MseOp>(loc, scalarLike(output), output, target);
}

} // namespace lowtide
