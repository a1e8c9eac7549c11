//===- Tensor.h - Element types and static tensor descriptions --*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What the runtime knows of a tensor: an element type and a static shape. Data
// is dense, row-major, in one contiguous range. Everything that plans memory
// and everything that runs kernels describes tensors with this one struct.
//
// Tested by test/unit/Runtime/TensorTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RUNTIME_TENSOR_H
#define LOWTIDE_RUNTIME_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::runtime {

/// Element types that tensors may have. Every one takes whole bytes.
enum class DataType : uint8_t {
  Float16,
  BFloat16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Bool, ///< One byte, 0 or 1.
};

/// Size of one element in bytes.
int64_t sizeInBytes(DataType type);

/// The type's name as ONNX text spells it: "float", "double", "int64", "bool".
std::string_view toString(DataType type);

/// An element type and a static shape; rank 0 is a scalar of one element.
struct TensorDesc {
  DataType type = DataType::Float32;
  std::vector<int64_t> shape;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  /// Product of the dimensions; 1 for a scalar, 0 when any dimension is 0.
  int64_t numElements() const;
  /// Bytes of the dense data, without alignment.
  int64_t bytes() const { return numElements() * sizeInBytes(type); }
  bool operator==(const TensorDesc &) const = default;
};

/// "float[2,3]", for messages.
std::string toString(const TensorDesc &desc);

} // namespace lowtide::runtime

#endif // LOWTIDE_RUNTIME_TENSOR_H
