//===- ElementTypes.h - From an element type to a C++ type ------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
//   KernelBuild build = withNumber(type, [&](auto tag) {
//     using T = typename decltype(tag)::type;
//     ...
//   });
//
// Each function calls its argument with the tag of the C++ type, or refuses a
// type of another kind.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_ELEMENTTYPES_H
#define LOWTIDE_LIB_RUNTIME_CPU_ELEMENTTYPES_H

#include "KernelTable.h"

#include <type_traits>

namespace lowtide::runtime::cpu {

inline KernelBuild refuseType(DataType type) {
  return refuse("element type " + std::string(toString(type)) +
                " isn't supported");
}

template <typename F>
KernelBuild withFloat(DataType type, const F &f) {
  switch (type) {
  case DataType::Float32:
    return f(std::type_identity<float>());
  case DataType::Float64:
    return f(std::type_identity<double>());
  default:
    return refuseType(type);
  }
}

template <typename F>
KernelBuild withInteger(DataType type, const F &f) {
  switch (type) {
  case DataType::Int8:
    return f(std::type_identity<int8_t>());
  case DataType::Int32:
    return f(std::type_identity<int32_t>());
  case DataType::Int64:
    return f(std::type_identity<int64_t>());
  case DataType::UInt8:
    return f(std::type_identity<uint8_t>());
  default:
    return refuseType(type);
  }
}

template <typename F>
KernelBuild withNumber(DataType type, const F &f) {
  if (type == DataType::Float32 || type == DataType::Float64)
    return withFloat(type, f);
  return withInteger(type, f);
}

/// Float32, float64, int32 and int64: enough where every type costs much to
/// compile.
template <typename F>
KernelBuild withWideNumber(DataType type, const F &f) {
  if (type == DataType::Int32)
    return f(std::type_identity<int32_t>());
  if (type == DataType::Int64)
    return f(std::type_identity<int64_t>());
  return withFloat(type, f);
}

/// Axes and indices: int32 or int64.
template <typename F>
KernelBuild withIndex(DataType type, const F &f) {
  if (type == DataType::Int32)
    return f(std::type_identity<int32_t>());
  if (type == DataType::Int64)
    return f(std::type_identity<int64_t>());
  return refuseType(type);
}

/// For kernels that only move elements.
template <typename F>
KernelBuild withBytes(DataType type, const F &f) {
  switch (sizeInBytes(type)) {
  case 1:
    return f(std::type_identity<uint8_t>());
  case 2:
    return f(std::type_identity<uint16_t>());
  case 4:
    return f(std::type_identity<uint32_t>());
  default:
    return f(std::type_identity<uint64_t>());
  }
}

template <typename T>
const T *in(const KernelBuffers &buffers, size_t operand) {
  return static_cast<const T *>(buffers.operands[operand]);
}
template <typename T>
T *out(const KernelBuffers &buffers, size_t result = 0) {
  return static_cast<T *>(buffers.results[result]);
}

/// Elements that are worth a thread of their own.
inline constexpr int64_t elementGrain = 16384;

/// Donates every operand that has as many bytes and as long elements as the
/// result: for kernels that read element i before they write element i and
/// never read it again.
void donateElementwise(const KernelCall &call, unsigned result,
                       KernelNeeds &needs);
/// The same for one operand.
void donateOperand(const KernelCall &call, unsigned result, unsigned operand,
                   KernelNeeds &needs);

/// What is wrong with the number of operands and results, or empty. Operands
/// 0 … required - 1 and the first result must be there.
std::string checkArity(const KernelCall &call, size_t required,
                       size_t results = 1);

/// `axis` counted from the front; -1 when out of range.
int64_t normalizeAxis(int64_t axis, int64_t rank);

/// Ints of an operand that is read on the host; notes it in `needs`. False
/// when its value isn't known.
bool readHostInts(const KernelCall &call, unsigned operand, KernelNeeds &needs,
                  std::vector<int64_t> &values);

/// Product of dims [begin, end).
int64_t productOf(const std::vector<int64_t> &shape, int64_t begin,
                  int64_t end);

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_ELEMENTTYPES_H
