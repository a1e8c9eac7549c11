//===- ConvertPrecision.cpp - The whole step in float64 -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every float32 type becomes float64: of values, of constants and of type
// attributes (the target of a cast). Weights are widened when they are loaded.
//
// Tested by test/Transforms/convert-precision.mlir.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Transforms/Shapes.h"

using namespace mlir;

namespace lowtide {

static Type widen(Type type) {
  auto wide = Float64Type::get(type.getContext());
  if (type.isF32())
    return wide;
  if (auto tensor = dyn_cast<TensorType>(type))
    if (tensor.getElementType().isF32())
      return tensor.clone(wide);
  return type;
}

static Attribute widen(Attribute attr) {
  if (auto type = dyn_cast<TypeAttr>(attr))
    return TypeAttr::get(widen(type.getValue()));
  auto dense = dyn_cast<DenseFPElementsAttr>(attr);
  if (!dense || !dense.getElementType().isF32())
    return attr;
  auto type = cast<ShapedType>(widen(Type(dense.getType())));
  return dense.mapValues(type.getElementType(), [](const APFloat &value) {
    return APFloat(value.convertToDouble()).bitcastToAPInt();
  });
}

LogicalResult convertToFloat64(func::FuncOp function) {
  Block &body = function.getBody().front();
  for (BlockArgument argument : body.getArguments())
    argument.setType(widen(argument.getType()));
  for (Operation &op : body.without_terminator()) {
    for (NamedAttribute attr : llvm::to_vector(op.getAttrs()))
      if (Attribute wide = widen(attr.getValue()); wide != attr.getValue())
        op.setAttr(attr.getName(), wide);
    for (Value result : op.getResults())
      result.setType(widen(result.getType()));
    // ConstantOfShape without a value is a float32 zero; type inference must
    // see a float64 one.
    if (op.getName().getStringRef() == "onnx.ConstantOfShape" &&
        !op.getAttr("value")) {
      auto type = RankedTensorType::get({1}, Float64Type::get(op.getContext()));
      op.setAttr("value", DenseElementsAttr::get(type, 0.0));
    }
  }
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
  return success();
}

} // namespace lowtide
