//===- UpdateKernels.cpp - Optimizer steps --------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The formulas of PyTorch's SGD (with momentum) and AdamW, one pass each; new
// values may take the old ones' place. With g the gradient and p the parameter:
//
//   sgd            p' = p - lr * (g + weight_decay * p)
//   sgd_momentum   b' = momentum * b + (g + weight_decay * p)
//                  p' = p - lr * b'
//   adamw          p1 = p * (1 - lr * weight_decay)
//                  m' = m + (1 - beta1) * (g - m)
//                  v' = beta2 * v + (1 - beta2) * g²
//                  p' = p1 - lr / c1 * m' / (sqrt(v') / sqrt(c2) + epsilon)
//                  c1 = 1 - beta1^(step + 1), c2 = 1 - beta2^(step + 1)
//
// Tested by test/unit/Runtime/UpdateTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"

#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

static std::string checkSizes(const KernelCall &call, size_t operands,
                              size_t results) {
  if (std::string why = checkArity(call, operands, results); !why.empty())
    return why;
  for (size_t i = 1; i < operands; ++i)
    if (call.operand(i).numElements() != call.operand(0).numElements() ||
        call.operand(i).type != call.operand(0).type)
      return "operand " + std::to_string(i) + " is " +
             toString(call.operand(i)) + ", the parameter " +
             toString(call.operand(0));
  return "";
}

static KernelBuild makeSgd(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkSizes(call, 2, 1); !why.empty())
    return refuse(why);
  const int64_t n = call.operand(0).numElements();
  const double lr = call.floatAttr("lr", 1e-3);
  const double decay = call.floatAttr("weight_decay", 0);
  const int threads = cpu.threads;
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    donateOperand(call, 0, 1, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *p = in<T>(buffers, 0), *g = in<T>(buffers, 1);
      T *to = out<T>(buffers);
      const T rate = static_cast<T>(lr), shrink = static_cast<T>(decay);
      parallelFor(threads, n, elementGrain, [=](int64_t begin, int64_t end) {
#pragma clang loop vectorize(assume_safety)
        for (int64_t i = begin; i < end; ++i)
          to[i] = p[i] - rate * (g[i] + shrink * p[i]);
      });
      return "";
    };
    return build;
  });
}

/// (param, grad, buffer, step) → (param', buffer')
static KernelBuild makeMomentum(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkSizes(call, 3, 2); !why.empty())
    return refuse(why);
  const int64_t n = call.operand(0).numElements();
  const double lr = call.floatAttr("lr", 1e-3);
  const double momentum = call.floatAttr("momentum", 0.9);
  const double decay = call.floatAttr("weight_decay", 0);
  const int threads = cpu.threads;
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    donateOperand(call, 1, 2, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *p = in<T>(buffers, 0), *g = in<T>(buffers, 1),
              *b = in<T>(buffers, 2);
      T *toP = out<T>(buffers, 0), *toB = out<T>(buffers, 1);
      const T rate = static_cast<T>(lr), shrink = static_cast<T>(decay),
              keep = static_cast<T>(momentum);
      parallelFor(threads, n, elementGrain, [=](int64_t begin, int64_t end) {
#pragma clang loop vectorize(assume_safety)
        for (int64_t i = begin; i < end; ++i) {
          const T buffer = keep * b[i] + (g[i] + shrink * p[i]);
          toP[i] = p[i] - rate * buffer;
          toB[i] = buffer;
        }
      });
      return "";
    };
    return build;
  });
}

namespace {
struct AdamConstants {
  double lr, beta1, beta2, epsilon, decay;
};
} // namespace

template <typename T>
static void adamRange(const KernelBuffers &buffers, const AdamConstants &c,
                      double steps, int64_t begin, int64_t end) {
  const T *p = in<T>(buffers, 0), *g = in<T>(buffers, 1),
          *m = in<T>(buffers, 2), *v = in<T>(buffers, 3);
  T *toP = out<T>(buffers, 0), *toM = out<T>(buffers, 1),
    *toV = out<T>(buffers, 2);
  const T shrink = static_cast<T>(1.0 - c.lr * c.decay);
  const T blend = static_cast<T>(1.0 - c.beta1);
  const T keep = static_cast<T>(c.beta2);
  const T add = static_cast<T>(1.0 - c.beta2);
  const T rate = static_cast<T>(c.lr / (1.0 - std::pow(c.beta1, steps)));
  const T root = static_cast<T>(std::sqrt(1.0 - std::pow(c.beta2, steps)));
  const T epsilon = static_cast<T>(c.epsilon);
#pragma clang loop vectorize(assume_safety)
  for (int64_t i = begin; i < end; ++i) {
    const T first = m[i] + blend * (g[i] - m[i]);
    const T second = keep * v[i] + add * g[i] * g[i];
    toP[i] =
        p[i] * shrink - rate * (first / (std::sqrt(second) / root + epsilon));
    toM[i] = first;
    toV[i] = second;
  }
}

/// (param, grad, exp_avg, exp_avg_sq, step) → (param', exp_avg', exp_avg_sq')
static KernelBuild makeAdamW(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkSizes(call, 4, 3); !why.empty())
    return refuse(why);
  if (!call.hasOperand(4) || call.operand(4).type != DataType::Int64 ||
      call.operand(4).numElements() != 1)
    return refuse("step must be an int64 scalar");
  const int64_t n = call.operand(0).numElements();
  const AdamConstants constants{
      call.floatAttr("lr", 1e-3), call.floatAttr("beta1", 0.9),
      call.floatAttr("beta2", 0.999), call.floatAttr("epsilon", 1e-8),
      call.floatAttr("weight_decay", 1e-2)};
  const int threads = cpu.threads;
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    donateOperand(call, 0, 0, build.needs);
    donateOperand(call, 1, 2, build.needs);
    donateOperand(call, 2, 3, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const double steps = static_cast<double>(*in<int64_t>(buffers, 4)) + 1.0;
      parallelFor(threads, n, elementGrain, [&](int64_t begin, int64_t end) {
        adamRange<T>(buffers, constants, steps, begin, end);
      });
      return "";
    };
    return build;
  });
}

void cpu::addUpdateKernels(KernelTable &table) {
  table.add("train.sgd_update", makeSgd);
  table.add("train.sgd_momentum_update", makeMomentum);
  table.add("train.adamw_update", makeAdamW);
}
