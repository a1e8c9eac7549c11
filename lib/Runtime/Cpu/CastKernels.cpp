//===- CastKernels.cpp - Conversion between element types -----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every element goes through a wide type: double when a floating type takes
// part, int64 otherwise. 16-bit floats round to nearest, ties to even.
//
// Tested by test/unit/Runtime/ElementwiseTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {
struct Half {
  uint16_t bits;
};
struct Brain {
  uint16_t bits;
};
struct Boolean {
  uint8_t bits;
};
} // namespace

static double halfToDouble(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  double value;
  if (exponent == 31)
    value = mantissa ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(mantissa, -24);
  else
    value = std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

static uint16_t doubleToHalf(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (value != value)
    return 0x7E00;
  if (size >= 65520.0)
    return sign | 0x7C00;
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = std::max(exponent - 1, -14);
  // In units of the last place; may carry into the exponent, as it should.
  const double units = std::nearbyint(std::ldexp(size, 10 - exponent));
  const auto whole = static_cast<uint32_t>(units);
  if (whole < 1024)
    return sign | static_cast<uint16_t>(whole);
  return sign |
         static_cast<uint16_t>((static_cast<uint32_t>(exponent + 15) << 10) +
                               (whole - 1024));
}

static uint16_t floatToBrain(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

template <typename T>
static auto widen(T x) {
  if constexpr (std::is_same_v<T, Half>)
    return halfToDouble(x.bits);
  else if constexpr (std::is_same_v<T, Brain>)
    return static_cast<double>(
        std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16));
  else if constexpr (std::is_same_v<T, Boolean>)
    return static_cast<int64_t>(x.bits != 0);
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(x);
  else
    return static_cast<int64_t>(x);
}

template <typename T, typename W>
static T narrow(W x) {
  if constexpr (std::is_same_v<T, Half>) {
    return {doubleToHalf(static_cast<double>(x))};
  } else if constexpr (std::is_same_v<T, Brain>) {
    return {floatToBrain(static_cast<float>(x))};
  } else if constexpr (std::is_same_v<T, Boolean>) {
    return {static_cast<uint8_t>(x != W(0))};
  } else if constexpr (std::is_integral_v<T> && std::is_same_v<W, double>) {
    // Out of range is the caller's mistake, but it mustn't trap.
    if (!(x > -9.2233720368547758e18 && x < 9.2233720368547758e18))
      return static_cast<T>(std::numeric_limits<int64_t>::min());
    return static_cast<T>(static_cast<int64_t>(x));
  } else {
    return static_cast<T>(x);
  }
}

namespace {
/// A chunk on its way; integers keep all their bits.
union Wide {
  double reals[256];
  int64_t integers[256];
};
constexpr int64_t chunk = 256;

/// Reads or writes up to `chunk` elements.
struct Converter {
  bool isReal;
  void (*read)(const std::byte *from, Wide &wide, int64_t n);
  void (*writeReals)(const Wide &wide, std::byte *to, int64_t n);
  void (*writeIntegers)(const Wide &wide, std::byte *to, int64_t n);
};
} // namespace

template <typename T>
static void readChunk(const std::byte *from, Wide &wide, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    if constexpr (std::is_same_v<decltype(widen(value)), double>)
      wide.reals[i] = widen(value);
    else
      wide.integers[i] = widen(value);
  }
}

template <typename T, typename W>
static void writeChunk(const W *wide, std::byte *to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const T value = narrow<T>(wide[i]);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

template <typename T>
static Converter converterOf() {
  return {std::is_same_v<decltype(widen(T())), double>, readChunk<T>,
          [](const Wide &wide, std::byte *to, int64_t n) {
            writeChunk<T>(wide.reals, to, n);
          },
          [](const Wide &wide, std::byte *to, int64_t n) {
            writeChunk<T>(wide.integers, to, n);
          }};
}

static Converter converterFor(DataType type) {
  switch (type) {
  case DataType::Float16:
    return converterOf<Half>();
  case DataType::BFloat16:
    return converterOf<Brain>();
  case DataType::Float32:
    return converterOf<float>();
  case DataType::Float64:
    return converterOf<double>();
  case DataType::Int8:
    return converterOf<int8_t>();
  case DataType::Int16:
    return converterOf<int16_t>();
  case DataType::Int32:
    return converterOf<int32_t>();
  case DataType::Int64:
    return converterOf<int64_t>();
  case DataType::UInt8:
    return converterOf<uint8_t>();
  case DataType::UInt16:
    return converterOf<uint16_t>();
  case DataType::UInt32:
    return converterOf<uint32_t>();
  case DataType::UInt64:
    return converterOf<uint64_t>();
  case DataType::Bool:
    return converterOf<Boolean>();
  }
  return converterOf<uint8_t>();
}

static KernelBuild makeCast(const KernelCall &call, const CpuContext &cpu) {
  const size_t required = call.kernel == "onnx.CastLike" ? 2 : 1;
  if (std::string why = checkArity(call, required); !why.empty())
    return refuse(why);
  const Converter from = converterFor(call.operand(0).type);
  const Converter to = converterFor(call.result(0).type);
  const int64_t fromBytes = sizeInBytes(call.operand(0).type);
  const int64_t toBytes = sizeInBytes(call.result(0).type);
  const int64_t n = call.result(0).numElements();
  const int threads = cpu.threads;
  KernelBuild build;
  donateOperand(call, 0, 0, build.needs);
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const std::byte *x = in<std::byte>(buffers, 0);
    std::byte *y = out<std::byte>(buffers);
    parallelFor(threads, n, elementGrain, [=](int64_t begin, int64_t end) {
      Wide wide;
      for (int64_t i = begin; i < end; i += chunk) {
        const int64_t count = std::min(chunk, end - i);
        from.read(x + i * fromBytes, wide, count);
        (from.isReal ? to.writeReals : to.writeIntegers)(wide, y + i * toBytes,
                                                         count);
      }
    });
    return "";
  };
  return build;
}

void cpu::addCastKernels(KernelTable &table) {
  table.add("onnx.Cast", makeCast);
  table.add("onnx.CastLike", makeCast);
}
