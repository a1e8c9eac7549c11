//===- KernelCalls.cpp - Ops as kernel calls ------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "lowtide/Analysis/KernelCalls.h"
#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Support/Bytes.h"

#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;

namespace lowtide {

using runtime::DataType;

std::optional<DataType> toDataType(Type type) {
  if (type.isF16())
    return DataType::Float16;
  if (type.isBF16())
    return DataType::BFloat16;
  if (type.isF32())
    return DataType::Float32;
  if (type.isF64())
    return DataType::Float64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return DataType::Bool;
  case 8:
    return isUnsigned ? DataType::UInt8 : DataType::Int8;
  case 16:
    return isUnsigned ? DataType::UInt16 : DataType::Int16;
  case 32:
    return isUnsigned ? DataType::UInt32 : DataType::Int32;
  case 64:
    return isUnsigned ? DataType::UInt64 : DataType::Int64;
  default:
    return std::nullopt;
  }
}

Type toElementType(DataType type, MLIRContext *context) {
  auto integer = [&](unsigned width, bool isUnsigned) -> Type {
    return IntegerType::get(context, width,
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signless);
  };
  switch (type) {
  case DataType::Float16:
    return Float16Type::get(context);
  case DataType::BFloat16:
    return BFloat16Type::get(context);
  case DataType::Float32:
    return Float32Type::get(context);
  case DataType::Float64:
    return Float64Type::get(context);
  case DataType::Int8:
    return integer(8, false);
  case DataType::Int16:
    return integer(16, false);
  case DataType::Int32:
    return integer(32, false);
  case DataType::Int64:
    return integer(64, false);
  case DataType::UInt8:
    return integer(8, true);
  case DataType::UInt16:
    return integer(16, true);
  case DataType::UInt32:
    return integer(32, true);
  case DataType::UInt64:
    return integer(64, true);
  case DataType::Bool:
    return integer(1, false);
  }
  return {};
}

bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return false;
  auto element = toDataType(tensor.getElementType());
  if (!element)
    return false;
  std::optional<int64_t> bytes = runtime::sizeInBytes(*element);
  for (int64_t size : tensor.getShape())
    if (size != 0 && bytes)
      bytes = checkedMultiply(*bytes, size);
  return bytes.has_value();
}

runtime::TensorDesc toTensorDesc(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  runtime::TensorDesc desc;
  desc.type = *toDataType(tensor.getElementType());
  desc.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  return desc;
}

runtime::ConstantData toConstantData(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || !isStaticTensor(dense.getType()))
    return nullptr;
  runtime::TensorDesc desc = toTensorDesc(dense.getType());
  auto bytes = std::make_shared<std::vector<std::byte>>(desc.bytes());
  int64_t size = runtime::sizeInBytes(desc.type);
  if (desc.type == DataType::Bool) {
    for (auto [i, bit] : llvm::enumerate(dense.getValues<bool>()))
      (*bytes)[i] = static_cast<std::byte>(bit);
    return bytes;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat()) {
    std::memcpy(bytes->data(), raw.data(), bytes->size());
    return bytes;
  }
  for (int64_t i = 0; i < desc.numElements(); ++i)
    std::memcpy(bytes->data() + i * size, raw.data(), size);
  return bytes;
}

DenseElementsAttr toElementsAttr(const runtime::TensorDesc &desc,
                                 ArrayRef<std::byte> bytes,
                                 MLIRContext *context) {
  auto type =
      RankedTensorType::get(desc.shape, toElementType(desc.type, context));
  if (desc.type == DataType::Bool) {
    SmallVector<bool> bits;
    for (std::byte b : bytes)
      bits.push_back(b != std::byte{0});
    return DenseElementsAttr::get(type, bits);
  }
  return DenseElementsAttr::getFromRawBuffer(
      type,
      ArrayRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

/// The runtime's form of an attribute; nothing for attributes that only the IR
/// uses (types, places).
static std::optional<runtime::AttrValue> toAttrValue(Attribute attr) {
  if (auto value = dyn_cast<IntegerAttr>(attr))
    return runtime::AttrValue(value.getInt());
  if (auto value = dyn_cast<FloatAttr>(attr))
    return runtime::AttrValue(value.getValueAsDouble());
  if (auto value = dyn_cast<StringAttr>(attr))
    return runtime::AttrValue(value.getValue().str());
  if (auto value = dyn_cast<DenseI64ArrayAttr>(attr))
    return runtime::AttrValue(std::vector<int64_t>(value.asArrayRef()));
  if (auto value = dyn_cast<DenseF32ArrayAttr>(attr)) {
    std::vector<double> values(value.asArrayRef().begin(),
                               value.asArrayRef().end());
    return runtime::AttrValue(std::move(values));
  }
  if (auto value = dyn_cast<DenseElementsAttr>(attr)) {
    // ConstantOfShape's value: one element.
    if (value.getNumElements() == 1 && isa<FloatType>(value.getElementType()))
      return runtime::AttrValue(
          (*value.getValues<APFloat>().begin()).convertToDouble());
    if (value.getNumElements() == 1)
      return runtime::AttrValue(
          (*value.getValues<APInt>().begin()).getSExtValue());
  }
  return std::nullopt;
}

static FailureOr<std::optional<runtime::KernelOperand>>
toKernelOperand(Operation *op, unsigned index) {
  Value value = op->getOperand(index);
  if (isa<NoneType>(value.getType()))
    return std::optional<runtime::KernelOperand>();
  if (!isStaticTensor(value.getType()))
    return op->emitOpError()
           << "operand " << index << " has type " << value.getType()
           << ", which is not a static tensor that kernels know";
  runtime::KernelOperand operand;
  operand.desc = toTensorDesc(value.getType());
  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    operand.constant = toConstantData(constant);
  auto kernel = dyn_cast<KernelOpInterface>(op);
  operand.isHost = kernel && kernel.isHostOperand(index);
  if (operand.isHost && !operand.constant)
    return op->emitOpError()
           << "operand " << index
           << " is known only when the step runs; its value decides shapes, so "
              "it must be constant";
  return std::optional(std::move(operand));
}

FailureOr<runtime::KernelCall> toKernelCall(Operation *op) {
  runtime::KernelCall call;
  call.kernel = op->getName().getStringRef().str();
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    auto operand = toKernelOperand(op, i);
    if (failed(operand))
      return failure();
    call.operands.push_back(std::move(*operand));
  }
  for (Type type : op->getResultTypes()) {
    if (isa<NoneType>(type)) {
      call.results.push_back(std::nullopt);
      continue;
    }
    if (!isStaticTensor(type))
      return op->emitOpError() << "result has type " << type
                               << ", which is not a static tensor that kernels "
                                  "know";
    call.results.push_back(toTensorDesc(type));
  }
  DictionaryAttr inherent;
  if (Attribute properties = op->getPropertiesAsAttribute())
    inherent = dyn_cast<DictionaryAttr>(properties);
  if (inherent)
    for (NamedAttribute attr : inherent)
      if (auto value = toAttrValue(attr.getValue()))
        call.attributes.emplace(attr.getName().str(), std::move(*value));
  return call;
}

} // namespace lowtide
