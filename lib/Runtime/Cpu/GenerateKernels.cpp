//===- GenerateKernels.cpp - Values from shapes, ranges and positions -----===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Shape, Size, ConstantOfShape, Range, CumSum, Trilu, ArgMax, ArgMin, TopK.
//
// ConstantOfShape takes its value as a number under "value" (the compiler
// unpacks the one-element tensor).
//
// Tested by test/unit/Runtime/ShapeTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"

#include <algorithm>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

static KernelBuild makeShape(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  std::vector<int64_t> values = call.operand(0).shape;
  const int64_t rank = call.operand(0).rank();
  auto clamp = [rank](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  const int64_t start = clamp(call.intAttr("start", 0));
  const int64_t end = std::max(start, clamp(call.intAttr("end", rank)));
  values = std::vector<int64_t>(values.begin() + start, values.begin() + end);
  if (call.kernel == "onnx.Size")
    values = {call.operand(0).numElements()};
  KernelBuild build;
  build.run = [values](const KernelBuffers &buffers) -> std::string {
    std::copy(values.begin(), values.end(), out<int64_t>(buffers));
    return "";
  };
  return build;
}

static KernelBuild makeConstantOfShape(const KernelCall &call,
                                       const CpuContext &cpu) {
  if (std::string why = checkArity(call, 0); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  if (call.hasOperand(0) && call.operands[0]->constant)
    needs.hostOperands.push_back(0);
  const double real = call.floatAttr("value", 0);
  const int64_t whole = call.intAttr("value", static_cast<int64_t>(real));
  const int64_t n = call.result(0).numElements();
  const int threads = cpu.threads;
  auto fill = [&](auto value) {
    KernelBuild build;
    build.needs = needs;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      auto *y = out<decltype(value)>(buffers);
      parallelFor(threads, n, elementGrain, [=](int64_t begin, int64_t end) {
        std::fill(y + begin, y + end, value);
      });
      return "";
    };
    return build;
  };
  if (call.result(0).type == DataType::Bool)
    return fill(static_cast<uint8_t>(whole != 0 || real != 0));
  return withNumber(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>)
      return fill(static_cast<T>(real));
    else
      return fill(static_cast<T>(whole));
  });
}

static KernelBuild makeRange(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  const int64_t n = call.result(0).numElements();
  return withNumber(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [n](const KernelBuffers &buffers) -> std::string {
      const T start = *in<T>(buffers, 0), delta = *in<T>(buffers, 2);
      T *y = out<T>(buffers);
      for (int64_t i = 0; i < n; ++i)
        y[i] = static_cast<T>(start + static_cast<T>(i) * delta);
      return "";
    };
    return build;
  });
}

static KernelBuild makeCumSum(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  std::vector<int64_t> axes;
  if (!readHostInts(call, 1, needs, axes) || axes.size() != 1)
    return refuse("the axis must be a constant");
  const TensorDesc &x = call.operand(0);
  const int64_t axis = normalizeAxis(axes[0], x.rank());
  if (axis < 0)
    return refuse("the axis is out of range");
  const int64_t outer = productOf(x.shape, 0, axis), size = x.shape[axis];
  const int64_t inner = productOf(x.shape, axis + 1, x.rank());
  const bool exclusive = call.intAttr("exclusive", 0) != 0;
  const bool reverse = call.intAttr("reverse", 0) != 0;
  return withNumber(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.needs = needs;
    donateOperand(call, 0, 0, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *from = in<T>(buffers, 0);
      T *to = out<T>(buffers);
      for (int64_t row = 0; row < outer * inner; ++row) {
        const int64_t first = row / inner * size * inner + row % inner;
        T sum = 0;
        for (int64_t k = 0; k < size; ++k) {
          const int64_t i = first + (reverse ? size - 1 - k : k) * inner;
          const T value = from[i];
          to[i] = exclusive ? sum : static_cast<T>(sum + value);
          sum = static_cast<T>(sum + value);
        }
      }
      return "";
    };
    return build;
  });
}

static KernelBuild makeTrilu(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  const TensorDesc &x = call.operand(0);
  if (x.rank() < 2)
    return refuse("needs two dimensions");
  KernelNeeds needs;
  std::vector<int64_t> diagonal = {0};
  if (call.hasOperand(1) && !readHostInts(call, 1, needs, diagonal))
    return refuse("k must be a constant");
  const int64_t k = diagonal.empty() ? 0 : diagonal[0];
  const bool upper = call.intAttr("upper", 1) != 0;
  const int64_t rows = x.shape[x.rank() - 2], columns = x.shape.back();
  const int64_t n = x.numElements();
  return withBytes(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.needs = needs;
    donateOperand(call, 0, 0, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *from = in<T>(buffers, 0);
      T *to = out<T>(buffers);
      for (int64_t i = 0; i < n; ++i) {
        const int64_t row = i / columns % rows, column = i % columns;
        const bool keep = upper ? column - row >= k : column - row <= k;
        to[i] = keep ? from[i] : T(0);
      }
      return "";
    };
    return build;
  });
}

template <bool isMax>
static KernelBuild makeArg(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  const TensorDesc &x = call.operand(0);
  const int64_t axis = normalizeAxis(call.intAttr("axis", 0), x.rank());
  if (axis < 0)
    return refuse("the axis is out of range");
  const int64_t outer = productOf(x.shape, 0, axis), size = x.shape[axis];
  const int64_t inner = productOf(x.shape, axis + 1, x.rank());
  const bool last = call.intAttr("select_last_index", 0) != 0;
  return withNumber(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *from = in<T>(buffers, 0);
      int64_t *to = out<int64_t>(buffers);
      for (int64_t row = 0; row < outer * inner; ++row) {
        const T *first = from + row / inner * size * inner + row % inner;
        int64_t best = 0;
        for (int64_t k = 1; k < size; ++k) {
          const T a = first[k * inner], b = first[best * inner];
          if ((isMax ? a > b : a < b) || (last && a == b))
            best = k;
        }
        to[row] = best;
      }
      return "";
    };
    return build;
  });
}

/// The k largest or smallest, sorted; equal values by index. Chooses one by one
/// among those behind the last choice, so it needs no memory.
static KernelBuild makeTopK(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 2, 2); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  std::vector<int64_t> count;
  if (!readHostInts(call, 1, needs, count))
    return refuse("k must be a constant");
  const TensorDesc &x = call.operand(0);
  const int64_t axis = normalizeAxis(call.intAttr("axis", -1), x.rank());
  if (axis < 0)
    return refuse("the axis is out of range");
  const int64_t outer = productOf(x.shape, 0, axis), size = x.shape[axis];
  const int64_t inner = productOf(x.shape, axis + 1, x.rank());
  const int64_t k = call.result(0).shape[axis];
  const bool largest = call.intAttr("largest", 1) != 0;
  return withNumber(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.needs = needs;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *from = in<T>(buffers, 0);
      T *values = out<T>(buffers, 0);
      int64_t *indices = out<int64_t>(buffers, 1);
      auto before = [largest](T a, int64_t i, T b, int64_t j) {
        if (a != b)
          return largest ? a > b : a < b;
        return i < j;
      };
      for (int64_t row = 0; row < outer * inner; ++row) {
        const T *first = from + row / inner * size * inner + row % inner;
        const int64_t start = row / inner * k * inner + row % inner;
        int64_t chosen = -1;
        for (int64_t c = 0; c < k; ++c) {
          int64_t best = -1;
          for (int64_t i = 0; i < size; ++i) {
            if (chosen >= 0 &&
                !before(first[chosen * inner], chosen, first[i * inner], i))
              continue;
            if (best < 0 ||
                before(first[i * inner], i, first[best * inner], best))
              best = i;
          }
          if (best < 0)
            return "values that can't be ordered";
          chosen = best;
          values[start + c * inner] = first[best * inner];
          indices[start + c * inner] = best;
        }
      }
      return "";
    };
    return build;
  });
}

void cpu::addGenerateKernels(KernelTable &table) {
  table.add("onnx.Shape", makeShape);
  table.add("onnx.Size", makeShape);
  table.add("onnx.ConstantOfShape", makeConstantOfShape);
  table.add("onnx.Range", makeRange);
  table.add("onnx.CumSum", makeCumSum);
  table.add("onnx.Trilu", makeTrilu);
  table.add("onnx.ArgMax", makeArg<true>);
  table.add("onnx.ArgMin", makeArg<false>);
  table.add("onnx.TopK", makeTopK);
}
