//===- ScatterKernels.cpp - Elements put at indices -----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// ScatterElements(data, indices, updates) and ScatterND: the data, with the
// updates stored or combined at the indices, one after the other. The result
// may take the data's place.
//
// Tested by test/unit/Runtime/IndexTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"

#include <cstring>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {
enum class Combine { Store, Add, Mul, Max, Min };
}

static std::string readCombine(const KernelCall &call, Combine &combine) {
  const std::string name = call.stringAttr("reduction", "none");
  if (name == "none")
    combine = Combine::Store;
  else if (name == "add")
    combine = Combine::Add;
  else if (name == "mul")
    combine = Combine::Mul;
  else if (name == "max")
    combine = Combine::Max;
  else if (name == "min")
    combine = Combine::Min;
  else
    return "reduction '" + name + "' isn't known";
  return "";
}

template <typename T>
static void put(T &to, T value, Combine combine) {
  switch (combine) {
  case Combine::Store:
    to = value;
    return;
  case Combine::Add:
    to = static_cast<T>(to + value);
    return;
  case Combine::Mul:
    to = static_cast<T>(to * value);
    return;
  case Combine::Max:
    to = to > value ? to : value;
    return;
  case Combine::Min:
    to = to < value ? to : value;
    return;
  }
}

/// Booleans can only be stored.
template <typename F>
static KernelBuild withValue(DataType type, Combine combine, const F &f) {
  if (combine == Combine::Store)
    return withBytes(type, f);
  return withNumber(type, f);
}

static KernelBuild makeScatterElements(const KernelCall &call,
                                       const CpuContext &) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  Combine combine;
  if (std::string why = readCombine(call, combine); !why.empty())
    return refuse(why);
  const TensorDesc &data = call.operand(0);
  const int64_t axis = normalizeAxis(call.intAttr("axis", 0), data.rank());
  if (axis < 0 || call.operand(1).rank() != data.rank())
    return refuse("the axis is out of range or the ranks differ");
  const ElementAddress address(data.shape, call.operand(1).shape, axis);
  const int64_t bytes = data.bytes();
  return withValue(data.type, combine, [&](auto valueTag) {
    using T = typename decltype(valueTag)::type;
    return withIndex(call.operand(1).type, [&](auto indexTag) {
      using I = typename decltype(indexTag)::type;
      KernelBuild build;
      donateOperand(call, 0, 0, build.needs);
      build.run = [=](const KernelBuffers &buffers) -> std::string {
        const I *indices = in<I>(buffers, 1);
        const T *updates = in<T>(buffers, 2);
        T *y = out<T>(buffers);
        if (std::string why =
                checkIndices(indices, address.count, address.axisSize);
            !why.empty())
          return why;
        if (y != in<T>(buffers, 0))
          std::memcpy(y, in<T>(buffers, 0), static_cast<size_t>(bytes));
        for (int64_t i = 0; i < address.count; ++i)
          put(y[address.of(i, wrapIndex(indices[i], address.axisSize))],
              updates[i], combine);
        return "";
      };
      return build;
    });
  });
}

static KernelBuild makeScatterND(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  Combine combine;
  if (std::string why = readCombine(call, combine); !why.empty())
    return refuse(why);
  TupleAddress address;
  if (std::string why = makeTupleAddress(call.operand(0).shape,
                                         call.operand(1).shape, 0, address);
      !why.empty())
    return refuse(why);
  const int64_t bytes = call.operand(0).bytes();
  return withValue(call.operand(0).type, combine, [&](auto valueTag) {
    using T = typename decltype(valueTag)::type;
    return withIndex(call.operand(1).type, [&](auto indexTag) {
      using I = typename decltype(indexTag)::type;
      KernelBuild build;
      donateOperand(call, 0, 0, build.needs);
      build.run = [=](const KernelBuffers &buffers) -> std::string {
        const I *indices = in<I>(buffers, 1);
        const T *updates = in<T>(buffers, 2);
        T *y = out<T>(buffers);
        if (std::string why = address.check(indices); !why.empty())
          return why;
        if (y != in<T>(buffers, 0))
          std::memcpy(y, in<T>(buffers, 0), static_cast<size_t>(bytes));
        // All tuples belong to one batch here.
        for (int64_t i = 0; i < address.count; ++i) {
          T *block = y + address.blockOf(indices, i) * address.block;
          for (int64_t k = 0; k < address.block; ++k)
            put(block[k], updates[i * address.block + k], combine);
        }
        return "";
      };
      return build;
    });
  });
}

void cpu::addScatterKernels(KernelTable &table) {
  table.add("onnx.ScatterElements", makeScatterElements);
  table.add("onnx.ScatterND", makeScatterND);
}
