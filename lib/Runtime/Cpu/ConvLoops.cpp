//===- ConvLoops.cpp - The three plain convolution loops ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Four channels are worked on together, so that a row of the shared side is
// loaded once for four multiplications per element.
//
// Tested by test/unit/Runtime/ConvTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ConvLoops.h"
#include "Parallel.h"

#include <algorithm>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

static constexpr int64_t blockSize = 4;

namespace {
/// Channels [first, first + count) of one image and group.
struct ChannelBlock {
  int64_t image, group, first, count;
};
} // namespace

/// Blocks never cross a group.
static int64_t blocksPerGroup(int64_t channels, int64_t group) {
  return (channels / group + blockSize - 1) / blockSize;
}

static ChannelBlock blockAt(int64_t index, int64_t channels, int64_t group) {
  const int64_t perGroup = blocksPerGroup(channels, group);
  const int64_t inGroup = index % perGroup * blockSize;
  const int64_t g = index / perGroup % group;
  return {index / perGroup / group, g, g * (channels / group) + inGroup,
          std::min(blockSize, channels / group - inGroup)};
}

/// y[c][i] += weight[c] * x[i * stride] for four rows (some may repeat).
template <typename T>
static void addRows(T *const *y, const T *weight, const T *x, int64_t stride,
                    int64_t n) {
  T *__restrict y0 = y[0], *__restrict y1 = y[1], *__restrict y2 = y[2],
                *__restrict y3 = y[3];
  const T w0 = weight[0], w1 = weight[1], w2 = weight[2], w3 = weight[3];
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) {
      const T value = x[i];
      y0[i] += w0 * value;
      y1[i] += w1 * value;
      y2[i] += w2 * value;
      y3[i] += w3 * value;
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const T value = x[i * stride];
    y0[i] += w0 * value;
    y1[i] += w1 * value;
    y2[i] += w2 * value;
    y3[i] += w3 * value;
  }
}

/// Rows shared by all taps: rows o0, o1 of four channels of y.
template <typename T>
static void correlateRow(const Window &w, const ChannelBlock &block, const T *x,
                         const T *weights, T *y, int64_t o0, int64_t o1) {
  const int64_t depth = w.xChannels / w.group, taps = w.taps();
  const int64_t row = (o0 * w.y[1] + o1) * w.y[2];
  T *rows[blockSize];
  for (int64_t c = 0; c < block.count; ++c)
    rows[c] =
        y + (block.image * w.yChannels + block.first + c) * w.yPlane() + row;
  for (int64_t ic = 0; ic < depth; ++ic) {
    const T *plane =
        x + (block.image * w.xChannels + block.group * depth + ic) * w.xPlane();
    for (int64_t a = 0; a < w.kernel[0]; ++a)
      for (int64_t b = 0; b < w.kernel[1]; ++b) {
        const int64_t i0 = w.xOf(0, o0, a), i1 = w.xOf(1, o1, b);
        if (!w.inside(0, i0) || !w.inside(1, i1))
          continue;
        for (int64_t c = 0; c < w.kernel[2]; ++c) {
          const auto [begin, end] = w.stops(2, c);
          const T *from =
              plane + (i0 * w.x[1] + i1) * w.x[2] + w.xOf(2, begin, c);
          const int64_t tap = (a * w.kernel[1] + b) * w.kernel[2] + c;
          const T *weight = weights + (block.first * depth + ic) * taps + tap;
          if (block.count == blockSize) {
            T *at[blockSize];
            T factor[blockSize];
            for (int64_t k = 0; k < blockSize; ++k) {
              at[k] = rows[k] + begin;
              factor[k] = weight[k * depth * taps];
            }
            addRows(at, factor, from, w.stride[2], end - begin);
            continue;
          }
          for (int64_t k = 0; k < block.count; ++k) {
            const T factor = weight[k * depth * taps];
            for (int64_t o = begin; o < end; ++o)
              rows[k][o] += factor * from[(o - begin) * w.stride[2]];
          }
        }
      }
  }
}

template <typename T>
void cpu::correlate(const Window &window, int threads, const T *x,
                    const T *weights, const T *bias, T *y) {
  Window w = window;
  w.joinShortRows();
  const int64_t blocks =
      w.batch * w.group * blocksPerGroup(w.yChannels, w.group);
  parallelFor(threads, blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const ChannelBlock block = blockAt(i, w.yChannels, w.group);
      for (int64_t c = 0; c < block.count; ++c) {
        T *plane =
            y + (block.image * w.yChannels + block.first + c) * w.yPlane();
        std::fill_n(plane, w.yPlane(), bias ? bias[block.first + c] : T(0));
      }
      for (int64_t o0 = 0; o0 < w.y[0]; ++o0)
        for (int64_t o1 = 0; o1 < w.y[1]; ++o1)
          correlateRow(w, block, x, weights, y, o0, o1);
    }
  });
}

/// One plane of x from all planes of y in its group.
template <typename T>
static void scatterPlane(const Window &w, const T *y, const T *weights, T *x,
                         int64_t image, int64_t channel) {
  const int64_t depth = w.xChannels / w.group;
  const int64_t perGroup = w.yChannels / w.group;
  const int64_t g = channel / depth, ic = channel % depth, taps = w.taps();
  T *to = x + (image * w.xChannels + channel) * w.xPlane();
  for (int64_t oc = g * perGroup; oc < (g + 1) * perGroup; ++oc) {
    const T *from = y + (image * w.yChannels + oc) * w.yPlane();
    const T *weight = weights + (oc * depth + ic) * taps;
    for (int64_t a = 0; a < w.kernel[0]; ++a)
      for (int64_t b = 0; b < w.kernel[1]; ++b)
        for (int64_t c = 0; c < w.kernel[2]; ++c) {
          const T factor = weight[(a * w.kernel[1] + b) * w.kernel[2] + c];
          const auto [begin, end] = w.stops(2, c);
          const auto [first0, last0] = w.stops(0, a);
          const auto [first1, last1] = w.stops(1, b);
          for (int64_t o0 = first0; o0 < last0; ++o0)
            for (int64_t o1 = first1; o1 < last1; ++o1) {
              const T *__restrict row = from + (o0 * w.y[1] + o1) * w.y[2];
              T *__restrict out =
                  to + (w.xOf(0, o0, a) * w.x[1] + w.xOf(1, o1, b)) * w.x[2] +
                  w.xOf(2, 0, c);
              if (w.stride[2] == 1)
                for (int64_t o = begin; o < end; ++o)
                  out[o] += factor * row[o];
              else
                for (int64_t o = begin; o < end; ++o)
                  out[o * w.stride[2]] += factor * row[o];
            }
        }
  }
}

template <typename T>
void cpu::scatter(const Window &window, int threads, const T *y,
                  const T *weights, const T *bias, T *x) {
  Window w = window;
  w.joinShortRows();
  parallelFor(threads, w.batch * w.xChannels, 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t channel = i % w.xChannels;
                  std::fill_n(x + i * w.xPlane(), w.xPlane(),
                              bias ? bias[channel] : T(0));
                  scatterPlane(w, y, weights, x, i / w.xChannels, channel);
                }
              });
}

/// Σ a[i] * b[i * stride] in eight lanes.
template <typename T>
static T dotRow(const T *a, const T *b, int64_t stride, int64_t n) {
  T lanes[8] = {};
  int64_t i = 0;
  if (stride == 1)
    for (; i + 8 <= n; i += 8)
      for (int l = 0; l < 8; ++l)
        lanes[l] += a[i + l] * b[i + l];
  else
    for (; i + 8 <= n; i += 8)
      for (int l = 0; l < 8; ++l)
        lanes[l] += a[i + l] * b[(i + l) * stride];
  for (; i < n; ++i)
    lanes[0] += a[i] * b[i * stride];
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

template <typename T>
static T weightAt(const Window &w, const T *y, const T *x, int64_t oc,
                  int64_t channel, int64_t a, int64_t b, int64_t c) {
  const auto [begin, end] = w.stops(2, c);
  const auto [first0, last0] = w.stops(0, a);
  const auto [first1, last1] = w.stops(1, b);
  double sum = 0;
  for (int64_t image = 0; image < w.batch; ++image) {
    const T *from = y + (image * w.yChannels + oc) * w.yPlane();
    const T *plane = x + (image * w.xChannels + channel) * w.xPlane();
    for (int64_t o0 = first0; o0 < last0; ++o0)
      for (int64_t o1 = first1; o1 < last1; ++o1)
        sum += static_cast<double>(dotRow(
            from + (o0 * w.y[1] + o1) * w.y[2] + begin,
            plane + (w.xOf(0, o0, a) * w.x[1] + w.xOf(1, o1, b)) * w.x[2] +
                w.xOf(2, begin, c),
            w.stride[2], end - begin));
  }
  return static_cast<T>(sum);
}

template <typename T>
void cpu::correlateWeights(const Window &window, int threads, const T *y,
                           const T *x, T *weights) {
  Window w = window;
  w.joinShortRows();
  const int64_t depth = w.xChannels / w.group, taps = w.taps();
  const int64_t perGroup = w.yChannels / w.group;
  parallelFor(threads, w.yChannels * depth, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t oc = i / depth;
      const int64_t channel = oc / perGroup * depth + i % depth;
      T *to = weights + i * taps;
      for (int64_t a = 0; a < w.kernel[0]; ++a)
        for (int64_t b = 0; b < w.kernel[1]; ++b)
          for (int64_t c = 0; c < w.kernel[2]; ++c)
            *to++ = weightAt(w, y, x, oc, channel, a, b, c);
    }
  });
}

namespace lowtide::runtime::cpu {
template void correlate(const Window &, int, const float *, const float *,
                        const float *, float *);
template void correlate(const Window &, int, const double *, const double *,
                        const double *, double *);
template void scatter(const Window &, int, const float *, const float *,
                      const float *, float *);
template void scatter(const Window &, int, const double *, const double *,
                      const double *, double *);
template void correlateWeights(const Window &, int, const float *,
                               const float *, float *);
template void correlateWeights(const Window &, int, const double *,
                               const double *, double *);
} // namespace lowtide::runtime::cpu
