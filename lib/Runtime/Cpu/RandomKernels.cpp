//===- RandomKernels.cpp - Dropout and random tensors ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The numbers are defined in lowtide/Runtime/Philox.h. Dropout's gradient draws
// the mask again; it is the same kernel.
//
// Tested by test/unit/Runtime/RandomTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"

#include "lowtide/Runtime/Philox.h"

#include <cmath>
#include <numbers>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

static int64_t readScalar(const KernelBuffers &buffers, size_t operand,
                          bool isWide) {
  return isWide ? *in<int64_t>(buffers, operand)
                : *in<int32_t>(buffers, operand);
}

/// Seed and step, operands `first` and `first + 1`, must be integer scalars.
static std::string checkCounters(const KernelCall &call, size_t first) {
  if (std::string why = checkArity(call, first + 2); !why.empty())
    return why;
  for (size_t i = first; i < first + 2; ++i)
    if (call.operand(i).numElements() != 1 ||
        (call.operand(i).type != DataType::Int64 &&
         call.operand(i).type != DataType::Int32))
      return "seed and step must be integer scalars";
  return "";
}

static OpRandom readRandom(const KernelBuffers &buffers, size_t first,
                           bool wideSeed, bool wideStep, int64_t opId) {
  return OpRandom(readScalar(buffers, first, wideSeed),
                  readScalar(buffers, first + 1, wideStep), opId);
}

/// (x, seed, step) → x / (1 - ratio) where kept, else 0.
static KernelBuild makeDropout(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkCounters(call, 1); !why.empty())
    return refuse(why);
  const double ratio = call.floatAttr("ratio", 0.5);
  if (!(ratio >= 0 && ratio < 1))
    return refuse("the ratio must be in [0, 1)");
  const int64_t opId = call.intAttr("op_id", 0);
  const bool wideSeed = call.operand(1).type == DataType::Int64;
  const bool wideStep = call.operand(2).type == DataType::Int64;
  const int64_t n = call.result(0).numElements();
  // Kept when word * 2^-32 >= ratio.
  const auto threshold = static_cast<uint64_t>(std::ceil(ratio * 4294967296.0));
  const int threads = cpu.threads;
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const OpRandom random = readRandom(buffers, 1, wideSeed, wideStep, opId);
      const T *x = in<T>(buffers, 0);
      T *y = out<T>(buffers);
      const T scale = static_cast<T>(1.0 / (1.0 - ratio));
      parallelFor(threads, n, 4096, [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i += 4) {
          const PhiloxBlock words = random.block(i / 4);
          for (int64_t k = i; k < std::min(i + 4, end); ++k)
            y[k] = words[k & 3] >= threshold ? x[k] * scale : T(0);
        }
      });
      return "";
    };
    return build;
  });
}

/// (seed, step) → numbers of the result's shape.
template <bool isNormal>
static KernelBuild makeRandom(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkCounters(call, 0); !why.empty())
    return refuse(why);
  const int64_t opId = call.intAttr("op_id", 0);
  const bool wideSeed = call.operand(0).type == DataType::Int64;
  const bool wideStep = call.operand(1).type == DataType::Int64;
  const int64_t n = call.result(0).numElements();
  const double low =
      isNormal ? call.floatAttr("mean", 0) : call.floatAttr("low", 0);
  const double range =
      isNormal ? call.floatAttr("scale", 1) : call.floatAttr("high", 1) - low;
  const int threads = cpu.threads;
  return withFloat(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const OpRandom random = readRandom(buffers, 0, wideSeed, wideStep, opId);
      T *y = out<T>(buffers);
      constexpr double unit = 1.0 / 4294967296.0;
      parallelFor(threads, n, 4096, [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const PhiloxBlock words = random.block(isNormal ? i : i / 4);
          double value = (words[i & 3] + 0.5) * unit;
          if (isNormal)
            value = std::sqrt(-2 * std::log((words[0] + 1.0) * unit)) *
                    std::cos(2 * std::numbers::pi * words[1] * unit);
          y[i] = static_cast<T>(low + range * value);
        }
      });
      return "";
    };
    return build;
  });
}

/// Dropout(x, ratio?, training?) in inference: x, and a mask of ones.
static KernelBuild makeInferenceDropout(const KernelCall &call,
                                        const CpuContext &) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  if (call.hasOperand(2)) {
    const auto &training = call.operands[2]->constant;
    if (!training || training->empty() || (*training)[0] != std::byte{0})
      return refuse("training mode is train.dropout here");
    needs.hostOperands.push_back(2);
  }
  donateOperand(call, 0, 0, needs);
  const int64_t bytes = call.result(0).bytes();
  const int64_t mask = call.hasResult(1) ? call.result(1).numElements() : 0;
  KernelBuild build;
  build.needs = needs;
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const std::byte *x = in<std::byte>(buffers, 0);
    std::byte *y = out<std::byte>(buffers);
    if (x != y)
      std::copy(x, x + bytes, y);
    if (mask > 0)
      std::fill_n(out<uint8_t>(buffers, 1), mask, uint8_t(1));
    return "";
  };
  return build;
}

void cpu::addRandomKernels(KernelTable &table) {
  table.add("train.dropout", makeDropout);
  table.add("train.dropout_grad", makeDropout);
  table.add("train.random_uniform", makeRandom<false>);
  table.add("train.random_normal", makeRandom<true>);
  table.add("onnx.Dropout", makeInferenceDropout);
}
