//===- UnaryGradKernels.cpp - dx = dy * f'(x), element by element ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One small struct per function, applied to dy and the saved value: the
// function's result where that is enough (relu, sigmoid, tanh, sqrt), else its
// operand. dx may take the place of either.
//
// Tested by test/unit/Runtime/ElementwiseTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"
#include "StridedLoop.h"

#include <cmath>
#include <limits>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {

#define LOWTIDE_GRAD(NAME, EXPR)                                               \
  template <typename T>                                                        \
  struct NAME {                                                                \
    explicit NAME(const KernelCall &) {}                                       \
    T operator()(T dy, T v) const { return static_cast<T>(EXPR); }             \
  };
LOWTIDE_GRAD(ReluGrad, v > T(0) ? dy : T(0))
LOWTIDE_GRAD(SigmoidGrad, dy *v *(T(1) - v))
LOWTIDE_GRAD(TanhGrad, dy *(T(1) - v * v))
LOWTIDE_GRAD(SoftplusGrad, dy *(v >= T(0) ? T(1) / (T(1) + std::exp(-v))
                                          : std::exp(v) / (T(1) + std::exp(v))))
LOWTIDE_GRAD(SqrtGrad, dy *T(0.5) / v)
LOWTIDE_GRAD(ErfGrad, dy *T(1.12837916709551257390) * std::exp(-v * v))
LOWTIDE_GRAD(HardSwishGrad, v <= T(-3)  ? T(0)
                            : v >= T(3) ? dy
                                        : dy * (v / T(3) + T(0.5)))
#undef LOWTIDE_GRAD

template <typename T>
struct LeakyReluGrad {
  explicit LeakyReluGrad(const KernelCall &call)
      : alpha(static_cast<T>(call.floatAttr("alpha", 0.01))) {}
  T operator()(T dy, T x) const { return x < T(0) ? alpha * dy : dy; }
  T alpha;
};
template <typename T>
struct EluGrad {
  explicit EluGrad(const KernelCall &call)
      : alpha(static_cast<T>(call.floatAttr("alpha", 1.0))) {}
  T operator()(T dy, T x) const {
    return x < T(0) ? dy * alpha * std::exp(x) : dy;
  }
  T alpha;
};
template <typename T>
struct HardSigmoidGrad {
  explicit HardSigmoidGrad(const KernelCall &call)
      : alpha(static_cast<T>(call.floatAttr("alpha", 0.2))),
        beta(static_cast<T>(call.floatAttr("beta", 0.5))) {}
  T operator()(T dy, T x) const {
    const T line = alpha * x + beta;
    return line > T(0) && line < T(1) ? dy * alpha : T(0);
  }
  T alpha, beta;
};
template <typename T>
struct GeluGrad {
  explicit GeluGrad(const KernelCall &call)
      : tanhForm(call.stringAttr("approximate", "none") == "tanh") {}
  T operator()(T dy, T x) const {
    if (!tanhForm) {
      const T cdf = T(0.5) * (T(1) + std::erf(x * T(0.70710678118654752440)));
      const T pdf = T(0.39894228040143267794) * std::exp(T(-0.5) * x * x);
      return dy * (cdf + x * pdf);
    }
    const T root = T(0.79788456080286535588), cubic = T(0.044715);
    const T t = std::tanh(root * (x + cubic * x * x * x));
    const T slope = root * (T(1) + T(3) * cubic * x * x);
    return dy * (T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * slope);
  }
  bool tanhForm;
};

} // namespace

template <template <typename> class F>
static KernelBuild makeGrad(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  if (call.operand(0).shape != call.operand(1).shape)
    return refuse("the operands differ in shape");
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    donateOperand(call, 0, 1, build.needs);
    const int64_t n = call.result(0).numElements();
    const int threads = cpu.threads;
    build.run = [n, threads,
                 f = F<T>(call)](const KernelBuffers &buffers) -> std::string {
      const T *dy = in<T>(buffers, 0), *v = in<T>(buffers, 1);
      T *dx = out<T>(buffers);
      parallelFor(threads, n, elementGrain, [=](int64_t begin, int64_t end) {
#pragma clang loop vectorize(assume_safety)
        for (int64_t i = begin; i < end; ++i)
          dx[i] = f(dy[i], v[i]);
      });
      return "";
    };
    return build;
  });
}

/// (dy, x, min?, max?): dy where min <= x <= max.
static KernelBuild makeClipGrad(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    donateOperand(call, 0, 1, build.needs);
    const int64_t n = call.result(0).numElements();
    const bool hasLow = call.hasOperand(2), hasHigh = call.hasOperand(3);
    const int threads = cpu.threads;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *dy = in<T>(buffers, 0), *x = in<T>(buffers, 1);
      const T low =
          hasLow ? *in<T>(buffers, 2) : -std::numeric_limits<T>::infinity();
      const T high =
          hasHigh ? *in<T>(buffers, 3) : std::numeric_limits<T>::infinity();
      T *dx = out<T>(buffers);
      parallelFor(threads, n, elementGrain, [=](int64_t begin, int64_t end) {
#pragma clang loop vectorize(assume_safety)
        for (int64_t i = begin; i < end; ++i)
          dx[i] = x[i] >= low && x[i] <= high ? dy[i] : T(0);
      });
      return "";
    };
    return build;
  });
}

/// (dy, x, exponent) → dy * e * x^(e - 1), the exponent broadcast to x.
static KernelBuild makePowGrad(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  const std::vector<int64_t> &shape = call.result(0).shape;
  for (size_t i = 0; i < 3; ++i)
    if (!broadcastsTo(call.operand(i).shape, shape))
      return refuse("the operands don't broadcast to the result");
  const StridedLoop<3> loop(shape,
                            {broadcastStrides(call.operand(0).shape, shape),
                             broadcastStrides(call.operand(1).shape, shape),
                             broadcastStrides(call.operand(2).shape, shape)});
  const int threads = cpu.threads;
  return withFloat(call.operand(1).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return withNumber(call.operand(2).type, [&](auto exponentTag) {
      using E = typename decltype(exponentTag)::type;
      KernelBuild build;
      donateOperand(call, 0, 0, build.needs);
      donateOperand(call, 0, 1, build.needs);
      build.run = [=](const KernelBuffers &buffers) -> std::string {
        const T *dy = in<T>(buffers, 0), *x = in<T>(buffers, 1);
        const E *exponent = in<E>(buffers, 2);
        T *dx = out<T>(buffers);
        const int64_t a = loop.rowStride(0), b = loop.rowStride(1),
                      c = loop.rowStride(2);
        parallelFor(
            threads, loop.numElements(), elementGrain,
            [&](int64_t begin, int64_t end) {
              loop.walk(
                  begin, end, [&](int64_t to, const auto &from, int64_t n) {
                    for (int64_t i = 0; i < n; ++i) {
                      const T e = static_cast<T>(exponent[from[2] + i * c]);
                      const T base = x[from[1] + i * b];
                      const T power =
                          e == T(2) ? base : std::pow(base, e - T(1));
                      dx[to + i] =
                          e == T(0) ? T(0) : dy[from[0] + i * a] * e * power;
                    }
                  });
            });
        return "";
      };
      return build;
    });
  });
}

/// (dy, y, x_0 … x_k){index}: dy, split evenly among the operands equal to y.
static KernelBuild makeMaxGrad(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, call.operands.size()); !why.empty())
    return refuse(why);
  const auto operands = static_cast<int64_t>(call.operands.size()) - 2;
  const int64_t index = call.intAttr("index", 0);
  if (operands < 1 || index < 0 || index >= operands)
    return refuse("the index names no operand");
  for (const auto &operand : call.operands)
    if (operand->desc.shape != call.result(0).shape)
      return refuse("the operands differ in shape");
  const int64_t n = call.result(0).numElements();
  const int threads = cpu.threads;
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateElementwise(call, 0, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *dy = in<T>(buffers, 0), *y = in<T>(buffers, 1);
      T *dx = out<T>(buffers);
      parallelFor(threads, n, elementGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t ties = 0;
          for (int64_t k = 0; k < operands; ++k)
            ties += in<T>(buffers, 2 + k)[i] == y[i];
          const bool isMine = in<T>(buffers, 2 + index)[i] == y[i];
          dx[i] = isMine ? dy[i] / static_cast<T>(ties) : T(0);
        }
      });
      return "";
    };
    return build;
  });
}

void cpu::addUnaryGradKernels(KernelTable &table) {
  table.add("train.relu_grad", makeGrad<ReluGrad>);
  table.add("train.leaky_relu_grad", makeGrad<LeakyReluGrad>);
  table.add("train.sigmoid_grad", makeGrad<SigmoidGrad>);
  table.add("train.tanh_grad", makeGrad<TanhGrad>);
  table.add("train.softplus_grad", makeGrad<SoftplusGrad>);
  table.add("train.sqrt_grad", makeGrad<SqrtGrad>);
  table.add("train.erf_grad", makeGrad<ErfGrad>);
  table.add("train.gelu_grad", makeGrad<GeluGrad>);
  table.add("train.elu_grad", makeGrad<EluGrad>);
  table.add("train.hard_sigmoid_grad", makeGrad<HardSigmoidGrad>);
  table.add("train.hard_swish_grad", makeGrad<HardSwishGrad>);
  table.add("train.clip_grad", makeClipGrad);
  table.add("train.pow_grad", makePowGrad);
  table.add("train.pow_grad_base", makePowGrad);
  table.add("train.max_grad", makeMaxGrad);
}
