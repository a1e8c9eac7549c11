//===- IndexGradKernels.cpp - Gradients of picking and slicing ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Each starts with zeros of the data's shape and adds dy where the forward op
// took its elements from. Where an element was taken several times the order of
// the additions is that of dy: threads share the columns behind the axis or the
// blocks in front of it, never one element.
//
// Tested by test/unit/Runtime/IndexTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "Parallel.h"
#include "SliceWindow.h"
#include "StridedLoop.h"

#include <algorithm>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

template <typename T>
static void clear(int threads, T *to, int64_t n) {
  parallelFor(threads, n, elementGrain, [=](int64_t begin, int64_t end) {
    std::fill(to + begin, to + end, T(0));
  });
}

/// (dy, indices) → ddata
static KernelBuild makeGatherGrad(const KernelCall &call,
                                  const CpuContext &cpu) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  const TensorDesc &data = call.result(0);
  const int64_t axis = normalizeAxis(call.intAttr("axis", 0), data.rank());
  if (axis < 0)
    return refuse("the axis is out of range");
  const int64_t outer = productOf(data.shape, 0, axis);
  const int64_t size = data.shape[axis];
  const int64_t inner = productOf(data.shape, axis + 1, data.rank());
  const int64_t count = call.operand(1).numElements();
  const int64_t n = data.numElements();
  const int threads = cpu.threads;
  return withFloat(data.type, [&](auto valueTag) {
    using T = typename decltype(valueTag)::type;
    return withIndex(call.operand(1).type, [&](auto indexTag) {
      using I = typename decltype(indexTag)::type;
      KernelBuild build;
      build.run = [=](const KernelBuffers &buffers) -> std::string {
        const T *dy = in<T>(buffers, 0);
        const I *indices = in<I>(buffers, 1);
        T *to = out<T>(buffers);
        if (std::string why = checkIndices(indices, count, size); !why.empty())
          return why;
        clear(threads, to, n);
        auto addColumns = [=](int64_t block, int64_t begin, int64_t end) {
          for (int64_t i = 0; i < count; ++i) {
            const T *__restrict from = dy + (block * count + i) * inner;
            T *__restrict row =
                to + (block * size + wrapIndex(indices[i], size)) * inner;
            for (int64_t j = begin; j < end; ++j)
              row[j] += from[j];
          }
        };
        if (outer > 1)
          parallelFor(threads, outer, 1, [&](int64_t begin, int64_t end) {
            for (int64_t block = begin; block < end; ++block)
              addColumns(block, 0, inner);
          });
        else
          parallelFor(threads, inner, 64, [&](int64_t begin, int64_t end) {
            addColumns(0, begin, end);
          });
        return "";
      };
      return build;
    });
  });
}

static KernelBuild makeGatherElementsGrad(const KernelCall &call,
                                          const CpuContext &cpu) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  const TensorDesc &data = call.result(0);
  const int64_t axis = normalizeAxis(call.intAttr("axis", 0), data.rank());
  if (axis < 0 || call.operand(1).rank() != data.rank())
    return refuse("the axis is out of range or the ranks differ");
  const ElementAddress address(data.shape, call.operand(1).shape, axis);
  const int64_t n = data.numElements();
  const int threads = cpu.threads;
  return withFloat(data.type, [&](auto valueTag) {
    using T = typename decltype(valueTag)::type;
    return withIndex(call.operand(1).type, [&](auto indexTag) {
      using I = typename decltype(indexTag)::type;
      KernelBuild build;
      build.run = [=](const KernelBuffers &buffers) -> std::string {
        const T *dy = in<T>(buffers, 0);
        const I *indices = in<I>(buffers, 1);
        T *to = out<T>(buffers);
        if (std::string why =
                checkIndices(indices, address.count, address.axisSize);
            !why.empty())
          return why;
        clear(threads, to, n);
        for (int64_t i = 0; i < address.count; ++i)
          to[address.of(i, wrapIndex(indices[i], address.axisSize))] += dy[i];
        return "";
      };
      return build;
    });
  });
}

static KernelBuild makeGatherNDGrad(const KernelCall &call,
                                    const CpuContext &cpu) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  TupleAddress address;
  if (std::string why =
          makeTupleAddress(call.result(0).shape, call.operand(1).shape,
                           call.intAttr("batch_dims", 0), address);
      !why.empty())
    return refuse(why);
  const int64_t n = call.result(0).numElements();
  const int threads = cpu.threads;
  return withFloat(call.result(0).type, [&](auto valueTag) {
    using T = typename decltype(valueTag)::type;
    return withIndex(call.operand(1).type, [&](auto indexTag) {
      using I = typename decltype(indexTag)::type;
      KernelBuild build;
      build.run = [=](const KernelBuffers &buffers) -> std::string {
        const T *dy = in<T>(buffers, 0);
        const I *indices = in<I>(buffers, 1);
        T *to = out<T>(buffers);
        if (std::string why = address.check(indices); !why.empty())
          return why;
        clear(threads, to, n);
        for (int64_t i = 0; i < address.count; ++i) {
          T *block = to + address.blockOf(indices, i) * address.block;
          for (int64_t k = 0; k < address.block; ++k)
            block[k] += dy[i * address.block + k];
        }
        return "";
      };
      return build;
    });
  });
}

/// (dy, starts, ends, axes?, steps?) → zeros with dy in the slice.
static KernelBuild makeSliceGrad(const KernelCall &call,
                                 const CpuContext &cpu) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  SliceWindow window;
  const TensorDesc &data = call.result(0);
  if (std::string why = readSlice(call, 1, data.shape, needs, window);
      !why.empty())
    return refuse(why);
  if (window.sizes != call.operand(0).shape)
    return refuse("the slice doesn't have dy's shape");
  std::vector<int64_t> strides = denseStrides(data.shape);
  int64_t base = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    base += strides[i] * window.starts[i];
    strides[i] *= window.steps[i];
  }
  const StridedLoop<1> loop(window.sizes, {strides}, {base});
  if (!loop.isValid())
    return refuse("the rank is too high");
  const int64_t n = data.numElements();
  const int threads = cpu.threads;
  return withBytes(data.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.needs = needs;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *dy = in<T>(buffers, 0);
      T *to = out<T>(buffers);
      clear(threads, to, n);
      const int64_t step = loop.rowStride(0);
      parallelFor(threads, loop.numElements(), elementGrain,
                  [&](int64_t begin, int64_t end) {
                    loop.walk(
                        begin, end,
                        [&](int64_t from, const auto &place, int64_t count) {
                          for (int64_t i = 0; i < count; ++i)
                            to[place[0] + i * step] = dy[from + i];
                        });
                  });
      return "";
    };
    return build;
  });
}

void cpu::addIndexGradKernels(KernelTable &table) {
  table.add("train.gather_grad", makeGatherGrad);
  table.add("train.gather_elements_grad", makeGatherElementsGrad);
  table.add("train.gather_nd_grad", makeGatherNDGrad);
  table.add("train.slice_grad", makeSliceGrad);
}
