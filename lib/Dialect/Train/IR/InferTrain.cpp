//===- InferTrain.cpp - Result types of train ops -------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Train.h"

using namespace mlir;

namespace lowtide {

LogicalResult inferSameAsSecond(const InferRequest &r, InferredTypes &types) {
  types.push_back(r.operands[1].getType());
  return success();
}

LogicalResult inferScalarOfFirst(const InferRequest &r, InferredTypes &types) {
  types.push_back(RankedTensorType::get({}, r.elementType(0)));
  return success();
}

/// The shape that attribute `name` gives, with the adjoint's element type.
static LogicalResult fromAttribute(const InferRequest &r, StringRef name,
                                   InferredTypes &types) {
  auto shape = r.intsAttr(name);
  if (!shape || llvm::any_of(*shape, [](int64_t d) { return d < 0; }))
    return r.error("needs a static shape in the attribute '" + name + "'");
  types.push_back(RankedTensorType::get(*shape, r.elementType(0)));
  return success();
}

LogicalResult inferFromDataShape(const InferRequest &r, InferredTypes &types) {
  return fromAttribute(r, "data_shape", types);
}

LogicalResult inferFromInputShape(const InferRequest &r, InferredTypes &types) {
  return fromAttribute(r, "input_shape", types);
}

LogicalResult inferFromWeightShape(const InferRequest &r,
                                   InferredTypes &types) {
  return fromAttribute(r, "weight_shape", types);
}

LogicalResult inferSoftmaxCrossEntropy(const InferRequest &r,
                                       InferredTypes &types) {
  Type element = r.elementType(0);
  auto labels = cast<TensorType>(r.operands[1].getType());
  if (r.stringAttr("reduction", "mean") == "none")
    types.push_back(labels.clone(element));
  else
    types.push_back(RankedTensorType::get({}, element));
  return success();
}

LogicalResult inferBatchNorm(const InferRequest &r, InferredTypes &types) {
  types.push_back(r.operands[0].getType());
  types.append(2, r.operands[1].getType());
  return success();
}

LogicalResult inferBatchNormGrad(const InferRequest &r, InferredTypes &types) {
  types.push_back(r.operands[1].getType());
  types.append(2, r.operands[2].getType());
  return success();
}

LogicalResult inferLayerNorm(const InferRequest &r, InferredTypes &types) {
  types.push_back(r.operands[0].getType());
  RankedTensorType x = r.ranked(0);
  auto axis =
      x ? normalizeAxis(r.intAttr("axis", -1), x.getRank()) : std::nullopt;
  if (!axis)
    return r.error("needs data with a rank and an axis within it");
  SmallVector<int64_t> shape(x.getShape());
  std::fill(shape.begin() + *axis, shape.end(), 1);
  types.append(2, RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult inferLayerNormGrad(const InferRequest &r, InferredTypes &types) {
  return inferBatchNormGrad(r, types);
}

LogicalResult inferSgdMomentumUpdate(const InferRequest &r,
                                     InferredTypes &types) {
  types.append(2, r.operands[0].getType());
  return success();
}

LogicalResult inferAdamWUpdate(const InferRequest &r, InferredTypes &types) {
  types.append(3, r.operands[0].getType());
  return success();
}

} // namespace lowtide
