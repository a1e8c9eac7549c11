//===- Tensor.cpp - Element types and static tensor descriptions ----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Runtime/Tensor.h"

#include <cassert>

using namespace lowtide::runtime;

int64_t lowtide::runtime::sizeInBytes(DataType type) {
  switch (type) {
  case DataType::Int8:
  case DataType::UInt8:
  case DataType::Bool:
    return 1;
  case DataType::Float16:
  case DataType::BFloat16:
  case DataType::Int16:
  case DataType::UInt16:
    return 2;
  case DataType::Float32:
  case DataType::Int32:
  case DataType::UInt32:
    return 4;
  case DataType::Float64:
  case DataType::Int64:
  case DataType::UInt64:
    return 8;
  }
  assert(false && "every element type has a size");
  return 0;
}

std::string_view lowtide::runtime::toString(DataType type) {
  switch (type) {
  case DataType::Float16:
    return "float16";
  case DataType::BFloat16:
    return "bfloat16";
  case DataType::Float32:
    return "float";
  case DataType::Float64:
    return "double";
  case DataType::Int8:
    return "int8";
  case DataType::Int16:
    return "int16";
  case DataType::Int32:
    return "int32";
  case DataType::Int64:
    return "int64";
  case DataType::UInt8:
    return "uint8";
  case DataType::UInt16:
    return "uint16";
  case DataType::UInt32:
    return "uint32";
  case DataType::UInt64:
    return "uint64";
  case DataType::Bool:
    return "bool";
  }
  return "unknown";
}

int64_t TensorDesc::numElements() const {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

std::string lowtide::runtime::toString(const TensorDesc &desc) {
  std::string text(toString(desc.type));
  text += '[';
  for (size_t i = 0; i < desc.shape.size(); ++i) {
    if (i != 0)
      text += ',';
    text += std::to_string(desc.shape[i]);
  }
  return text + ']';
}
