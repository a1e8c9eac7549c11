//===- NormKernels.cpp - Normalisation in inference form, plain -----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// BatchNormalization with given statistics; LayerNormalization,
// InstanceNormalization and GroupNormalization, which all normalise contiguous
// blocks of elements and differ in where scale and bias come from.
//
// Tested by test/unit/Runtime/NormTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Moments.h"
#include "Parallel.h"

#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

/// BatchNormalization(x, scale, bias, mean, variance) with running statistics.
static KernelBuild makeBatchNorm(const KernelCall &call,
                                 const CpuContext &cpu) {
  if (std::string why = checkArity(call, 5); !why.empty())
    return refuse(why);
  if (call.intAttr("training_mode", 0) != 0)
    return refuse("training mode is train.batch_norm here");
  const TensorDesc &x = call.operand(0);
  if (x.rank() < 2)
    return refuse("needs a channel dimension");
  for (size_t i = 1; i < 5; ++i)
    if (call.operand(i).type != x.type)
      return refuse("statistics of another type aren't supported");
  const int64_t planes = x.shape[0] * x.shape[1], channels = x.shape[1];
  const int64_t inner = productOf(x.shape, 2, x.rank());
  const double epsilon = call.floatAttr("epsilon", 1e-5);
  const int threads = cpu.threads;
  return withFloat(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *from = in<T>(buffers, 0), *scale = in<T>(buffers, 1),
              *bias = in<T>(buffers, 2), *mean = in<T>(buffers, 3),
              *variance = in<T>(buffers, 4);
      T *to = out<T>(buffers);
      parallelFor(
          threads, planes, 1 + elementGrain / (inner + 1),
          [=](int64_t begin, int64_t end) {
            for (int64_t p = begin; p < end; ++p) {
              const int64_t c = p % channels;
              const T factor = static_cast<T>(
                  scale[c] /
                  std::sqrt(static_cast<double>(variance[c]) + epsilon));
              const T shift = bias[c] - mean[c] * factor;
              const T *row = from + p * inner;
              T *out = to + p * inner;
#pragma clang loop vectorize(assume_safety)
              for (int64_t i = 0; i < inner; ++i)
                out[i] = row[i] * factor + shift;
            }
          });
      return "";
    };
    return build;
  });
}

namespace {
/// Where scale and bias of element i in block b come from: index
/// (b * perBlock + i / repeat) % count.
struct Affine {
  int64_t perBlock = 0, repeat = 1, count = 1;
  int64_t at(int64_t b, int64_t i) const {
    return (b * perBlock + i / repeat) % count;
  }
};
} // namespace

/// Blocks of `size` elements, each to mean 0 and variance 1, then scaled.
/// Results 1 and 2, when there, are the mean and the inverse deviation.
static KernelBuild normalizeBlocks(const KernelCall &call,
                                   const CpuContext &cpu, int64_t size,
                                   Affine affine) {
  const TensorDesc &x = call.operand(0);
  if (call.operand(1).type != x.type)
    return refuse("a scale of another type isn't supported");
  const int64_t blocks = size == 0 ? 0 : x.numElements() / size;
  const double epsilon = call.floatAttr("epsilon", 1e-5);
  const bool hasBias = call.hasOperand(2);
  const bool hasMean = call.hasResult(1), hasInverse = call.hasResult(2);
  for (size_t i = 1; i < 3; ++i)
    if (call.hasResult(i) && call.result(i).type != x.type)
      return refuse("statistics of another type aren't supported");
  const int threads = cpu.threads;
  return withFloat(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *scale = in<T>(buffers, 1);
      const T *bias = hasBias ? in<T>(buffers, 2) : nullptr;
      parallelFor(threads, blocks, 1 + elementGrain / 4 / size,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t b = begin; b < end; ++b) {
                      const T *row = in<T>(buffers, 0) + b * size;
                      T *to = out<T>(buffers) + b * size;
                      const Moments m = momentsOf(row, size);
                      const double inverse =
                          1.0 / std::sqrt(m.variance + epsilon);
                      if (hasMean)
                        out<T>(buffers, 1)[b] = static_cast<T>(m.mean);
                      if (hasInverse)
                        out<T>(buffers, 2)[b] = static_cast<T>(inverse);
                      const T mean = static_cast<T>(m.mean);
                      const T factor = static_cast<T>(inverse);
                      // Runs of elements with one scale, or one scale per
                      // element.
                      if (affine.repeat == 1 && affine.count == size) {
#pragma clang loop vectorize(assume_safety)
                        for (int64_t i = 0; i < size; ++i)
                          to[i] = (row[i] - mean) * factor * scale[i] +
                                  (bias ? bias[i] : T(0));
                        continue;
                      }
                      for (int64_t i = 0; i < size; i += affine.repeat) {
                        const int64_t k = affine.at(b, i);
                        const T shift = bias ? bias[k] : T(0);
                        for (int64_t j = i; j < i + affine.repeat; ++j)
                          to[j] = (row[j] - mean) * factor * scale[k] + shift;
                      }
                    }
                  });
      return "";
    };
    return build;
  });
}

/// LayerNormalization(x, scale, bias?) and train.layer_norm.
static KernelBuild makeLayerNorm(const KernelCall &call,
                                 const CpuContext &cpu) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  const TensorDesc &x = call.operand(0);
  const int64_t axis = normalizeAxis(call.intAttr("axis", -1), x.rank());
  if (axis < 0)
    return refuse("the axis is out of range");
  const int64_t size = productOf(x.shape, axis, x.rank());
  const int64_t count = call.operand(1).numElements();
  if ((count != size && count != 1) ||
      (call.hasOperand(2) && call.operand(2).numElements() != count))
    return refuse("scale and bias must cover the normalised dimensions");
  return normalizeBlocks(call, cpu, size, {0, 1, count});
}

static KernelBuild makeInstanceNorm(const KernelCall &call,
                                    const CpuContext &cpu) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  const TensorDesc &x = call.operand(0);
  if (x.rank() < 3)
    return refuse("needs a spatial dimension");
  const int64_t size = productOf(x.shape, 2, x.rank());
  return normalizeBlocks(call, cpu, size,
                         {1, std::max<int64_t>(size, 1), x.shape[1]});
}

static KernelBuild makeGroupNorm(const KernelCall &call,
                                 const CpuContext &cpu) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  const TensorDesc &x = call.operand(0);
  const int64_t groups = call.intAttr("num_groups", 0);
  if (x.rank() < 2 || groups < 1 || x.shape[1] % groups != 0 ||
      call.operand(1).numElements() != x.shape[1])
    return refuse("needs groups that divide the channels and a scale for each "
                  "channel");
  const int64_t inner = productOf(x.shape, 2, x.rank());
  const int64_t perGroup = x.shape[1] / groups;
  return normalizeBlocks(call, cpu, perGroup * inner,
                         {perGroup, inner, x.shape[1]});
}

void cpu::addNormKernels(KernelTable &table) {
  table.add("onnx.BatchNormalization", makeBatchNorm);
  table.add("onnx.LayerNormalization", makeLayerNorm);
  table.add("onnx.InstanceNormalization", makeInstanceNorm);
  table.add("onnx.GroupNormalization", makeGroupNorm);
  table.add("train.layer_norm", makeLayerNorm);
}
