//===- NodeAttributes.cpp - Attributes of nodes and of ops ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "NodeAttributes.h"

#include "TensorData.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace lowtide::frontend {

using ::onnx::AttributeProto;
using ::onnx::TensorProto;

DenseElementsAttr toElements(MLIRContext *context, const TensorProto &tensor) {
  Type element = toElementType(context, tensor.data_type());
  if (!element || !element.isIntOrFloat() || isReference(tensor) ||
      bitsPerElement(tensor.data_type()) < 8)
    return {};
  SmallVector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  auto type = RankedTensorType::get(dims, element);
  std::vector<char> bytes = denseData(tensor);
  if (element.isInteger(1)) {
    SmallVector<bool> values;
    for (char byte : bytes)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

Attribute toAttribute(MLIRContext *context, const AttributeProto &attribute,
                      bool inTrainOp) {
  Builder builder(context);
  if (attribute.has_ref_attr_name() && !attribute.ref_attr_name().empty())
    return {};
  switch (attribute.type()) {
  case AttributeProto::INT:
    return builder.getI64IntegerAttr(attribute.i());
  case AttributeProto::FLOAT:
    return builder.getF32FloatAttr(attribute.f());
  case AttributeProto::STRING:
    return builder.getStringAttr(attribute.s());
  case AttributeProto::INTS:
    return builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(attribute.ints().begin(), attribute.ints().end()));
  case AttributeProto::FLOATS:
    return builder.getDenseF32ArrayAttr(SmallVector<float>(
        attribute.floats().begin(), attribute.floats().end()));
  case AttributeProto::STRINGS: {
    SmallVector<Attribute> strings;
    for (const std::string &text : attribute.strings())
      strings.push_back(builder.getStringAttr(text));
    return builder.getArrayAttr(strings);
  }
  case AttributeProto::TENSOR: {
    DenseElementsAttr elements = toElements(context, attribute.t());
    if (inTrainOp && elements && elements.getElementType().isF64() &&
        elements.getNumElements() == 1)
      return builder.getF64FloatAttr(*elements.getValues<double>().begin());
    return elements;
  }
  default:
    return {};
  }
}

DenseElementsAttr constantValue(MLIRContext *context,
                                const ::onnx::NodeProto &node) {
  Builder builder(context);
  for (const AttributeProto &attribute : node.attribute()) {
    StringRef name = attribute.name();
    auto list = [&](int64_t size, Type element) {
      return RankedTensorType::get({size}, element);
    };
    if (name == "value" && attribute.has_t())
      return toElements(context, attribute.t());
    if (name == "value_int")
      return DenseElementsAttr::get(
          RankedTensorType::get({}, builder.getI64Type()), attribute.i());
    if (name == "value_float")
      return DenseElementsAttr::get(
          RankedTensorType::get({}, builder.getF32Type()), attribute.f());
    if (name == "value_ints")
      return DenseElementsAttr::get(
          list(attribute.ints_size(), builder.getI64Type()),
          ArrayRef<int64_t>(attribute.ints().data(), attribute.ints_size()));
    if (name == "value_floats")
      return DenseElementsAttr::get(
          list(attribute.floats_size(), builder.getF32Type()),
          ArrayRef<float>(attribute.floats().data(), attribute.floats_size()));
  }
  return {};
}

bool toTensorProto(ElementsAttr elements, TensorProto &proto) {
  ShapedType type = elements.getShapedType();
  proto.set_data_type(toDataType(type.getElementType()));
  if (proto.data_type() == TensorProto::UNDEFINED)
    return false;
  for (int64_t dim : type.getShape())
    proto.add_dims(dim);
  std::string bytes;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    if (type.getElementType().isInteger(1)) {
      for (bool value : dense.getValues<bool>())
        bytes.push_back(value ? 1 : 0);
    } else if (dense.isSplat()) {
      ArrayRef<char> one = dense.getRawData();
      bytes.reserve(one.size() * type.getNumElements());
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        bytes.append(one.data(), one.size());
    } else {
      bytes.assign(dense.getRawData().data(), dense.getRawData().size());
    }
  } else {
    return false;
  }
  proto.set_raw_data(std::move(bytes));
  return true;
}

bool toAttributeProto(StringRef name, Attribute attribute,
                      AttributeProto &proto) {
  proto.set_name(name.str());
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    proto.set_type(AttributeProto::INT);
    proto.set_i(integer.getType().isInteger(1)
                    ? static_cast<int64_t>(integer.getValue().getZExtValue())
                    : integer.getValue().getSExtValue());
    return true;
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    if (number.getType().isF32()) {
      proto.set_type(AttributeProto::FLOAT);
      proto.set_f(number.getValue().convertToFloat());
      return true;
    }
    auto type = RankedTensorType::get({}, number.getType());
    proto.set_type(AttributeProto::TENSOR);
    return toTensorProto(DenseElementsAttr::get(type, Attribute(number)),
                         *proto.mutable_t());
  }
  if (auto text = dyn_cast<StringAttr>(attribute)) {
    proto.set_type(AttributeProto::STRING);
    proto.set_s(text.getValue().str());
    return true;
  }
  if (auto ints = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    proto.set_type(AttributeProto::INTS);
    for (int64_t value : ints.asArrayRef())
      proto.add_ints(value);
    return true;
  }
  if (auto floats = dyn_cast<DenseF32ArrayAttr>(attribute)) {
    proto.set_type(AttributeProto::FLOATS);
    for (float value : floats.asArrayRef())
      proto.add_floats(value);
    return true;
  }
  if (auto type = dyn_cast<TypeAttr>(attribute)) {
    proto.set_type(AttributeProto::INT);
    proto.set_i(toDataType(type.getValue()));
    return proto.i() != TensorProto::UNDEFINED;
  }
  if (auto elements = dyn_cast<ElementsAttr>(attribute)) {
    proto.set_type(AttributeProto::TENSOR);
    return toTensorProto(elements, *proto.mutable_t());
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    proto.set_type(AttributeProto::STRINGS);
    for (Attribute entry : array) {
      auto text = dyn_cast<StringAttr>(entry);
      if (!text)
        return false;
      proto.add_strings(text.getValue().str());
    }
    return true;
  }
  return false;
}

} // namespace lowtide::frontend
