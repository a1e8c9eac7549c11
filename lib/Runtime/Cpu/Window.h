//===- Window.h - Geometry of convolutions and pooling ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A window slides over the spatial dimensions of a large side ("x", what a
// convolution reads) and makes one position of the small side ("y") per stop.
// One, two and three dimensions are all three here: missing ones have size 1.
//
//   y position o, window element k  →  x position o * stride + k * dilation
//                                                  - padBefore
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_WINDOW_H
#define LOWTIDE_LIB_RUNTIME_CPU_WINDOW_H

#include "ElementTypes.h"

#include <array>

namespace lowtide::runtime::cpu {

struct Window {
  using Triple = std::array<int64_t, 3>;

  int64_t batch = 1;
  int64_t xChannels = 1;
  int64_t yChannels = 1;
  int64_t group = 1;
  int spatial = 2;
  Triple x{1, 1, 1};
  Triple y{1, 1, 1};
  Triple kernel{1, 1, 1};
  Triple stride{1, 1, 1};
  Triple dilation{1, 1, 1};
  Triple padBefore{0, 0, 0};
  Triple padAfter{0, 0, 0};

  int64_t xPlane() const { return x[0] * x[1] * x[2]; }
  int64_t yPlane() const { return y[0] * y[1] * y[2]; }
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t xOf(int d, int64_t o, int64_t k) const {
    return o * stride[d] + k * dilation[d] - padBefore[d];
  }
  bool inside(int d, int64_t position) const {
    return position >= 0 && position < x[d];
  }
  /// The stops [begin, end) of dimension `d` whose element `k` lies inside.
  std::pair<int64_t, int64_t> stops(int d, int64_t k) const;
  /// A window of one element that visits every position: the planes can be
  /// seen as one long row.
  bool isPointwise() const;
  /// Joins the rows of a pointwise window when they are short.
  void joinShortRows();
};

/// Fills a window from x's and y's shapes ([N, C, spatial…]), the kernel's
/// spatial shape and the attributes strides, dilations, pads, auto_pad, group.
/// Returns what is wrong, or an empty string.
std::string readWindow(const KernelCall &call, const std::vector<int64_t> &x,
                       const std::vector<int64_t> &y,
                       const std::vector<int64_t> &kernel, Window &window);

/// Calls `visit(k offset, x offset)` for every window element inside x at stop
/// (o0, o1, o2): offsets in the kernel and in x's plane, row-major.
template <typename Visit>
void forEachTap(const Window &w, int64_t o0, int64_t o1, int64_t o2,
                const Visit &visit) {
  for (int64_t a = 0; a < w.kernel[0]; ++a) {
    const int64_t i0 = w.xOf(0, o0, a);
    if (!w.inside(0, i0))
      continue;
    for (int64_t b = 0; b < w.kernel[1]; ++b) {
      const int64_t i1 = w.xOf(1, o1, b);
      if (!w.inside(1, i1))
        continue;
      for (int64_t c = 0; c < w.kernel[2]; ++c) {
        const int64_t i2 = w.xOf(2, o2, c);
        if (w.inside(2, i2))
          visit((a * w.kernel[1] + b) * w.kernel[2] + c,
                (i0 * w.x[1] + i1) * w.x[2] + i2);
      }
    }
  }
}

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_WINDOW_H
