//===- SoftmaxKernels.cpp - Softmax, LogSoftmax and their gradients -------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One line of elements along the axis at a time; sums in double. Each line is
// read before it is written, so results may take an operand's place.
//
//   softmax_grad      dx = (dy - sum(dy * y)) * y
//   log_softmax_grad  dx = dy - exp(y) * sum(dy)
//
// Tested by test/unit/Runtime/ReduceTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"

#include <algorithm>
#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {

/// Elements first, first + inner, …: `size` of them.
template <typename T>
struct Line {
  const T *x;
  const T *dy;
  T *to;
  int64_t size, inner;
};

struct SoftmaxLine {
  template <typename T>
  static void run(const Line<T> &line) {
    T top = line.x[0];
    for (int64_t k = 1; k < line.size; ++k)
      top = std::max(top, line.x[k * line.inner]);
    double sum = 0;
    for (int64_t k = 0; k < line.size; ++k) {
      const T value = std::exp(line.x[k * line.inner] - top);
      line.to[k * line.inner] = value;
      sum += static_cast<double>(value);
    }
    const T scale = static_cast<T>(1.0 / sum);
    for (int64_t k = 0; k < line.size; ++k)
      line.to[k * line.inner] *= scale;
  }
};

struct LogSoftmaxLine {
  template <typename T>
  static void run(const Line<T> &line) {
    T top = line.x[0];
    for (int64_t k = 1; k < line.size; ++k)
      top = std::max(top, line.x[k * line.inner]);
    double sum = 0;
    for (int64_t k = 0; k < line.size; ++k)
      sum += static_cast<double>(std::exp(line.x[k * line.inner] - top));
    const T shift = static_cast<T>(std::log(sum));
    for (int64_t k = 0; k < line.size; ++k)
      line.to[k * line.inner] = line.x[k * line.inner] - top - shift;
  }
};

struct SoftmaxGradLine {
  template <typename T>
  static void run(const Line<T> &line) {
    double dot = 0;
    for (int64_t k = 0; k < line.size; ++k)
      dot += static_cast<double>(line.dy[k * line.inner]) *
             static_cast<double>(line.x[k * line.inner]);
    const T shift = static_cast<T>(dot);
    for (int64_t k = 0; k < line.size; ++k) {
      const int64_t i = k * line.inner;
      line.to[i] = (line.dy[i] - shift) * line.x[i];
    }
  }
};

struct LogSoftmaxGradLine {
  template <typename T>
  static void run(const Line<T> &line) {
    double sum = 0;
    for (int64_t k = 0; k < line.size; ++k)
      sum += static_cast<double>(line.dy[k * line.inner]);
    const T scale = static_cast<T>(sum);
    for (int64_t k = 0; k < line.size; ++k) {
      const int64_t i = k * line.inner;
      line.to[i] = line.dy[i] - std::exp(line.x[i]) * scale;
    }
  }
};

} // namespace

/// Forward kernels read x; gradients read dy, then y.
template <typename LineKernel, bool isGradient>
static KernelBuild makeLines(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, isGradient ? 2 : 1); !why.empty())
    return refuse(why);
  const TensorDesc &x = call.result(0);
  const int64_t axis = normalizeAxis(call.intAttr("axis", -1), x.rank());
  if (axis < 0)
    return refuse("the axis is out of range");
  const int64_t outer = productOf(x.shape, 0, axis), size = x.shape[axis];
  const int64_t inner = productOf(x.shape, axis + 1, x.rank());
  const int threads = cpu.threads;
  return withFloat(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateElementwise(call, 0, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      if (size == 0)
        return "";
      const int64_t grain = std::max<int64_t>(1, elementGrain / 8 / size);
      parallelFor(
          threads, outer * inner, grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              const int64_t first = i / inner * size * inner + i % inner;
              LineKernel::run(
                  Line<T>{in<T>(buffers, isGradient ? 1 : 0) + first,
                          in<T>(buffers, 0) + first, out<T>(buffers) + first,
                          size, inner});
            }
          });
      return "";
    };
    return build;
  });
}

void cpu::addSoftmaxKernels(KernelTable &table) {
  table.add("onnx.Softmax", makeLines<SoftmaxLine, false>);
  table.add("onnx.LogSoftmax", makeLines<LogSoftmaxLine, false>);
  table.add("train.softmax_grad", makeLines<SoftmaxGradLine, true>);
  table.add("train.log_softmax_grad", makeLines<LogSoftmaxGradLine, true>);
}
