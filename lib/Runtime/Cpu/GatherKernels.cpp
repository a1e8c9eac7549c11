//===- GatherKernels.cpp - Elements picked by indices ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Gather, GatherElements, GatherND, OneHot. Negative indices count from the
// end; an index out of range is refused with its value and the size of the
// axis, before anything is written.
//
// Tested by test/unit/Runtime/IndexTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "Parallel.h"
#include "StridedLoop.h"

#include <cstring>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

static KernelBuild makeGather(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  const TensorDesc &data = call.operand(0);
  const int64_t axis = normalizeAxis(call.intAttr("axis", 0), data.rank());
  if (axis < 0)
    return refuse("the axis is out of range");
  const int64_t outer = productOf(data.shape, 0, axis);
  const int64_t size = data.shape[axis];
  const int64_t blockBytes =
      productOf(data.shape, axis + 1, data.rank()) * sizeInBytes(data.type);
  const int64_t count = call.operand(1).numElements();
  const int threads = cpu.threads;
  return withIndex(call.operand(1).type, [&](auto tag) {
    using I = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const std::byte *x = in<std::byte>(buffers, 0);
      const I *indices = in<I>(buffers, 1);
      std::byte *y = out<std::byte>(buffers);
      if (std::string why = checkIndices(indices, count, size); !why.empty())
        return why;
      const int64_t grain = 1 + 65536 / (blockBytes + 1);
      parallelFor(threads, outer * count, grain,
                  [=](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                      const int64_t block = i / count * size +
                                            wrapIndex(indices[i % count], size);
                      std::memcpy(y + i * blockBytes, x + block * blockBytes,
                                  static_cast<size_t>(blockBytes));
                    }
                  });
      return "";
    };
    return build;
  });
}

static KernelBuild makeGatherElements(const KernelCall &call,
                                      const CpuContext &) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  const TensorDesc &data = call.operand(0);
  const int64_t axis = normalizeAxis(call.intAttr("axis", 0), data.rank());
  if (axis < 0 || call.operand(1).rank() != data.rank())
    return refuse("the axis is out of range or the ranks differ");
  const ElementAddress address(data.shape, call.operand(1).shape, axis);
  return withBytes(data.type, [&](auto valueTag) {
    using T = typename decltype(valueTag)::type;
    return withIndex(call.operand(1).type, [&](auto indexTag) {
      using I = typename decltype(indexTag)::type;
      KernelBuild build;
      build.run = [address](const KernelBuffers &buffers) -> std::string {
        const T *x = in<T>(buffers, 0);
        const I *indices = in<I>(buffers, 1);
        T *y = out<T>(buffers);
        if (std::string why =
                checkIndices(indices, address.count, address.axisSize);
            !why.empty())
          return why;
        for (int64_t i = 0; i < address.count; ++i)
          y[i] = x[address.of(i, wrapIndex(indices[i], address.axisSize))];
        return "";
      };
      return build;
    });
  });
}

static KernelBuild makeGatherND(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  TupleAddress address;
  if (std::string why =
          makeTupleAddress(call.operand(0).shape, call.operand(1).shape,
                           call.intAttr("batch_dims", 0), address);
      !why.empty())
    return refuse(why);
  const int64_t blockBytes = address.block * sizeInBytes(call.result(0).type);
  return withIndex(call.operand(1).type, [&](auto tag) {
    using I = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const std::byte *x = in<std::byte>(buffers, 0);
      const I *indices = in<I>(buffers, 1);
      std::byte *y = out<std::byte>(buffers);
      if (std::string why = address.check(indices); !why.empty())
        return why;
      for (int64_t i = 0; i < address.count; ++i)
        std::memcpy(y + i * blockBytes,
                    x + address.blockOf(indices, i) * blockBytes,
                    static_cast<size_t>(blockBytes));
      return "";
    };
    return build;
  });
}

/// OneHot(indices, depth, values): indices out of range give rows of the off
/// value.
static KernelBuild makeOneHot(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  const TensorDesc &result = call.result(0);
  const int64_t axis = normalizeAxis(call.intAttr("axis", -1), result.rank());
  if (axis < 0)
    return refuse("the axis is out of range");
  const int64_t outer = productOf(result.shape, 0, axis);
  const int64_t depth = result.shape[axis];
  const int64_t inner = productOf(result.shape, axis + 1, result.rank());
  KernelNeeds needs;
  if (call.operands[1]->constant)
    needs.hostOperands.push_back(1);
  return withBytes(result.type, [&](auto valueTag) {
    using T = typename decltype(valueTag)::type;
    return withNumber(call.operand(0).type, [&](auto indexTag) {
      using I = typename decltype(indexTag)::type;
      KernelBuild build;
      build.needs = needs;
      build.run = [=](const KernelBuffers &buffers) -> std::string {
        const I *indices = in<I>(buffers, 0);
        const T *values = in<T>(buffers, 2);
        T *y = out<T>(buffers);
        for (int64_t i = 0; i < outer * depth * inner; ++i)
          y[i] = values[0];
        for (int64_t i = 0; i < outer * inner; ++i) {
          const int64_t index =
              wrapIndex(static_cast<int64_t>(indices[i]), depth);
          if (index >= 0 && index < depth)
            y[(i / inner * depth + index) * inner + i % inner] = values[1];
        }
        return "";
      };
      return build;
    });
  });
}

void cpu::addGatherKernels(KernelTable &table) {
  table.add("onnx.Gather", makeGather);
  table.add("onnx.GatherElements", makeGatherElements);
  table.add("onnx.GatherND", makeGatherND);
  table.add("onnx.OneHot", makeOneHot);
}
