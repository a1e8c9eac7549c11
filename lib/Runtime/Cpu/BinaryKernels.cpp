//===- BinaryKernels.cpp - y = f(a, b), broadcast -------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Arithmetic, comparison and logic of two operands, and of any number for Sum,
// Mean, Max and Min (folded from the left). Rows of the result have operands
// that either advance or stand still, and each of these cases has its own
// loop.
//
// Tested by test/unit/Runtime/ElementwiseTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"
#include "StridedLoop.h"

#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {

struct AddOp {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct SubOp {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a - b);
  }
};
struct MulOp {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};
struct DivOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      // Zero divisors were refused before; the lowest value by -1 wraps.
      if constexpr (std::is_signed_v<T>)
        if (b == T(-1))
          return static_cast<T>(-static_cast<uint64_t>(a));
      return b == 0 ? T(0) : static_cast<T>(a / b);
    } else {
      return a / b;
    }
  }
};
/// NaN where either is.
struct MaxOp {
  template <typename T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};
struct MinOp {
  template <typename T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};
struct ModOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0 || b == static_cast<T>(-1))
        return T(0);
      const T rest = static_cast<T>(a % b);
      return rest != 0 && ((rest < 0) != (b < 0)) ? static_cast<T>(rest + b)
                                                  : rest;
    } else {
      const T rest = std::fmod(a, b);
      if (rest == T(0))
        return std::copysign(rest, b);
      return (rest < T(0)) != (b < T(0)) ? rest + b : rest;
    }
  }
};
struct FmodOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return b == 0 || b == static_cast<T>(-1) ? T(0) : static_cast<T>(a % b);
    else
      return std::fmod(a, b);
  }
};
struct PreluOp {
  template <typename T>
  T operator()(T x, T slope) const {
    return x < T(0) ? static_cast<T>(x * slope) : x;
  }
};
struct PowOp {
  template <typename T, typename U>
  T operator()(T a, U b) const {
    if constexpr (std::is_floating_point_v<T>)
      if (b == U(2))
        return a * a;
    return static_cast<T>(std::pow(a, b));
  }
};

#define LOWTIDE_COMPARE(NAME, EXPR)                                            \
  struct NAME {                                                                \
    template <typename T>                                                      \
    uint8_t operator()(T a, T b) const {                                       \
      return static_cast<uint8_t>(EXPR);                                       \
    }                                                                          \
  };
LOWTIDE_COMPARE(EqualOp, a == b)
LOWTIDE_COMPARE(LessOp, a < b)
LOWTIDE_COMPARE(LessOrEqualOp, a <= b)
LOWTIDE_COMPARE(GreaterOp, a > b)
LOWTIDE_COMPARE(GreaterOrEqualOp, a >= b)
LOWTIDE_COMPARE(AndOp, (a != 0) & (b != 0))
LOWTIDE_COMPARE(OrOp, (a != 0) | (b != 0))
LOWTIDE_COMPARE(XorOp, (a != 0) ^ (b != 0))
#undef LOWTIDE_COMPARE

} // namespace

/// One row: each operand advances by one or stands still.
template <typename A, typename B, typename R, typename F>
static void mapRow(const A *a, int64_t aStep, const B *b, int64_t bStep, R *y,
                   int64_t length, F f) {
  // Integers are shapes and indices: short, and many types to compile.
  if constexpr (std::is_integral_v<A>) {
#pragma clang loop vectorize(disable) unroll(disable)
    for (int64_t i = 0; i < length; ++i)
      y[i] = f(a[i * aStep], b[i * bStep]);
    return;
  }
  if (aStep == 1 && bStep == 1) {
#pragma clang loop vectorize(assume_safety)
    for (int64_t i = 0; i < length; ++i)
      y[i] = f(a[i], b[i]);
  } else if (aStep == 1 && bStep == 0) {
    const B right = *b;
#pragma clang loop vectorize(assume_safety)
    for (int64_t i = 0; i < length; ++i)
      y[i] = f(a[i], right);
  } else if (aStep == 0 && bStep == 1) {
    const A left = *a;
#pragma clang loop vectorize(assume_safety)
    for (int64_t i = 0; i < length; ++i)
      y[i] = f(left, b[i]);
  } else {
    for (int64_t i = 0; i < length; ++i)
      y[i] = f(a[i * aStep], b[i * bStep]);
  }
}

template <typename A, typename B, typename R, typename F>
static void mapAll(const StridedLoop<2> &loop, int threads, const A *a,
                   const B *b, R *y, F f) {
  parallelFor(threads, loop.numElements(), elementGrain,
              [&](int64_t begin, int64_t end) {
                loop.walk(begin, end,
                          [&](int64_t to, const std::array<int64_t, 2> &from,
                              int64_t length) {
                            mapRow(a + from[0], loop.rowStride(0), b + from[1],
                                   loop.rowStride(1), y + to, length, f);
                          });
              });
}

/// What is wrong with the shapes, or empty.
static std::string checkBroadcast(const KernelCall &call, size_t operands) {
  if (std::string why = checkArity(call, operands); !why.empty())
    return why;
  for (size_t i = 0; i < operands; ++i)
    if (!broadcastsTo(call.operand(i).shape, call.result(0).shape))
      return toString(call.operand(i)) + " doesn't broadcast to " +
             toString(call.result(0));
  return "";
}

static StridedLoop<2> makeLoop(const KernelCall &call, size_t a, size_t b) {
  const std::vector<int64_t> &shape = call.result(0).shape;
  return StridedLoop<2>(shape,
                        {broadcastStrides(call.operand(a).shape, shape),
                         broadcastStrides(call.operand(b).shape, shape)});
}

template <typename A, typename B, typename R, typename F>
static KernelBuild mapTwo(const KernelCall &call, const CpuContext &cpu, F f) {
  KernelBuild build;
  donateElementwise(call, 0, build.needs);
  const StridedLoop<2> loop = makeLoop(call, 0, 1);
  if (!loop.isValid())
    return refuse("the rank is too high");
  const int threads = cpu.threads;
  build.run = [loop, threads, f](const KernelBuffers &buffers) -> std::string {
    mapAll(loop, threads, in<A>(buffers, 0), in<B>(buffers, 1), out<R>(buffers),
           f);
    return "";
  };
  return build;
}

template <typename F>
static KernelBuild makeArithmetic(const KernelCall &call,
                                  const CpuContext &cpu) {
  if (std::string why = checkBroadcast(call, 2); !why.empty())
    return refuse(why);
  return withNumber(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapTwo<T, T, T>(call, cpu, F());
  });
}

/// Division and remainder: integers refuse a zero divisor.
template <typename F>
static KernelBuild makeDivision(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkBroadcast(call, 2); !why.empty())
    return refuse(why);
  return withNumber(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build = mapTwo<T, T, T>(call, cpu, F());
    if constexpr (std::is_integral_v<T>) {
      const int64_t divisors = call.operand(1).numElements();
      build.run = [divide = std::move(build.run),
                   divisors](const KernelBuffers &buffers) -> std::string {
        const T *b = in<T>(buffers, 1);
        for (int64_t i = 0; i < divisors; ++i)
          if (b[i] == 0)
            return "division by zero at element " + std::to_string(i);
        return divide(buffers);
      };
    }
    return build;
  });
}

static KernelBuild makeMod(const KernelCall &call, const CpuContext &cpu) {
  if (call.intAttr("fmod", 0) != 0)
    return makeDivision<FmodOp>(call, cpu);
  return makeDivision<ModOp>(call, cpu);
}

static KernelBuild makePow(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkBroadcast(call, 2); !why.empty())
    return refuse(why);
  return withWideNumber(call.operand(0).type, [&](auto base) {
    using T = typename decltype(base)::type;
    return withWideNumber(call.operand(1).type, [&](auto exponent) {
      using U = typename decltype(exponent)::type;
      return mapTwo<T, U, T>(call, cpu, PowOp());
    });
  });
}

template <typename F>
static KernelBuild makeCompare(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkBroadcast(call, 2); !why.empty())
    return refuse(why);
  const DataType type = call.operand(0).type;
  if (type == DataType::Bool)
    return mapTwo<uint8_t, uint8_t, uint8_t>(call, cpu, F());
  return withNumber(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapTwo<T, T, uint8_t>(call, cpu, F());
  });
}

template <typename F>
static KernelBuild makeLogic(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkBroadcast(call, 2); !why.empty())
    return refuse(why);
  if (call.operand(0).type != DataType::Bool)
    return refuseType(call.operand(0).type);
  return mapTwo<uint8_t, uint8_t, uint8_t>(call, cpu, F());
}

//===----------------------------------------------------------------------===//
// Any number of operands
//===----------------------------------------------------------------------===//

/// The first two operands go to the result, then each next one onto it. Only
/// the first may be replaced: the result is written before the others are read.
template <typename F, bool isMean = false>
static KernelBuild makeVariadic(const KernelCall &call, const CpuContext &cpu) {
  const size_t n = call.operands.size();
  if (std::string why = checkBroadcast(call, n); !why.empty())
    return refuse(why);
  if (n == 0)
    return refuse("there is no operand");
  return withNumber(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    if (n == 2)
      donateOperand(call, 0, 1, build.needs);
    std::vector<StridedLoop<2>> loops;
    const std::vector<int64_t> &shape = call.result(0).shape;
    for (size_t i = 0; i < n; ++i)
      loops.emplace_back(
          shape,
          std::array{i < 2 ? broadcastStrides(call.operand(0).shape, shape)
                           : denseStrides(shape),
                     broadcastStrides(call.operand(i).shape, shape)});
    const int threads = cpu.threads;
    build.run = [loops, threads](const KernelBuffers &buffers) -> std::string {
      T *y = out<T>(buffers);
      if (loops.size() == 1)
        mapAll(loops[0], threads, in<T>(buffers, 0), in<T>(buffers, 0), y,
               [](T a, T) { return a; });
      for (size_t i = 1; i < loops.size(); ++i)
        mapAll(loops[i], threads, i == 1 ? in<T>(buffers, 0) : y,
               in<T>(buffers, i), y, F());
      if constexpr (isMean)
        for (int64_t i = 0; i < loops[0].numElements(); ++i)
          y[i] = static_cast<T>(y[i] / static_cast<T>(loops.size()));
      return "";
    };
    return build;
  });
}

void cpu::addBinaryKernels(KernelTable &table) {
  table.add("onnx.Add", makeArithmetic<AddOp>);
  table.add("onnx.Sub", makeArithmetic<SubOp>);
  table.add("onnx.Mul", makeArithmetic<MulOp>);
  table.add("onnx.Div", makeDivision<DivOp>);
  table.add("onnx.Mod", makeMod);
  table.add("onnx.Pow", makePow);
  table.add("onnx.PRelu", makeArithmetic<PreluOp>);
  table.add("onnx.Equal", makeCompare<EqualOp>);
  table.add("onnx.Less", makeCompare<LessOp>);
  table.add("onnx.LessOrEqual", makeCompare<LessOrEqualOp>);
  table.add("onnx.Greater", makeCompare<GreaterOp>);
  table.add("onnx.GreaterOrEqual", makeCompare<GreaterOrEqualOp>);
  table.add("onnx.And", makeLogic<AndOp>);
  table.add("onnx.Or", makeLogic<OrOp>);
  table.add("onnx.Xor", makeLogic<XorOp>);
  table.add("onnx.Max", makeVariadic<MaxOp>);
  table.add("onnx.Min", makeVariadic<MinOp>);
  table.add("onnx.Sum", makeVariadic<AddOp>);
  table.add("onnx.Mean", makeVariadic<AddOp, true>);
}
