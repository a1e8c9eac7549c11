//===- NormGradKernels.cpp - Normalisation in training, plain -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Batch norm normalises each channel over batch and space (m elements), layer
// norm each row. With h = (x - mean) * inv_std and g = dy * scale:
//
//   dbias = Σ dy, dscale = Σ dy * h
//   dx = inv_std * (g - mean(g) - h * mean(g * h))
//
// where the means run over what was normalised together. Sums are in double and
// in an order that depends on shapes only. The running statistics follow
//
//   mean' = momentum * mean + (1 - momentum) * batch mean
//   var'  = momentum * var + (1 - momentum) * (1 / inv_std² - epsilon)
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

namespace {
struct Channels {
  int64_t batch, channels, inner;
  int64_t perChannel() const { return batch * inner; }
  int64_t at(int64_t n, int64_t c) const { return (n * channels + c) * inner; }
};
} // namespace

static std::string readChannels(const TensorDesc &x, Channels &s) {
  if (x.rank() < 2)
    return "needs a channel dimension";
  s = {x.shape[0], x.shape[1], productOf(x.shape, 2, x.rank())};
  return s.perChannel() == 0 ? "there are no elements" : "";
}

/// (x, scale, bias) → (y, mean, inv_std)
static KernelBuild makeBatchNorm(const KernelCall &call,
                                 const CpuContext &cpu) {
  Channels s;
  if (std::string why = checkArity(call, 3, 3); !why.empty())
    return refuse(why);
  if (std::string why = readChannels(call.operand(0), s); !why.empty())
    return refuse(why);
  const double epsilon = call.floatAttr("epsilon", 1e-5);
  const int threads = cpu.threads;
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      parallelFor(threads, s.channels, 1, [&](int64_t begin, int64_t end) {
        const T *x = in<T>(buffers, 0);
        T *y = out<T>(buffers);
        for (int64_t c = begin; c < end; ++c) {
          const double count = static_cast<double>(s.perChannel());
          double sum = 0, squares = 0;
          for (int64_t n = 0; n < s.batch; ++n)
            sum += sumOf(s.inner, [row = x + s.at(n, c)](int64_t i) {
              return static_cast<double>(row[i]);
            });
          const double mean = sum / count;
          for (int64_t n = 0; n < s.batch; ++n)
            squares += sumOf(s.inner, [row = x + s.at(n, c), mean](int64_t i) {
              const double d = static_cast<double>(row[i]) - mean;
              return d * d;
            });
          const double inverse = 1.0 / std::sqrt(squares / count + epsilon);
          out<T>(buffers, 1)[c] = static_cast<T>(mean);
          out<T>(buffers, 2)[c] = static_cast<T>(inverse);
          const T shift = static_cast<T>(mean);
          const T factor = static_cast<T>(inverse * in<T>(buffers, 1)[c]);
          const T bias = in<T>(buffers, 2)[c];
          for (int64_t n = 0; n < s.batch; ++n) {
            const T *row = x + s.at(n, c);
            T *to = y + s.at(n, c);
#pragma clang loop vectorize(assume_safety)
            for (int64_t i = 0; i < s.inner; ++i)
              to[i] = (row[i] - shift) * factor + bias;
          }
        }
      });
      return "";
    };
    return build;
  });
}

/// (dy, x, scale, mean, inv_std) → (dx, dscale, dbias)
static KernelBuild makeBatchNormGrad(const KernelCall &call,
                                     const CpuContext &cpu) {
  Channels s;
  if (std::string why = checkArity(call, 5, 0); !why.empty())
    return refuse(why);
  if (std::string why = readChannels(call.operand(1), s); !why.empty())
    return refuse(why);
  const bool hasDx = call.hasResult(0), hasScale = call.hasResult(1),
             hasBias = call.hasResult(2);
  const int threads = cpu.threads;
  return withFloat(call.operand(1).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    donateOperand(call, 0, 1, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      parallelFor(threads, s.channels, 1, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          const T mean = in<T>(buffers, 3)[c], inverse = in<T>(buffers, 4)[c];
          const T scale = in<T>(buffers, 2)[c];
          double sum = 0, dot = 0;
          for (int64_t n = 0; n < s.batch; ++n) {
            const T *dy = in<T>(buffers, 0) + s.at(n, c);
            const T *x = in<T>(buffers, 1) + s.at(n, c);
            sum += sumOf(s.inner, [dy](int64_t i) {
              return static_cast<double>(dy[i]);
            });
            dot += sumOf(s.inner, [dy, x, mean](int64_t i) {
              return static_cast<double>(dy[i]) *
                     (static_cast<double>(x[i]) - static_cast<double>(mean));
            });
          }
          dot *= static_cast<double>(inverse);
          if (hasScale)
            out<T>(buffers, 1)[c] = static_cast<T>(dot);
          if (hasBias)
            out<T>(buffers, 2)[c] = static_cast<T>(sum);
          if (!hasDx)
            continue;
          const double count = static_cast<double>(s.perChannel());
          const T a = scale * inverse;
          const T b = static_cast<T>(sum / count);
          const T d = static_cast<T>(dot / count * inverse);
          for (int64_t n = 0; n < s.batch; ++n) {
            const T *dy = in<T>(buffers, 0) + s.at(n, c);
            const T *x = in<T>(buffers, 1) + s.at(n, c);
            T *dx = out<T>(buffers) + s.at(n, c);
#pragma clang loop vectorize(assume_safety)
            for (int64_t i = 0; i < s.inner; ++i)
              dx[i] = a * (dy[i] - b - (x[i] - mean) * d);
          }
        }
      });
      return "";
    };
    return build;
  });
}

static KernelBuild makeRunningUpdate(const KernelCall &call,
                                     const CpuContext &) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  const bool isVariance = call.kernel == "train.running_variance_update";
  const double momentum = call.floatAttr("momentum", 0.9);
  const double epsilon = call.floatAttr("epsilon", 1e-5);
  const int64_t n = call.result(0).numElements();
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *running = in<T>(buffers, 0), *batch = in<T>(buffers, 1);
      T *to = out<T>(buffers);
      for (int64_t i = 0; i < n; ++i) {
        double value = batch[i];
        if (isVariance)
          value = 1.0 / (value * value) - epsilon;
        to[i] =
            static_cast<T>(running[i] * momentum + value * (1.0 - momentum));
      }
      return "";
    };
    return build;
  });
}

//===----------------------------------------------------------------------===//
// Layer norm
//===----------------------------------------------------------------------===//

/// dx of one row.
template <typename T>
static void rowGrad(const T *dy, const T *x, const T *scale, double mean,
                    double inverse, T *dx, int64_t size) {
  const double sum = sumOf(size, [=](int64_t i) {
    return static_cast<double>(dy[i]) * static_cast<double>(scale[i]);
  });
  const double dot = sumOf(size, [=](int64_t i) {
    return static_cast<double>(dy[i]) * static_cast<double>(scale[i]) *
           (static_cast<double>(x[i]) - mean);
  });
  const double count = static_cast<double>(size);
  const T b = static_cast<T>(sum / count);
  const T d = static_cast<T>(dot * inverse * inverse / count);
  const T a = static_cast<T>(inverse), shift = static_cast<T>(mean);
#pragma clang loop vectorize(assume_safety)
  for (int64_t i = 0; i < size; ++i)
    dx[i] = a * (dy[i] * scale[i] - b - (x[i] - shift) * d);
}

/// dscale and dbias of columns [begin, end), all rows in order.
template <typename T>
static void columnGrads(const KernelBuffers &buffers, int64_t rows,
                        int64_t size, int64_t begin, int64_t end, T *dscale,
                        T *dbias) {
  constexpr int64_t tile = 64;
  for (int64_t first = begin; first < end; first += tile) {
    const int64_t count = std::min(tile, end - first);
    double dots[tile] = {}, sums[tile] = {};
    for (int64_t r = 0; r < rows; ++r) {
      const T *dy = in<T>(buffers, 0) + r * size + first;
      const T *x = in<T>(buffers, 1) + r * size + first;
      const double mean = in<T>(buffers, 3)[r], inverse = in<T>(buffers, 4)[r];
      for (int64_t j = 0; j < count; ++j) {
        const double d = dy[j];
        dots[j] += d * (static_cast<double>(x[j]) - mean) * inverse;
        sums[j] += d;
      }
    }
    for (int64_t j = 0; j < count; ++j) {
      if (dscale)
        dscale[first + j] = static_cast<T>(dots[j]);
      if (dbias)
        dbias[first + j] = static_cast<T>(sums[j]);
    }
  }
}

/// (dy, x, scale, mean, inv_std) → (dx, dscale?, dbias?)
static KernelBuild makeLayerNormGrad(const KernelCall &call,
                                     const CpuContext &cpu) {
  if (std::string why = checkArity(call, 5, 0); !why.empty())
    return refuse(why);
  const TensorDesc &x = call.operand(1);
  const int64_t axis = normalizeAxis(call.intAttr("axis", -1), x.rank());
  if (axis < 0)
    return refuse("the axis is out of range");
  const int64_t size = productOf(x.shape, axis, x.rank());
  const int64_t rows = productOf(x.shape, 0, axis);
  if (call.operand(2).numElements() != size || size == 0)
    return refuse("the scale must cover the normalised dimensions");
  const bool hasDx = call.hasResult(0), hasScale = call.hasResult(1),
             hasBias = call.hasResult(2);
  const int threads = cpu.threads;
  return withFloat(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    donateOperand(call, 0, 1, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      // Columns first: dx may replace dy or x.
      if (hasScale || hasBias)
        parallelFor(threads, size, 64, [&](int64_t begin, int64_t end) {
          columnGrads<T>(buffers, rows, size, begin, end,
                         hasScale ? out<T>(buffers, 1) : nullptr,
                         hasBias ? out<T>(buffers, 2) : nullptr);
        });
      if (hasDx)
        parallelFor(threads, rows, 1 + elementGrain / 4 / size,
                    [&](int64_t begin, int64_t end) {
                      for (int64_t r = begin; r < end; ++r)
                        rowGrad(in<T>(buffers, 0) + r * size,
                                in<T>(buffers, 1) + r * size, in<T>(buffers, 2),
                                in<T>(buffers, 3)[r], in<T>(buffers, 4)[r],
                                out<T>(buffers) + r * size, size);
                    });
      return "";
    };
    return build;
  });
}

void cpu::addNormGradKernels(KernelTable &table) {
  table.add("train.batch_norm", makeBatchNorm);
  table.add("train.batch_norm_grad", makeBatchNormGrad);
  table.add("train.running_update", makeRunningUpdate);
  table.add("train.running_variance_update", makeRunningUpdate);
  table.add("train.layer_norm_grad", makeLayerNormGrad);
}
