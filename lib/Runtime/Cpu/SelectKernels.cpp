//===- SelectKernels.cpp - Where and Clip ---------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Tested by test/unit/Runtime/ElementwiseTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"
#include "StridedLoop.h"

#include <limits>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

static KernelBuild makeWhere(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  const std::vector<int64_t> &shape = call.result(0).shape;
  for (size_t i = 0; i < 3; ++i)
    if (!broadcastsTo(call.operand(i).shape, shape))
      return refuse("the operands don't broadcast to the result");
  return withBytes(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 1, build.needs);
    donateOperand(call, 0, 2, build.needs);
    const StridedLoop<3> loop(shape,
                              {broadcastStrides(call.operand(0).shape, shape),
                               broadcastStrides(call.operand(1).shape, shape),
                               broadcastStrides(call.operand(2).shape, shape)});
    const int threads = cpu.threads;
    build.run = [loop, threads](const KernelBuffers &buffers) -> std::string {
      const uint8_t *condition = in<uint8_t>(buffers, 0);
      const T *x = in<T>(buffers, 1), *y = in<T>(buffers, 2);
      T *z = out<T>(buffers);
      const int64_t c = loop.rowStride(0), a = loop.rowStride(1),
                    b = loop.rowStride(2);
      parallelFor(threads, loop.numElements(), elementGrain,
                  [&](int64_t begin, int64_t end) {
                    loop.walk(begin, end,
                              [&](int64_t to,
                                  const std::array<int64_t, 3> &from,
                                  int64_t length) {
#pragma clang loop vectorize(assume_safety)
                                for (int64_t i = 0; i < length; ++i)
                                  z[to + i] = condition[from[0] + i * c]
                                                  ? x[from[1] + i * a]
                                                  : y[from[2] + i * b];
                              });
                  });
      return "";
    };
    return build;
  });
}

static KernelBuild makeClip(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  return withNumber(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    const int64_t n = call.result(0).numElements();
    const bool hasLow = call.hasOperand(1), hasHigh = call.hasOperand(2);
    const int threads = cpu.threads;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T low =
          hasLow ? *in<T>(buffers, 1) : std::numeric_limits<T>::lowest();
      const T high =
          hasHigh ? *in<T>(buffers, 2) : std::numeric_limits<T>::max();
      const T *x = in<T>(buffers, 0);
      T *y = out<T>(buffers);
      parallelFor(threads, n, elementGrain, [=](int64_t begin, int64_t end) {
#pragma clang loop vectorize(assume_safety)
        for (int64_t i = begin; i < end; ++i) {
          const T raised = hasLow && x[i] < low ? low : x[i];
          y[i] = hasHigh && raised > high ? high : raised;
        }
      });
      return "";
    };
    return build;
  });
}

void cpu::addSelectKernels(KernelTable &table) {
  table.add("onnx.Where", makeWhere);
  table.add("onnx.Clip", makeClip);
}
