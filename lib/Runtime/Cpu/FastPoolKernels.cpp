//===- FastPoolKernels.cpp - Max pooling by rows --------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Float32 max pooling and its gradient. A stretch of a row of y is made
// together: every window element in turn is compared with the best values so
// far, so that the inner loop runs along the row. The same comparisons in the
// same order as the plain loops: the results are the same bits.
//
// Tested by test/unit/Runtime/KernelAgreementTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Window.h"

#include <algorithm>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

static constexpr int64_t stretch = 128;

namespace {
struct Best {
  float value[stretch];
  int32_t index[stretch]; ///< In x's plane; -1 where the window lies outside.
};
} // namespace

/// Stops [first, first + count) of row (o0, o1).
static void findBest(const Window &w, const float *x, int64_t o0, int64_t o1,
                     int64_t first, int64_t count, Best &best) {
  std::fill_n(best.value, count, 0.0f);
  std::fill_n(best.index, count, -1);
  for (int64_t a = 0; a < w.kernel[0]; ++a)
    for (int64_t b = 0; b < w.kernel[1]; ++b) {
      const int64_t i0 = w.xOf(0, o0, a), i1 = w.xOf(1, o1, b);
      if (!w.inside(0, i0) || !w.inside(1, i1))
        continue;
      const int64_t row = (i0 * w.x[1] + i1) * w.x[2];
      for (int64_t c = 0; c < w.kernel[2]; ++c) {
        const auto [low, high] = w.stops(2, c);
        const int64_t begin = std::max(low, first) - first;
        const int64_t end = std::min(high, first + count) - first;
        const int64_t step = w.stride[2];
        const int64_t from = row + w.xOf(2, first, c);
        for (int64_t i = begin; i < end; ++i) {
          const float value = x[from + i * step];
          const bool take = best.index[i] < 0 || value > best.value[i];
          best.value[i] = take ? value : best.value[i];
          best.index[i] =
              take ? static_cast<int32_t>(from + i * step) : best.index[i];
        }
      }
    }
}

/// Calls `use(first y offset, count, best)` for all stretches of a plane.
template <typename Use>
static void forEachStretch(const Window &w, const float *x, const Use &use) {
  Best best;
  for (int64_t o0 = 0; o0 < w.y[0]; ++o0)
    for (int64_t o1 = 0; o1 < w.y[1]; ++o1)
      for (int64_t first = 0; first < w.y[2]; first += stretch) {
        const int64_t count = std::min(stretch, w.y[2] - first);
        findBest(w, x, o0, o1, first, count, best);
        use((o0 * w.y[1] + o1) * w.y[2] + first, count, best);
      }
}

static std::string readPool(const KernelCall &call, const TensorDesc &x,
                            const TensorDesc &y, Window &w) {
  if (x.type != DataType::Float32 || call.hasResult(1))
    return "needs the plain loops";
  if (std::string why =
          readWindow(call, x.shape, y.shape, call.intsAttr("kernel_shape"), w);
      !why.empty())
    return why;
  return w.xPlane() < (int64_t(1) << 31) ? "" : "needs the plain loops";
}

/// x → y
static KernelBuild makeMaxPool(const KernelCall &call, const CpuContext &cpu) {
  Window w;
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  if (std::string why = readPool(call, call.operand(0), call.result(0), w);
      !why.empty())
    return refuse(why);
  const int threads = cpu.threads;
  KernelBuild build;
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const float *x = in<float>(buffers, 0);
    float *y = out<float>(buffers);
    parallelFor(
        threads, w.batch * w.xChannels, 1, [&](int64_t begin, int64_t end) {
          for (int64_t p = begin; p < end; ++p)
            forEachStretch(w, x + p * w.xPlane(),
                           [&](int64_t to, int64_t count, const Best &best) {
                             std::copy_n(best.value, count,
                                         y + p * w.yPlane() + to);
                           });
        });
    return "";
  };
  return build;
}

/// (dy, x) → dx
static KernelBuild makeMaxPoolGrad(const KernelCall &call,
                                   const CpuContext &cpu) {
  Window w;
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  if (std::string why = readPool(call, call.operand(1), call.operand(0), w);
      !why.empty())
    return refuse(why);
  const int threads = cpu.threads;
  KernelBuild build;
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const float *dy = in<float>(buffers, 0), *x = in<float>(buffers, 1);
    float *dx = out<float>(buffers);
    parallelFor(
        threads, w.batch * w.xChannels, 1, [&](int64_t begin, int64_t end) {
          for (int64_t p = begin; p < end; ++p) {
            float *to = dx + p * w.xPlane();
            const float *from = dy + p * w.yPlane();
            std::fill_n(to, w.xPlane(), 0.0f);
            forEachStretch(w, x + p * w.xPlane(),
                           [&](int64_t at, int64_t count, const Best &best) {
                             for (int64_t i = 0; i < count; ++i)
                               if (best.index[i] >= 0)
                                 to[best.index[i]] += from[at + i];
                           });
          }
        });
    return "";
  };
  return build;
}

void cpu::addFastPoolKernels(KernelTable &table) {
  table.add("onnx.MaxPool", makeMaxPool);
  table.add("train.max_pool_grad", makeMaxPoolGrad);
}
