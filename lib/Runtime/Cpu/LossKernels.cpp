//===- LossKernels.cpp - Losses and their gradients -----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Cross-entropy of logits with class indices: for one sample with target t and
// weight w_t its loss is w_t * (log Σ exp(l_k) - l_t). Reduction "mean" divides
// the sum by the sum of the weights that took part. The gradient recomputes the
// softmax from the logits:
//
//   dl_k = scale * w_t * (softmax_k - [k = t])
//
// Samples with target `ignore_index` have weight 0. A target that is no class
// is refused. Sums are in double, sample after sample.
//
// Tested by test/unit/Runtime/LossTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Moments.h"
#include "Parallel.h"

#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {
struct Samples {
  int64_t outer = 1, classes = 1, inner = 1;
  bool hasWeights = false, hasIgnored = false;
  int64_t ignored = 0;
  std::string reduction;

  int64_t count() const { return outer * inner; }
  int64_t first(int64_t sample) const {
    return sample / inner * classes * inner + sample % inner;
  }
  template <typename I>
  std::string check(const I *target) const {
    for (int64_t i = 0; i < count(); ++i)
      if ((target[i] < 0 || target[i] >= classes) &&
          !(hasIgnored && target[i] == ignored))
        return "target " + std::to_string(target[i]) + " at element " +
               std::to_string(i) + " is no class of " + std::to_string(classes);
    return "";
  }
  template <typename T, typename I>
  double weightOf(const T *weights, I target) const {
    if (hasIgnored && target == ignored)
      return 0;
    return weights ? static_cast<double>(weights[target]) : 1;
  }
};
} // namespace

static std::string readSamples(const KernelCall &call, const TensorDesc &x,
                               size_t weights, Samples &s) {
  const int64_t axis = normalizeAxis(call.intAttr("axis", 1), x.rank());
  if (axis < 0)
    return "the class axis is out of range";
  s.outer = productOf(x.shape, 0, axis);
  s.classes = x.shape[axis];
  s.inner = productOf(x.shape, axis + 1, x.rank());
  s.hasWeights = call.hasOperand(weights);
  s.hasIgnored = call.attributes.count("ignore_index") != 0;
  s.ignored = call.intAttr("ignore_index", 0);
  s.reduction = call.stringAttr("reduction", "mean");
  if (s.reduction != "mean" && s.reduction != "sum" && s.reduction != "none")
    return "reduction '" + s.reduction + "' isn't known";
  return "";
}

template <typename T>
static double logSumExp(const T *x, int64_t size, int64_t inner) {
  double top = x[0];
  for (int64_t k = 1; k < size; ++k)
    top = std::max(top, static_cast<double>(x[k * inner]));
  double sum = 0;
  for (int64_t k = 0; k < size; ++k)
    sum += std::exp(static_cast<double>(x[k * inner]) - top);
  return top + std::log(sum);
}

/// Σ of the weights of all samples.
template <typename T, typename I>
static double totalWeight(const Samples &s, const T *weights, const I *target) {
  double total = 0;
  for (int64_t i = 0; i < s.count(); ++i)
    total += s.weightOf(weights, target[i]);
  return total;
}

/// (scores, target, weights?) → (loss, log probabilities?). `isLogits` false:
/// the scores are log probabilities already.
template <bool isLogits>
static KernelBuild makeLoss(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  Samples s;
  if (std::string why = readSamples(call, call.operand(0), 2, s); !why.empty())
    return refuse(why);
  const bool hasLog = isLogits && call.hasResult(1) &&
                      call.result(1).shape == call.operand(0).shape;
  if (call.hasResult(1) && !hasLog)
    return refuse("the second result isn't the log probabilities");
  const int threads = cpu.threads;
  return withFloat(call.operand(0).type, [&](auto valueTag) {
    using T = typename decltype(valueTag)::type;
    return withIndex(call.operand(1).type, [&](auto indexTag) {
      using I = typename decltype(indexTag)::type;
      KernelBuild build;
      build.needs.workspaceBytes =
          s.count() * static_cast<int64_t>(sizeof(double));
      build.run = [=](const KernelBuffers &buffers) -> std::string {
        const T *x = in<T>(buffers, 0);
        const I *target = in<I>(buffers, 1);
        const T *weights = s.hasWeights ? in<T>(buffers, 2) : nullptr;
        auto *losses = static_cast<double *>(buffers.workspace);
        if (std::string why = s.check(target); !why.empty())
          return why;
        parallelFor(threads, s.count(), 1 + 1024 / (s.classes + 1),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) {
                        const T *row = x + s.first(i);
                        const double w = s.weightOf(weights, target[i]);
                        const double log =
                            isLogits ? logSumExp(row, s.classes, s.inner) : 0;
                        losses[i] =
                            w == 0 ? 0 : w * (log - row[target[i] * s.inner]);
                        if (hasLog)
                          for (int64_t k = 0; k < s.classes; ++k)
                            out<T>(buffers, 1)[s.first(i) + k * s.inner] =
                                static_cast<T>(row[k * s.inner] - log);
                      }
                    });
        T *y = out<T>(buffers);
        double sum = 0;
        for (int64_t i = 0; i < s.count(); ++i) {
          sum += losses[i];
          if (s.reduction == "none")
            y[i] = static_cast<T>(losses[i]);
        }
        if (s.reduction == "mean")
          sum /= totalWeight(s, weights, target);
        if (s.reduction != "none")
          *y = static_cast<T>(sum);
        return "";
      };
      return build;
    });
  });
}

/// (dloss, logits, target, weights?) → dlogits, or for log probabilities, whose
/// values don't matter, (dloss, target, weights?) → dscores.
template <bool isLogits>
static KernelBuild makeLossGrad(const KernelCall &call, const CpuContext &cpu) {
  constexpr size_t targetAt = isLogits ? 2 : 1, weightsAt = targetAt + 1;
  if (std::string why = checkArity(call, targetAt + 1); !why.empty())
    return refuse(why);
  Samples s;
  if (std::string why = readSamples(call, call.result(0), weightsAt, s);
      !why.empty())
    return refuse(why);
  const int threads = cpu.threads;
  return withFloat(call.result(0).type, [&](auto valueTag) {
    using T = typename decltype(valueTag)::type;
    return withIndex(call.operand(targetAt).type, [&](auto indexTag) {
      using I = typename decltype(indexTag)::type;
      KernelBuild build;
      if (isLogits)
        donateOperand(call, 0, 1, build.needs);
      build.run = [=](const KernelBuffers &buffers) -> std::string {
        const T *dloss = in<T>(buffers, 0);
        const T *x = isLogits ? in<T>(buffers, 1) : nullptr;
        const I *target = in<I>(buffers, targetAt);
        const T *weights = s.hasWeights ? in<T>(buffers, weightsAt) : nullptr;
        T *dx = out<T>(buffers);
        if (std::string why = s.check(target); !why.empty())
          return why;
        const bool isMean = s.reduction == "mean";
        const double divisor = isMean ? totalWeight(s, weights, target) : 1;
        const bool perSample = s.reduction == "none";
        parallelFor(threads, s.count(), 1 + 1024 / (s.classes + 1),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) {
                        const T *row = isLogits ? x + s.first(i) : nullptr;
                        T *to = dx + s.first(i);
                        const double w = s.weightOf(weights, target[i]);
                        const double scale =
                            w == 0 ? 0 : w * dloss[perSample ? i : 0] / divisor;
                        const double log =
                            isLogits ? logSumExp(row, s.classes, s.inner) : 0;
                        for (int64_t k = 0; k < s.classes; ++k) {
                          const double share =
                              isLogits ? std::exp(row[k * s.inner] - log) : 0;
                          const double hit =
                              k == static_cast<int64_t>(target[i]);
                          to[k * s.inner] =
                              static_cast<T>(scale * (share - hit));
                        }
                      }
                    });
        return "";
      };
      return build;
    });
  });
}

/// (x, target) → mean squared difference.
static KernelBuild makeMse(const KernelCall &call, const CpuContext &) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  const int64_t n = call.operand(0).numElements();
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [n](const KernelBuffers &buffers) -> std::string {
      const T *x = in<T>(buffers, 0), *target = in<T>(buffers, 1);
      const double sum = sumOf(n, [=](int64_t i) {
        const double d =
            static_cast<double>(x[i]) - static_cast<double>(target[i]);
        return d * d;
      });
      *out<T>(buffers) = static_cast<T>(sum / static_cast<double>(n));
      return "";
    };
    return build;
  });
}

/// (dloss, x, target) → dx
static KernelBuild makeMseGrad(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  const int64_t n = call.operand(1).numElements();
  const int threads = cpu.threads;
  return withFloat(call.operand(1).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    if (n > 1)
      for (unsigned operand : {1u, 2u})
        donateOperand(call, 0, operand, build.needs);
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *x = in<T>(buffers, 1), *target = in<T>(buffers, 2);
      T *dx = out<T>(buffers);
      const T scale =
          static_cast<T>(2.0 * *in<T>(buffers, 0) / static_cast<double>(n));
      parallelFor(threads, n, elementGrain, [=](int64_t begin, int64_t end) {
#pragma clang loop vectorize(assume_safety)
        for (int64_t i = begin; i < end; ++i)
          dx[i] = scale * (x[i] - target[i]);
      });
      return "";
    };
    return build;
  });
}

void cpu::addLossKernels(KernelTable &table) {
  table.add("onnx.SoftmaxCrossEntropyLoss", makeLoss<true>);
  table.add("onnx.NegativeLogLikelihoodLoss", makeLoss<false>);
  table.add("train.softmax_cross_entropy", makeLoss<true>);
  table.add("train.softmax_cross_entropy_grad", makeLossGrad<true>);
  table.add("train.nll_loss_grad", makeLossGrad<false>);
  table.add("train.mse", makeMse);
  table.add("train.mse_grad", makeMseGrad);
}
