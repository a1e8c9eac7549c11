//===- UnaryKernels.cpp - y[i] = f(x[i]) ----------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One small struct per function: made from the call (its attributes), applied
// to one element. The result may take the operand's place.
//
// Tested by test/unit/Runtime/ElementwiseTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"

#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {

#define LOWTIDE_UNARY(NAME, EXPR)                                              \
  template <typename T>                                                        \
  struct NAME {                                                                \
    explicit NAME(const KernelCall &) {}                                       \
    T operator()(T x) const { return static_cast<T>(EXPR); }                   \
  };

LOWTIDE_UNARY(Relu, x > T(0) ? x : (x == x ? T(0) : x))
LOWTIDE_UNARY(Neg, -x)
LOWTIDE_UNARY(Abs, x < T(0) ? -x : x)
LOWTIDE_UNARY(Sign, x > T(0) ? T(1) : (x < T(0) ? T(-1) : (x == x ? T(0) : x)))
LOWTIDE_UNARY(FloatAbs, std::fabs(x))
LOWTIDE_UNARY(Sigmoid, x >= T(0) ? T(1) / (T(1) + std::exp(-x))
                                 : std::exp(x) / (T(1) + std::exp(x)))
LOWTIDE_UNARY(Tanh, std::tanh(x))
LOWTIDE_UNARY(Softplus,
              (x > T(0) ? x : T(0)) + std::log1p(std::exp(-std::fabs(x))))
LOWTIDE_UNARY(Softsign, x / (T(1) + std::fabs(x)))
LOWTIDE_UNARY(Exp, std::exp(x))
LOWTIDE_UNARY(Log, std::log(x))
LOWTIDE_UNARY(Sqrt, std::sqrt(x))
LOWTIDE_UNARY(Reciprocal, T(1) / x)
LOWTIDE_UNARY(Erf, std::erf(x))
LOWTIDE_UNARY(Floor, std::floor(x))
LOWTIDE_UNARY(Ceil, std::ceil(x))
LOWTIDE_UNARY(Round, std::nearbyint(x))
LOWTIDE_UNARY(Sin, std::sin(x))
LOWTIDE_UNARY(Cos, std::cos(x))
LOWTIDE_UNARY(Tan, std::tan(x))
LOWTIDE_UNARY(Atan, std::atan(x))
LOWTIDE_UNARY(Sinh, std::sinh(x))
LOWTIDE_UNARY(Cosh, std::cosh(x))
LOWTIDE_UNARY(HardSwish, x *std::fmin(T(1), std::fmax(T(0), x / T(6) + T(0.5))))
LOWTIDE_UNARY(Mish, x *std::tanh((x > T(0) ? x : T(0)) +
                                 std::log1p(std::exp(-std::fabs(x)))))
#undef LOWTIDE_UNARY

template <typename T>
struct LeakyRelu {
  explicit LeakyRelu(const KernelCall &call)
      : alpha(static_cast<T>(call.floatAttr("alpha", 0.01))) {}
  T operator()(T x) const { return x < T(0) ? alpha * x : x; }
  T alpha;
};

template <typename T>
struct Elu {
  explicit Elu(const KernelCall &call)
      : alpha(static_cast<T>(call.floatAttr("alpha", 1.0))) {}
  T operator()(T x) const { return x < T(0) ? alpha * std::expm1(x) : x; }
  T alpha;
};

template <typename T>
struct Selu {
  explicit Selu(const KernelCall &call)
      : alpha(
            static_cast<T>(call.floatAttr("alpha", 1.67326319217681884765625))),
        gamma(static_cast<T>(
            call.floatAttr("gamma", 1.05070102214813232421875))) {}
  T operator()(T x) const {
    return gamma * (x > T(0) ? x : alpha * std::expm1(x));
  }
  T alpha, gamma;
};

template <typename T>
struct HardSigmoid {
  explicit HardSigmoid(const KernelCall &call)
      : alpha(static_cast<T>(call.floatAttr("alpha", 0.2))),
        beta(static_cast<T>(call.floatAttr("beta", 0.5))) {}
  T operator()(T x) const {
    return std::fmax(T(0), std::fmin(T(1), alpha * x + beta));
  }
  T alpha, beta;
};

template <typename T>
struct Gelu {
  explicit Gelu(const KernelCall &call)
      : tanhForm(call.stringAttr("approximate", "none") == "tanh") {}
  T operator()(T x) const {
    if (!tanhForm)
      return T(0.5) * x * (T(1) + std::erf(x * T(0.70710678118654752440)));
    const T inner = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
    return T(0.5) * x * (T(1) + std::tanh(inner));
  }
  bool tanhForm;
};

} // namespace

template <typename T, typename U, typename F>
static KernelBuild mapElements(const KernelCall &call, const CpuContext &cpu,
                               F f) {
  KernelBuild build;
  donateOperand(call, 0, 0, build.needs);
  const int64_t n = call.result(0).numElements();
  const int threads = cpu.threads;
  build.run = [n, threads, f](const KernelBuffers &buffers) -> std::string {
    const T *x = in<T>(buffers, 0);
    U *y = out<U>(buffers);
    parallelFor(threads, n, elementGrain, [=](int64_t begin, int64_t end) {
#pragma clang loop vectorize(assume_safety)
      for (int64_t i = begin; i < end; ++i)
        y[i] = f(x[i]);
    });
    return "";
  };
  return build;
}

template <template <typename> class F>
static KernelBuild makeFloat(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapElements<T, T>(call, cpu, F<T>(call));
  });
}

template <template <typename> class F>
static KernelBuild makeNumber(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  return withNumber(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapElements<T, T>(call, cpu, F<T>(call));
  });
}

static KernelBuild makeAbs(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  if (call.operand(0).type == DataType::Float32 ||
      call.operand(0).type == DataType::Float64)
    return makeFloat<FloatAbs>(call, cpu);
  return makeNumber<Abs>(call, cpu);
}

static KernelBuild makeNot(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  if (call.operand(0).type != DataType::Bool)
    return refuseType(call.operand(0).type);
  return mapElements<uint8_t, uint8_t>(
      call, cpu, [](uint8_t x) { return static_cast<uint8_t>(x == 0); });
}

static KernelBuild makeIsNaN(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapElements<T, uint8_t>(
        call, cpu, [](T x) { return static_cast<uint8_t>(x != x); });
  });
}

static KernelBuild makeIsInf(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  const bool negative = call.intAttr("detect_negative", 1) != 0;
  const bool positive = call.intAttr("detect_positive", 1) != 0;
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapElements<T, uint8_t>(call, cpu, [=](T x) {
      return static_cast<uint8_t>(std::isinf(x) &&
                                  (x > 0 ? positive : negative));
    });
  });
}

void cpu::addUnaryKernels(KernelTable &table) {
  table.add("onnx.Relu", makeNumber<Relu>);
  table.add("onnx.Neg", makeNumber<Neg>);
  table.add("onnx.Abs", makeAbs);
  table.add("onnx.Sign", makeNumber<Sign>);
  table.add("onnx.LeakyRelu", makeFloat<LeakyRelu>);
  table.add("onnx.Elu", makeFloat<Elu>);
  table.add("onnx.Selu", makeFloat<Selu>);
  table.add("onnx.Sigmoid", makeFloat<Sigmoid>);
  table.add("onnx.Tanh", makeFloat<Tanh>);
  table.add("onnx.Softplus", makeFloat<Softplus>);
  table.add("onnx.Softsign", makeFloat<Softsign>);
  table.add("onnx.Exp", makeFloat<Exp>);
  table.add("onnx.Log", makeFloat<Log>);
  table.add("onnx.Sqrt", makeFloat<Sqrt>);
  table.add("onnx.Reciprocal", makeFloat<Reciprocal>);
  table.add("onnx.Erf", makeFloat<Erf>);
  table.add("onnx.Gelu", makeFloat<Gelu>);
  table.add("onnx.HardSigmoid", makeFloat<HardSigmoid>);
  table.add("onnx.HardSwish", makeFloat<HardSwish>);
  table.add("onnx.Mish", makeFloat<Mish>);
  table.add("onnx.Floor", makeFloat<Floor>);
  table.add("onnx.Ceil", makeFloat<Ceil>);
  table.add("onnx.Round", makeFloat<Round>);
  table.add("onnx.Sin", makeFloat<Sin>);
  table.add("onnx.Cos", makeFloat<Cos>);
  table.add("onnx.Tan", makeFloat<Tan>);
  table.add("onnx.Atan", makeFloat<Atan>);
  table.add("onnx.Sinh", makeFloat<Sinh>);
  table.add("onnx.Cosh", makeFloat<Cosh>);
  table.add("onnx.Not", makeNot);
  table.add("onnx.IsNaN", makeIsNaN);
  table.add("onnx.IsInf", makeIsInf);
}
