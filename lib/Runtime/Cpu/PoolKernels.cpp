//===- PoolKernels.cpp - Pooling, LRN and their gradients, plain ----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The gradient of max pooling looks for the maximum again instead of keeping
// indices: the first one in row-major order of the window gets the gradient.
//
// Average pooling divides by the window's elements inside x, or, counting
// padding, by those inside the padded x.
//
// LRN: y_c = x_c * d_c^-beta, d_c = bias + alpha / size * Σ x_j² over the
// window of c; its gradient is
//   dx_c = dy_c d_c^-beta - 2 alpha beta / size x_c Σ_j dy_j x_j d_j^(-beta-1)
// over all j whose window holds c.
//
// Tested by test/unit/Runtime/PoolTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Window.h"

#include <algorithm>
#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

/// Calls `stop(o, o0, o1, o2)` for all positions of a plane of y.
template <typename Stop>
static void forEachStop(const Window &w, const Stop &stop) {
  int64_t o = 0;
  for (int64_t o0 = 0; o0 < w.y[0]; ++o0)
    for (int64_t o1 = 0; o1 < w.y[1]; ++o1)
      for (int64_t o2 = 0; o2 < w.y[2]; ++o2)
        stop(o++, o0, o1, o2);
}

/// Offset of the first maximum of the window, or -1 when it lies outside.
template <typename T>
static int64_t firstMaximum(const Window &w, const T *x, int64_t o0, int64_t o1,
                            int64_t o2) {
  int64_t best = -1;
  forEachTap(w, o0, o1, o2, [&](int64_t, int64_t i) {
    if (best < 0 || x[i] > x[best])
      best = i;
  });
  return best;
}

static KernelBuild makeMaxPool(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  Window w;
  if (std::string why =
          readWindow(call, call.operand(0).shape, call.result(0).shape,
                     call.intsAttr("kernel_shape"), w);
      !why.empty())
    return refuse(why);
  const bool hasIndices = call.hasResult(1);
  if (hasIndices && call.intAttr("storage_order", 0) != 0)
    return refuse("column-major indices aren't supported");
  const int threads = cpu.threads;
  return withNumber(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *x = in<T>(buffers, 0);
      T *y = out<T>(buffers);
      int64_t *indices = hasIndices ? out<int64_t>(buffers, 1) : nullptr;
      parallelFor(threads, w.batch * w.xChannels, 1,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t p = begin; p < end; ++p)
                      forEachStop(w, [&](int64_t o, int64_t o0, int64_t o1,
                                         int64_t o2) {
                        const T *plane = x + p * w.xPlane();
                        const int64_t best = firstMaximum(w, plane, o0, o1, o2);
                        y[p * w.yPlane() + o] = best < 0 ? T(0) : plane[best];
                        if (indices)
                          indices[p * w.yPlane() + o] = p * w.xPlane() + best;
                      });
                  });
      return "";
    };
    return build;
  });
}

static KernelBuild makeMaxPoolGrad(const KernelCall &call,
                                   const CpuContext &cpu) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  Window w;
  if (std::string why =
          readWindow(call, call.operand(1).shape, call.operand(0).shape,
                     call.intsAttr("kernel_shape"), w);
      !why.empty())
    return refuse(why);
  const int threads = cpu.threads;
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *dy = in<T>(buffers, 0), *x = in<T>(buffers, 1);
      T *dx = out<T>(buffers);
      parallelFor(
          threads, w.batch * w.xChannels, 1, [&](int64_t begin, int64_t end) {
            for (int64_t p = begin; p < end; ++p) {
              T *to = dx + p * w.xPlane();
              std::fill_n(to, w.xPlane(), T(0));
              forEachStop(w,
                          [&](int64_t o, int64_t o0, int64_t o1, int64_t o2) {
                            const int64_t best =
                                firstMaximum(w, x + p * w.xPlane(), o0, o1, o2);
                            if (best >= 0)
                              to[best] += dy[p * w.yPlane() + o];
                          });
            }
          });
      return "";
    };
    return build;
  });
}

/// Elements of the window inside x and its padding.
static int64_t paddedCount(const Window &w, int64_t o0, int64_t o1,
                           int64_t o2) {
  const int64_t stop[3] = {o0, o1, o2};
  int64_t count = 1;
  for (int d = 0; d < 3; ++d) {
    int64_t inside = 0;
    for (int64_t k = 0; k < w.kernel[d]; ++k)
      inside += w.xOf(d, stop[d], k) < w.x[d] + w.padAfter[d];
    count *= inside;
  }
  return count;
}

static int64_t divisorAt(const Window &w, bool countPadding, int64_t o0,
                         int64_t o1, int64_t o2) {
  if (countPadding)
    return std::max<int64_t>(1, paddedCount(w, o0, o1, o2));
  int64_t count = 0;
  forEachTap(w, o0, o1, o2, [&](int64_t, int64_t) { ++count; });
  return std::max<int64_t>(1, count);
}

static KernelBuild makeAveragePool(const KernelCall &call,
                                   const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  Window w;
  if (std::string why =
          readWindow(call, call.operand(0).shape, call.result(0).shape,
                     call.intsAttr("kernel_shape"), w);
      !why.empty())
    return refuse(why);
  const bool countPadding = call.intAttr("count_include_pad", 0) != 0;
  const int threads = cpu.threads;
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *x = in<T>(buffers, 0);
      T *y = out<T>(buffers);
      parallelFor(
          threads, w.batch * w.xChannels, 1, [&](int64_t begin, int64_t end) {
            for (int64_t p = begin; p < end; ++p)
              forEachStop(w,
                          [&](int64_t o, int64_t o0, int64_t o1, int64_t o2) {
                            double sum = 0;
                            forEachTap(w, o0, o1, o2, [&](int64_t, int64_t i) {
                              sum += static_cast<double>(x[p * w.xPlane() + i]);
                            });
                            y[p * w.yPlane() + o] = static_cast<T>(
                                sum / divisorAt(w, countPadding, o0, o1, o2));
                          });
          });
      return "";
    };
    return build;
  });
}

static KernelBuild makeAveragePoolGrad(const KernelCall &call,
                                       const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  Window w;
  if (std::string why =
          readWindow(call, call.result(0).shape, call.operand(0).shape,
                     call.intsAttr("kernel_shape"), w);
      !why.empty())
    return refuse(why);
  const bool countPadding = call.intAttr("count_include_pad", 0) != 0;
  const int threads = cpu.threads;
  return withFloat(call.operand(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *dy = in<T>(buffers, 0);
      T *dx = out<T>(buffers);
      parallelFor(
          threads, w.batch * w.xChannels, 1, [&](int64_t begin, int64_t end) {
            for (int64_t p = begin; p < end; ++p) {
              T *to = dx + p * w.xPlane();
              std::fill_n(to, w.xPlane(), T(0));
              forEachStop(
                  w, [&](int64_t o, int64_t o0, int64_t o1, int64_t o2) {
                    const T share =
                        dy[p * w.yPlane() + o] /
                        static_cast<T>(divisorAt(w, countPadding, o0, o1, o2));
                    forEachTap(w, o0, o1, o2,
                               [&](int64_t, int64_t i) { to[i] += share; });
                  });
            }
          });
      return "";
    };
    return build;
  });
}

template <bool isMax>
static KernelBuild makeGlobalPool(const KernelCall &call,
                                  const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  const TensorDesc &x = call.operand(0);
  if (x.rank() < 3)
    return refuse("needs a spatial dimension");
  const int64_t planes = x.shape[0] * x.shape[1];
  const int64_t size = productOf(x.shape, 2, x.rank());
  const int threads = cpu.threads;
  return withFloat(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *from = in<T>(buffers, 0);
      T *y = out<T>(buffers);
      parallelFor(threads, planes, 1 + elementGrain / (size + 1),
                  [=](int64_t begin, int64_t end) {
                    for (int64_t p = begin; p < end; ++p) {
                      const T *plane = from + p * size;
                      if (isMax) {
                        y[p] = *std::max_element(plane, plane + size);
                        continue;
                      }
                      double sum = 0;
                      for (int64_t i = 0; i < size; ++i)
                        sum += static_cast<double>(plane[i]);
                      y[p] = static_cast<T>(sum / static_cast<double>(size));
                    }
                  });
      return "";
    };
    return build;
  });
}

//===----------------------------------------------------------------------===//
// Local response normalisation
//===----------------------------------------------------------------------===//

namespace {
struct Response {
  int64_t channels, inner, before, after;
  double scale, beta, bias; ///< scale is alpha / size.

  int64_t first(int64_t c) const { return std::max<int64_t>(0, c - before); }
  int64_t last(int64_t c) const { return std::min(channels - 1, c + after); }
  template <typename T>
  double divisor(const T *image, int64_t c) const {
    double squares = 0;
    for (int64_t j = first(c); j <= last(c); ++j) {
      const double value = image[j * inner];
      squares += value * value;
    }
    return bias + scale * squares;
  }
};
} // namespace

template <bool isGradient>
static KernelBuild makeLrn(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, isGradient ? 2 : 1); !why.empty())
    return refuse(why);
  const TensorDesc &x = call.operand(isGradient ? 1 : 0);
  const int64_t size = call.intAttr("size", 0);
  if (x.rank() < 2 || size < 1)
    return refuse("needs channels and a positive size");
  Response r;
  r.channels = x.shape[1];
  r.inner = productOf(x.shape, 2, x.rank());
  r.before = (size - 1) / 2;
  r.after = size - 1 - r.before;
  r.scale = call.floatAttr("alpha", 1e-4) / static_cast<double>(size);
  r.beta = call.floatAttr("beta", 0.75);
  r.bias = call.floatAttr("bias", 1.0);
  const int64_t planes = x.shape[0] * r.channels;
  const int threads = cpu.threads;
  return withFloat(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      const T *from = in<T>(buffers, isGradient ? 1 : 0);
      const T *dy = in<T>(buffers, 0);
      T *to = out<T>(buffers);
      parallelFor(threads, planes, 1, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p)
          for (int64_t i = 0; i < r.inner; ++i) {
            const int64_t c = p % r.channels;
            const int64_t base = (p - c) * r.inner + i;
            const int64_t at = base + c * r.inner;
            const double power = std::pow(r.divisor(from + base, c), -r.beta);
            if (!isGradient) {
              to[at] = static_cast<T>(from[at] * power);
              continue;
            }
            double sum = 0;
            // j's window holds c when c - after <= j <= c + before.
            for (int64_t j = std::max<int64_t>(0, c - r.after);
                 j <= std::min(r.channels - 1, c + r.before); ++j) {
              const int64_t k = base + j * r.inner;
              sum += static_cast<double>(dy[k]) * from[k] *
                     std::pow(r.divisor(from + base, j), -r.beta - 1);
            }
            to[at] = static_cast<T>(dy[at] * power -
                                    2 * r.scale * r.beta * from[at] * sum);
          }
      });
      return "";
    };
    return build;
  });
}

void cpu::addPoolKernels(KernelTable &table) {
  table.add("onnx.MaxPool", makeMaxPool);
  table.add("onnx.AveragePool", makeAveragePool);
  table.add("onnx.GlobalAveragePool", makeGlobalPool<false>);
  table.add("onnx.GlobalMaxPool", makeGlobalPool<true>);
  table.add("onnx.LRN", makeLrn<false>);
  table.add("train.max_pool_grad", makeMaxPoolGrad);
  table.add("train.average_pool_grad", makeAveragePoolGrad);
  table.add("train.lrn_grad", makeLrn<true>);
}
