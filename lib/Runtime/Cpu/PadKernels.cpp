//===- PadKernels.cpp - Pad, and the gradient of Pad ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every dimension has a table: for each index of the padded side, the index
// that its value comes from, or -1 for the constant. All modes and negative
// pads are tables; the kernel looks one up per dimension.
//
//   4 elements, reflect, pads 2 and 1:  2 1 | 0 1 2 3 | 2
//
// The gradient adds each padded element to where it came from, in the order of
// the padded side.
//
// Tested by test/unit/Runtime/ShapeTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"
#include "StridedLoop.h"

#include <cstring>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

using SourceTables = std::vector<std::vector<int64_t>>;

static int64_t sourceOf(int64_t index, int64_t size, const std::string &mode) {
  if (index >= 0 && index < size)
    return index;
  if (mode == "edge")
    return index < 0 ? 0 : size - 1;
  if (mode == "wrap")
    return ((index % size) + size) % size;
  if (mode == "reflect") {
    if (size == 1)
      return 0;
    const int64_t period = 2 * (size - 1);
    const int64_t phase = ((index % period) + period) % period;
    return phase < size ? phase : period - phase;
  }
  return -1;
}

/// One table per dimension; what is wrong, or empty.
static std::string makeTables(const KernelCall &call, unsigned axesOperand,
                              const std::vector<int64_t> &from,
                              const std::vector<int64_t> &to,
                              KernelNeeds &needs, SourceTables &tables) {
  const auto rank = static_cast<int64_t>(from.size());
  std::vector<int64_t> pads, axes;
  if (!readHostInts(call, 1, needs, pads))
    return "pads must be constant";
  if (!call.hasOperand(axesOperand))
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(i);
  else if (!readHostInts(call, axesOperand, needs, axes))
    return "axes must be constant";
  if (pads.size() != 2 * axes.size())
    return "there must be two pads per axis";
  const std::string mode = call.stringAttr("mode", "constant");
  std::vector<int64_t> before(rank, 0), after(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = normalizeAxis(axes[i], rank);
    if (axis < 0)
      return "an axis is out of range";
    before[axis] = pads[i];
    after[axis] = pads[axes.size() + i];
  }
  for (int64_t d = 0; d < rank; ++d) {
    if (from[d] + before[d] + after[d] != to[d])
      return "the pads don't lead to the result's shape";
    if (mode != "constant" && from[d] == 0 && to[d] != 0)
      return "there is nothing to repeat";
    std::vector<int64_t> table;
    for (int64_t i = 0; i < to[d]; ++i)
      table.push_back(sourceOf(i - before[d], from[d], mode));
    tables.push_back(std::move(table));
  }
  if (tables.empty())
    tables.push_back({0});
  return "";
}

/// Calls `row(padded offset, source offset or -1)` for each row of the padded
/// side; the last table is the row's own.
template <typename Row>
static void walkRows(const SourceTables &tables,
                     const std::vector<int64_t> &strides, const Row &row) {
  int64_t rows = 1;
  const size_t last = tables.size() - 1;
  for (size_t d = 0; d < last; ++d)
    rows *= static_cast<int64_t>(tables[d].size());
  const auto length = static_cast<int64_t>(tables[last].size());
  for (int64_t r = 0; r < rows; ++r) {
    int64_t rest = r, source = 0;
    for (size_t d = last; d-- > 0;) {
      const auto size = static_cast<int64_t>(tables[d].size());
      const int64_t from = tables[d][rest % size];
      rest /= size;
      source = from < 0 || source < 0 ? -1 : source + from * strides[d];
    }
    row(r * length, source);
  }
}

static KernelBuild makePad(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  SourceTables tables;
  if (std::string why = makeTables(call, 3, call.operand(0).shape,
                                   call.result(0).shape, needs, tables);
      !why.empty())
    return refuse(why);
  const std::vector<int64_t> strides = denseStrides(call.operand(0).shape);
  const bool hasValue = call.hasOperand(2);
  return withBytes(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.needs = needs;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *x = in<T>(buffers, 0);
      T *y = out<T>(buffers);
      const T value = hasValue ? *in<T>(buffers, 2) : T(0);
      const std::vector<int64_t> &columns = tables.back();
      walkRows(tables, strides, [&](int64_t to, int64_t from) {
        for (size_t i = 0; i < columns.size(); ++i)
          y[to + i] = from < 0 || columns[i] < 0 ? value : x[from + columns[i]];
      });
      return "";
    };
    return build;
  });
}

/// train.pad_grad(dy, pads, axes?) → dx.
static KernelBuild makePadGrad(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  SourceTables tables;
  if (std::string why = makeTables(call, 2, call.result(0).shape,
                                   call.operand(0).shape, needs, tables);
      !why.empty())
    return refuse(why);
  const std::vector<int64_t> strides = denseStrides(call.result(0).shape);
  return withFloat(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.needs = needs;
    const int64_t bytes = call.result(0).bytes();
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *dy = in<T>(buffers, 0);
      T *dx = out<T>(buffers);
      std::memset(dx, 0, static_cast<size_t>(bytes));
      const std::vector<int64_t> &columns = tables.back();
      walkRows(tables, strides, [&](int64_t to, int64_t from) {
        if (from < 0)
          return;
        for (size_t i = 0; i < columns.size(); ++i)
          if (columns[i] >= 0)
            dx[from + columns[i]] += dy[to + i];
      });
      return "";
    };
    return build;
  });
}

void cpu::addPadKernels(KernelTable &table) {
  table.add("onnx.Pad", makePad);
  table.add("train.pad_grad", makePadGrad);
}
