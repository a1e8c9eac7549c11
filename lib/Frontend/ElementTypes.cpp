//===- ElementTypes.cpp - Element types of ONNX and of the IR -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lowtide::frontend {

using ::onnx::TensorProto;

namespace {

struct TypeRow {
  int32_t dataType;
  const char *name;
  int bits;
  /// Kept as an opaque type of this name.
  bool opaque;
};

constexpr TypeRow typeRows[] = {
    {TensorProto::FLOAT, "float", 32, false},
    {TensorProto::UINT8, "uint8", 8, false},
    {TensorProto::INT8, "int8", 8, false},
    {TensorProto::UINT16, "uint16", 16, false},
    {TensorProto::INT16, "int16", 16, false},
    {TensorProto::INT32, "int32", 32, false},
    {TensorProto::INT64, "int64", 64, false},
    {TensorProto::STRING, "string", 0, true},
    {TensorProto::BOOL, "bool", 8, false},
    {TensorProto::FLOAT16, "float16", 16, false},
    {TensorProto::DOUBLE, "double", 64, false},
    {TensorProto::UINT32, "uint32", 32, false},
    {TensorProto::UINT64, "uint64", 64, false},
    {TensorProto::COMPLEX64, "complex64", 64, false},
    {TensorProto::COMPLEX128, "complex128", 128, false},
    {TensorProto::BFLOAT16, "bfloat16", 16, false},
    {TensorProto::FLOAT8E4M3FN, "float8e4m3fn", 8, false},
    {TensorProto::FLOAT8E4M3FNUZ, "float8e4m3fnuz", 8, false},
    {TensorProto::FLOAT8E5M2, "float8e5m2", 8, false},
    {TensorProto::FLOAT8E5M2FNUZ, "float8e5m2fnuz", 8, false},
    {TensorProto::UINT4, "uint4", 4, false},
    {TensorProto::INT4, "int4", 4, false},
    {TensorProto::FLOAT4E2M1, "float4e2m1", 4, true},
    {TensorProto::FLOAT8E8M0, "float8e8m0", 8, true},
    {TensorProto::UINT2, "uint2", 2, false},
    {TensorProto::INT2, "int2", 2, false},
    {TensorProto::FLOAT6E2M3, "float6e2m3", 6, true},
    {TensorProto::FLOAT6E3M2, "float6e3m2", 6, true},
};

const TypeRow *findRow(int32_t dataType) {
  for (const TypeRow &row : typeRows)
    if (row.dataType == dataType)
      return &row;
  return nullptr;
}

Type opaqueType(MLIRContext *context, StringRef data) {
  return OpaqueType::get(StringAttr::get(context, "onnx"), data);
}

} // namespace

Type toElementType(MLIRContext *context, int32_t dataType) {
  const TypeRow *row = findRow(dataType);
  if (!row)
    return {};
  if (row->opaque)
    return opaqueType(context, row->name);
  Builder builder(context);
  switch (dataType) {
  case TensorProto::FLOAT:
    return builder.getF32Type();
  case TensorProto::FLOAT16:
    return builder.getF16Type();
  case TensorProto::BFLOAT16:
    return builder.getBF16Type();
  case TensorProto::DOUBLE:
    return builder.getF64Type();
  case TensorProto::COMPLEX64:
    return ComplexType::get(builder.getF32Type());
  case TensorProto::COMPLEX128:
    return ComplexType::get(builder.getF64Type());
  case TensorProto::FLOAT8E4M3FN:
    return builder.getFloat8E4M3FNType();
  case TensorProto::FLOAT8E4M3FNUZ:
    return builder.getFloat8E4M3FNUZType();
  case TensorProto::FLOAT8E5M2:
    return builder.getFloat8E5M2Type();
  case TensorProto::FLOAT8E5M2FNUZ:
    return builder.getFloat8E5M2FNUZType();
  case TensorProto::BOOL:
    return builder.getI1Type();
  default:
    break;
  }
  bool isUnsigned = StringRef(row->name).starts_with("u");
  return IntegerType::get(context, row->bits,
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signless);
}

int32_t toDataType(Type elementType) {
  if (!elementType)
    return TensorProto::UNDEFINED;
  for (const TypeRow &row : typeRows)
    if (toElementType(elementType.getContext(), row.dataType) == elementType)
      return row.dataType;
  return TensorProto::UNDEFINED;
}

std::string dataTypeName(int32_t dataType) {
  if (const TypeRow *row = findRow(dataType))
    return row->name;
  return "type " + std::to_string(dataType);
}

int64_t bitsPerElement(int32_t dataType) {
  const TypeRow *row = findRow(dataType);
  return row ? row->bits : 0;
}

std::optional<int64_t> elementCount(ArrayRef<int64_t> dims) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    empty |= dim == 0;
  }
  if (empty)
    return 0;
  for (int64_t dim : dims)
    if (llvm::MulOverflow(count, dim, count))
      return std::nullopt;
  return count;
}

std::optional<int64_t> denseBytes(int32_t dataType, ArrayRef<int64_t> dims) {
  int64_t bits = bitsPerElement(dataType);
  std::optional<int64_t> count = elementCount(dims);
  if (!count || bits == 0)
    return std::nullopt;
  int64_t bytes = 0;
  if (bits % 8 == 0) {
    if (llvm::MulOverflow(*count, bits / 8, bytes))
      return std::nullopt;
    return bytes;
  }
  int64_t allBits = 0;
  if (llvm::MulOverflow(*count, bits, allBits) ||
      llvm::AddOverflow<int64_t>(allBits, 7, allBits))
    return std::nullopt;
  return allBits / 8;
}

std::string dimensionSymbol(const ::onnx::TensorShapeProto::Dimension &dim) {
  if (!dim.has_dim_param())
    return "";
  // Exporters write these for "unknown"; they name no dimension.
  const std::string &name = dim.dim_param();
  return name == "None" || name == "?" ? "" : name;
}

Type unknownValueType(MLIRContext *context) {
  return UnrankedTensorType::get(opaqueType(context, "unknown"));
}

Type toValueType(MLIRContext *context, const ::onnx::TypeProto &type) {
  if (type.value_case() == ::onnx::TypeProto::VALUE_NOT_SET)
    return unknownValueType(context);
  if (!type.has_tensor_type()) {
    std::string data = "type:" + llvm::encodeBase64(type.SerializeAsString());
    return UnrankedTensorType::get(opaqueType(context, data));
  }
  const auto &tensor = type.tensor_type();
  Type element = toElementType(context, tensor.elem_type());
  if (!element)
    element = opaqueType(context, "unknown");
  if (!tensor.has_shape())
    return UnrankedTensorType::get(element);
  SmallVector<int64_t> dims;
  for (const auto &dim : tensor.shape().dim())
    dims.push_back(dim.has_dim_value() && dim.dim_value() >= 0
                       ? dim.dim_value()
                       : ShapedType::kDynamic);
  return RankedTensorType::get(dims, element);
}

bool toTypeProto(Type type, ArrayRef<std::string> dimNames,
                 ::onnx::TypeProto &proto) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return false;
  if (auto opaque = dyn_cast<OpaqueType>(tensor.getElementType())) {
    StringRef data = opaque.getTypeData();
    if (data.consume_front("type:")) {
      std::vector<char> bytes;
      if (llvm::Error error = llvm::decodeBase64(data, bytes)) {
        llvm::consumeError(std::move(error));
        return false;
      }
      return proto.ParseFromArray(bytes.data(), bytes.size());
    }
  }
  int32_t dataType = toDataType(tensor.getElementType());
  if (dataType == TensorProto::UNDEFINED)
    return false;
  auto *out = proto.mutable_tensor_type();
  out->set_elem_type(dataType);
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return true;
  auto *shape = out->mutable_shape();
  for (auto [i, dim] : llvm::enumerate(ranked.getShape())) {
    auto *outDim = shape->add_dim();
    if (!ShapedType::isDynamic(dim))
      outDim->set_dim_value(dim);
    else if (i < dimNames.size() && !dimNames[i].empty())
      outDim->set_dim_param(dimNames[i]);
  }
  return true;
}

} // namespace lowtide::frontend
