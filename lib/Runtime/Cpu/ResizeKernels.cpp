//===- ResizeKernels.cpp - Resize and its gradient ------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every dimension has a table: for each index of the result, two indices of the
// operand and the weight of the second (0 for nearest). A result element is the
// weighted sum over all combinations of dimensions that interpolate.
//
//   2 → 4, linear, half_pixel: positions -0.25, 0.25, 0.75, 1.25, so
//   (0,0; 0) (0,1; 0.25) (0,1; 0.75) (1,1; 0)
//
// The gradient walks the same tables and adds instead of reading. Modes nearest
// and linear; no anti-aliasing, no crop.
//
// Tested by test/unit/Runtime/ShapeTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "StridedLoop.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {
struct Sample {
  int64_t low = 0, high = 0;
  double highWeight = 0;
};
using SampleTable = std::vector<Sample>;
} // namespace

static double sourcePosition(const std::string &mode, int64_t i, int64_t from,
                             int64_t to, double scale) {
  const double at = static_cast<double>(i);
  if (mode == "asymmetric")
    return at / scale;
  if (mode == "align_corners") {
    const double length = scale * static_cast<double>(from);
    return to == 1 ? 0 : at * static_cast<double>(from - 1) / (length - 1);
  }
  if (mode == "pytorch_half_pixel" && to == 1)
    return 0;
  if (mode == "half_pixel_symmetric") {
    const double adjustment =
        static_cast<double>(to) / (scale * static_cast<double>(from));
    const double center = static_cast<double>(from) / 2;
    return center * (1 - adjustment) + (at + 0.5) / scale - 0.5;
  }
  return (at + 0.5) / scale - 0.5;
}

static Sample nearestSample(const std::string &mode, double x, int64_t from) {
  double index;
  if (mode == "floor")
    index = std::floor(x);
  else if (mode == "ceil")
    index = std::ceil(x);
  else if (mode == "round_prefer_ceil")
    index = std::floor(x + 0.5);
  else
    index = std::ceil(x - 0.5);
  const int64_t i =
      std::clamp<int64_t>(static_cast<int64_t>(index), 0, from - 1);
  return {i, i, 0};
}

static Sample linearSample(double x, int64_t from) {
  x = std::clamp(x, 0.0, static_cast<double>(from - 1));
  const auto low = static_cast<int64_t>(x);
  return {low, std::min(low + 1, from - 1), x - static_cast<double>(low)};
}

/// Scales per dimension: given, or the quotient of the sizes.
static bool readScales(const KernelCall &call, unsigned operand,
                       const std::vector<int64_t> &from,
                       const std::vector<int64_t> &to, KernelNeeds &needs,
                       std::vector<double> &scales) {
  scales.clear();
  for (size_t d = 0; d < from.size(); ++d)
    scales.push_back(static_cast<double>(to[d]) / static_cast<double>(from[d]));
  if (!call.hasOperand(operand) || call.operand(operand).numElements() == 0)
    return true;
  const KernelOperand &given = *call.operands[operand];
  if (!given.constant || given.desc.type != DataType::Float32)
    return false;
  needs.hostOperands.push_back(operand);
  std::vector<int64_t> axes = call.intsAttr("axes");
  const auto rank = static_cast<int64_t>(from.size());
  if (axes.empty())
    for (int64_t d = 0; d < rank; ++d)
      axes.push_back(d);
  if (given.desc.numElements() != static_cast<int64_t>(axes.size()))
    return false;
  for (size_t i = 0; i < axes.size(); ++i) {
    float value;
    std::memcpy(&value, given.constant->data() + i * sizeof(value),
                sizeof(value));
    const int64_t axis = normalizeAxis(axes[i], rank);
    if (axis < 0)
      return false;
    scales[axis] = value;
  }
  return true;
}

static std::string makeTables(const KernelCall &call, unsigned scalesOperand,
                              const std::vector<int64_t> &from,
                              const std::vector<int64_t> &to,
                              KernelNeeds &needs,
                              std::vector<SampleTable> &tables) {
  const std::string mode = call.stringAttr("mode", "nearest");
  const std::string coordinates =
      call.stringAttr("coordinate_transformation_mode", "half_pixel");
  const std::string nearest =
      call.stringAttr("nearest_mode", "round_prefer_floor");
  if ((mode != "nearest" && mode != "linear") ||
      coordinates == "tf_crop_and_resize" || call.intAttr("antialias", 0) != 0)
    return "only nearest and linear without crop and anti-aliasing are "
           "supported";
  if (from.size() != to.size() || from.size() > 16)
    return "the ranks don't fit";
  std::vector<double> scales;
  if (!readScales(call, scalesOperand, from, to, needs, scales))
    return "scales must be constant";
  for (size_t d = 0; d < from.size(); ++d) {
    SampleTable table;
    for (int64_t i = 0; i < to[d]; ++i) {
      if (from[d] == to[d] && scales[d] == 1.0) {
        table.push_back({i, i, 0});
        continue;
      }
      const double x =
          sourcePosition(coordinates, i, from[d], to[d], scales[d]);
      table.push_back(mode == "nearest" ? nearestSample(nearest, x, from[d])
                                        : linearSample(x, from[d]));
    }
    tables.push_back(std::move(table));
  }
  return "";
}

/// Calls `visit(large offset, small offset, weight)` for every contribution:
/// "large" is the resized side.
template <typename Visit>
static void walkSamples(const std::vector<SampleTable> &tables,
                        const std::vector<int64_t> &strides,
                        const Visit &visit) {
  int64_t count = 1;
  for (const SampleTable &table : tables)
    count *= static_cast<int64_t>(table.size());
  const size_t rank = tables.size();
  for (int64_t e = 0; e < count; ++e) {
    const Sample *samples[16];
    int64_t rest = e;
    unsigned blended = 0;
    for (size_t d = rank; d-- > 0;) {
      const auto size = static_cast<int64_t>(tables[d].size());
      samples[d] = &tables[d][rest % size];
      rest /= size;
      if (samples[d]->highWeight != 0)
        blended |= 1u << d;
    }
    // All subsets of the blended dimensions, from none to all.
    unsigned high = 0;
    do {
      int64_t offset = 0;
      double weight = 1;
      for (size_t d = 0; d < rank; ++d) {
        const bool isHigh = (high >> d) & 1;
        offset += strides[d] * (isHigh ? samples[d]->high : samples[d]->low);
        if ((blended >> d) & 1)
          weight *=
              isHigh ? samples[d]->highWeight : 1 - samples[d]->highWeight;
      }
      visit(e, offset, weight);
      high = (high - blended) & blended;
    } while (high != 0);
  }
}

/// Resize(x, roi, scales?, sizes?) → y
static KernelBuild makeResize(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  std::vector<SampleTable> tables;
  if (std::string why = makeTables(call, 2, call.operand(0).shape,
                                   call.result(0).shape, needs, tables);
      !why.empty())
    return refuse(why);
  for (unsigned i : {1u, 3u})
    if (call.hasOperand(i) && call.operands[i]->constant)
      needs.hostOperands.push_back(i);
  const std::vector<int64_t> strides = denseStrides(call.operand(0).shape);
  const int64_t bytes = call.result(0).bytes();
  return withNumber(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.needs = needs;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *x = in<T>(buffers, 0);
      T *y = out<T>(buffers);
      std::memset(y, 0, static_cast<size_t>(bytes));
      walkSamples(tables, strides, [=](int64_t to, int64_t from, double w) {
        y[to] = static_cast<T>(y[to] + w * static_cast<double>(x[from]));
      });
      return "";
    };
    return build;
  });
}

/// train.resize_grad(dy, scales?) → dx
static KernelBuild makeResizeGrad(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  std::vector<SampleTable> tables;
  if (std::string why = makeTables(call, 1, call.result(0).shape,
                                   call.operand(0).shape, needs, tables);
      !why.empty())
    return refuse(why);
  const std::vector<int64_t> strides = denseStrides(call.result(0).shape);
  const int64_t bytes = call.result(0).bytes();
  return withFloat(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.needs = needs;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *dy = in<T>(buffers, 0);
      T *dx = out<T>(buffers);
      std::memset(dx, 0, static_cast<size_t>(bytes));
      walkSamples(tables, strides, [=](int64_t from, int64_t to, double w) {
        dx[to] += static_cast<T>(w * static_cast<double>(dy[from]));
      });
      return "";
    };
    return build;
  });
}

void cpu::addResizeKernels(KernelTable &table) {
  table.add("onnx.Resize", makeResize);
  table.add("train.resize_grad", makeResizeGrad);
}
