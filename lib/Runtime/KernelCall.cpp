//===- KernelCall.cpp - One call of a kernel, as data ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Runtime/KernelCall.h"

#include <cassert>
#include <cstring>

using namespace lowtide::runtime;

std::vector<int64_t> KernelOperand::asInts() const {
  assert(constant && "only operands with a known value have ints");
  std::vector<int64_t> values(static_cast<size_t>(desc.numElements()));
  const std::byte *data = constant->data();
  if (desc.type == DataType::Int64) {
    std::memcpy(values.data(), data, values.size() * sizeof(int64_t));
    return values;
  }
  assert(desc.type == DataType::Int32 && "ints come from int32 or int64");
  for (size_t i = 0; i < values.size(); ++i) {
    int32_t value;
    std::memcpy(&value, data + i * sizeof(value), sizeof(value));
    values[i] = value;
  }
  return values;
}

/// The attribute's value when it is there and of type `T`.
template <typename T>
static const T *find(const KernelCall &call, const std::string &name) {
  auto it = call.attributes.find(name);
  return it == call.attributes.end() ? nullptr : std::get_if<T>(&it->second);
}

int64_t KernelCall::intAttr(const std::string &name, int64_t fallback) const {
  const auto *value = find<int64_t>(*this, name);
  return value ? *value : fallback;
}

double KernelCall::floatAttr(const std::string &name, double fallback) const {
  if (const auto *value = find<double>(*this, name))
    return *value;
  const auto *integer = find<int64_t>(*this, name);
  return integer ? static_cast<double>(*integer) : fallback;
}

std::string KernelCall::stringAttr(const std::string &name,
                                   std::string fallback) const {
  const auto *value = find<std::string>(*this, name);
  return value ? *value : fallback;
}

std::vector<int64_t> KernelCall::intsAttr(const std::string &name,
                                          std::vector<int64_t> fallback) const {
  const auto *value = find<std::vector<int64_t>>(*this, name);
  return value ? *value : fallback;
}
