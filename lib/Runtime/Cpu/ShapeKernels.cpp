//===- ShapeKernels.cpp - Elements in another order or number -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Reshape and its kin copy bytes (a planner makes them views). Transpose,
// Slice, Expand, Tile, DepthToSpace and SpaceToDepth are one loop: a dense
// result whose operand moves by other strides.
//
//   Tile [2,3] by (1,2): result seen as [1,2,2,3], strides (0, 3, 0, 1)
//
// Tested by test/unit/Runtime/ShapeTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"
#include "SliceWindow.h"
#include "StridedLoop.h"

#include <cstring>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

/// Same elements in the same order.
static KernelBuild makeCopy(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  if (call.operand(0).bytes() != call.result(0).bytes())
    return refuse(toString(call.operand(0)) + " doesn't fill " +
                  toString(call.result(0)));
  KernelBuild build;
  donateOperand(call, 0, 0, build.needs);
  for (unsigned i = 1; i < call.operands.size(); ++i)
    if (call.hasOperand(i) && call.operands[i]->constant)
      build.needs.hostOperands.push_back(i);
  const int64_t bytes = call.result(0).bytes();
  const int threads = cpu.threads;
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const std::byte *x = in<std::byte>(buffers, 0);
    std::byte *y = out<std::byte>(buffers);
    if (x != y)
      parallelFor(threads, bytes, 65536, [=](int64_t begin, int64_t end) {
        std::memcpy(y + begin, x + begin, static_cast<size_t>(end - begin));
      });
    return "";
  };
  return build;
}

static KernelBuild copyStrided(const KernelCall &call, const CpuContext &cpu,
                               const std::vector<int64_t> &shape,
                               const std::vector<int64_t> &strides,
                               int64_t base, KernelNeeds needs) {
  const StridedLoop<1> loop(shape, {strides}, {base});
  if (!loop.isValid())
    return refuse("the rank is too high");
  const int threads = cpu.threads;
  return withBytes(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.needs = std::move(needs);
    build.run = [loop, threads](const KernelBuffers &buffers) -> std::string {
      const T *x = in<T>(buffers, 0);
      T *y = out<T>(buffers);
      const int64_t step = loop.rowStride(0);
      parallelFor(threads, loop.numElements(), elementGrain,
                  [&](int64_t begin, int64_t end) {
                    loop.walk(begin, end,
                              [&](int64_t to, const auto &from, int64_t n) {
                                const T *source = x + from[0];
                                if (step == 1)
                                  std::memcpy(y + to, source, n * sizeof(T));
                                else
                                  for (int64_t i = 0; i < n; ++i)
                                    y[to + i] = source[i * step];
                              });
                  });
      return "";
    };
    return build;
  });
}

static KernelBuild makeTranspose(const KernelCall &call,
                                 const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  const int64_t rank = call.operand(0).rank();
  std::vector<int64_t> order;
  for (int64_t i = rank; i-- > 0;)
    order.push_back(i);
  order = call.intsAttr("perm", order);
  if (static_cast<int64_t>(order.size()) != rank)
    return refuse("perm doesn't have one entry per dimension");
  const std::vector<int64_t> dense = denseStrides(call.operand(0).shape);
  std::vector<int64_t> strides;
  for (int64_t axis : order) {
    if (axis < 0 || axis >= rank)
      return refuse("perm names no dimension");
    strides.push_back(dense[axis]);
  }
  return copyStrided(call, cpu, call.result(0).shape, strides, 0, {});
}

static KernelBuild makeExpand(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  if (!broadcastsTo(call.operand(0).shape, call.result(0).shape))
    return refuse("the operand doesn't broadcast to the result");
  KernelNeeds needs;
  if (call.hasOperand(1))
    needs.hostOperands.push_back(1);
  donateOperand(call, 0, 0, needs);
  if (!needs.donations.empty())
    return makeCopy(call, cpu);
  return copyStrided(
      call, cpu, call.result(0).shape,
      broadcastStrides(call.operand(0).shape, call.result(0).shape), 0, needs);
}

static KernelBuild makeTile(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  if (call.hasOperand(1))
    needs.hostOperands.push_back(1);
  const std::vector<int64_t> &from = call.operand(0).shape;
  const std::vector<int64_t> &to = call.result(0).shape;
  if (from.size() != to.size())
    return refuse("the result has another rank");
  const std::vector<int64_t> dense = denseStrides(from);
  std::vector<int64_t> shape, strides;
  for (size_t i = 0; i < from.size(); ++i) {
    shape.push_back(from[i] == 0 ? 0 : to[i] / from[i]);
    shape.push_back(from[i]);
    strides.push_back(0);
    strides.push_back(dense[i]);
  }
  return copyStrided(call, cpu, shape, strides, 0, needs);
}

/// [N, C, H, W] in blocks of b × b; the result seen as [N, C, H, b, W, b].
static KernelBuild makeDepthToSpace(const KernelCall &call,
                                    const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  const int64_t b = call.intAttr("blocksize", 0);
  const std::vector<int64_t> &x = call.operand(0).shape;
  if (x.size() != 4 || b <= 0)
    return refuse("needs four dimensions and a block size");
  const int64_t plane = x[2] * x[3], channels = x[1] / (b * b);
  const bool columnFirst = call.stringAttr("mode", "DCR") == "CRD";
  const int64_t channel = columnFirst ? b * b * plane : plane;
  const int64_t column = columnFirst ? plane : channels * plane;
  return copyStrided(call, cpu, {x[0], channels, x[2], b, x[3], b},
                     {x[1] * plane, channel, x[3], b * column, 1, column}, 0,
                     {});
}

static KernelBuild makeSpaceToDepth(const KernelCall &call,
                                    const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  const int64_t b = call.intAttr("blocksize", 0);
  const std::vector<int64_t> &x = call.operand(0).shape;
  if (x.size() != 4 || b <= 0)
    return refuse("needs four dimensions and a block size");
  const int64_t plane = x[2] * x[3];
  if (call.stringAttr("mode", "DCR") == "CRD")
    return copyStrided(call, cpu, {x[0], x[1], b, b, x[2] / b, x[3] / b},
                       {x[1] * plane, plane, x[3], 1, b * x[3], b}, 0, {});
  return copyStrided(call, cpu, {x[0], b, b, x[1], x[2] / b, x[3] / b},
                     {x[1] * plane, x[3], 1, plane, b * x[3], b}, 0, {});
}

/// Starts and steps per dimension; the result's shape says how many elements.
static KernelBuild makeSlice(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  SliceWindow window;
  if (std::string why =
          readSlice(call, 1, call.operand(0).shape, needs, window);
      !why.empty())
    return refuse(why);
  const std::vector<int64_t> dense = denseStrides(call.operand(0).shape);
  std::vector<int64_t> strides;
  int64_t base = 0;
  for (size_t i = 0; i < dense.size(); ++i) {
    strides.push_back(dense[i] * window.steps[i]);
    base += dense[i] * window.starts[i];
  }
  if (window.sizes != call.result(0).shape)
    return refuse("the slice doesn't have the result's shape");
  return copyStrided(call, cpu, call.result(0).shape, strides, base, needs);
}

void cpu::addShapeKernels(KernelTable &table) {
  for (const char *name : {"onnx.Identity", "onnx.Reshape", "onnx.Flatten",
                           "onnx.Squeeze", "onnx.Unsqueeze"})
    table.add(name, makeCopy);
  table.add("onnx.Transpose", makeTranspose);
  table.add("onnx.Expand", makeExpand);
  table.add("onnx.Tile", makeTile);
  table.add("onnx.DepthToSpace", makeDepthToSpace);
  table.add("onnx.SpaceToDepth", makeSpaceToDepth);
  table.add("onnx.Slice", makeSlice);
}
