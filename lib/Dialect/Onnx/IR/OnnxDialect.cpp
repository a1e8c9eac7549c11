//===- OnnxDialect.cpp - The onnx dialect ---------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Onnx/IR/Onnx.h"

using namespace mlir;
using namespace lowtide::onnx;

#include "lowtide/Dialect/Onnx/IR/OnnxDialect.cpp.inc"

#define GET_OP_CLASSES
#include "lowtide/Dialect/Onnx/IR/OnnxOps.cpp.inc"

void OnnxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "lowtide/Dialect/Onnx/IR/OnnxOps.cpp.inc"
      >();
}

Operation *OnnxDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  if (isa<NoneType>(type))
    return builder.create<NoneOp>(loc, type);
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return builder.create<ConstantOp>(loc, type, elements);
}

OpFoldResult NoneOp::fold(FoldAdaptor) { return UnitAttr::get(getContext()); }

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// The int64 tensor of `type` that holds `values`.
static OpFoldResult constantInts(ArrayRef<int64_t> values, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      tensor.getNumElements() != static_cast<int64_t>(values.size()) ||
      llvm::any_of(values, ShapedType::isDynamic))
    return {};
  return DenseElementsAttr::get(tensor, values);
}

// The dimensions between `start` and `end`, where they are all static.
OpFoldResult ShapeOp::fold(FoldAdaptor) {
  auto data = dyn_cast<RankedTensorType>(getData().getType());
  if (!data)
    return {};
  int64_t rank = data.getRank();
  auto clamp = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t start = clamp(getStart()), end = clamp(getEnd().value_or(rank));
  return constantInts(
      data.getShape().slice(start, std::max<int64_t>(0, end - start)),
      getType());
}

OpFoldResult SizeOp::fold(FoldAdaptor) {
  auto data = dyn_cast<RankedTensorType>(getData().getType());
  if (!data || !data.hasStaticShape())
    return {};
  return constantInts({data.getNumElements()}, getType());
}
