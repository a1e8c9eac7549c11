//===- Window.cpp - Geometry of convolutions and pooling ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include <algorithm>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

std::pair<int64_t, int64_t> Window::stops(int d, int64_t k) const {
  // o * stride + shift in [0, x)
  const int64_t shift = k * dilation[d] - padBefore[d];
  const int64_t begin = shift >= 0 ? 0 : (-shift + stride[d] - 1) / stride[d];
  const int64_t room = x[d] - 1 - shift;
  const int64_t end = room < 0 ? 0 : std::min(y[d], room / stride[d] + 1);
  return {std::min(begin, end), end};
}

bool Window::isPointwise() const {
  return taps() == 1 && stride == Triple{1, 1, 1} &&
         padBefore == Triple{0, 0, 0} && x == y;
}

void Window::joinShortRows() {
  if (isPointwise() && xPlane() <= 1024)
    x = y = {1, 1, xPlane()};
}

/// Padding in front for `auto_pad`: what the last stop sticks out, halved.
static void autoPad(const std::string &mode, Window &w) {
  for (int d = 0; d < 3; ++d) {
    w.padBefore[d] = w.padAfter[d] = 0;
    if (mode == "VALID")
      continue;
    const int64_t extent = (w.kernel[d] - 1) * w.dilation[d] + 1;
    const int64_t total =
        std::max<int64_t>(0, (w.y[d] - 1) * w.stride[d] + extent - w.x[d]);
    w.padBefore[d] = mode == "SAME_LOWER" ? (total + 1) / 2 : total / 2;
    w.padAfter[d] = total - w.padBefore[d];
  }
}

std::string cpu::readWindow(const KernelCall &call,
                            const std::vector<int64_t> &x,
                            const std::vector<int64_t> &y,
                            const std::vector<int64_t> &kernel,
                            Window &window) {
  const size_t n = kernel.size();
  if (n < 1 || n > 3 || x.size() != n + 2 || y.size() != n + 2)
    return "needs one to three spatial dimensions";
  const std::vector<int64_t> ones(n, 1);
  const std::vector<int64_t> strides = call.intsAttr("strides", ones);
  const std::vector<int64_t> dilations = call.intsAttr("dilations", ones);
  const std::vector<int64_t> pads =
      call.intsAttr("pads", std::vector<int64_t>(2 * n, 0));
  if (strides.size() != n || dilations.size() != n || pads.size() != 2 * n)
    return "strides, dilations or pads have a wrong length";
  window.batch = x[0];
  window.xChannels = x[1];
  window.yChannels = y[1];
  window.group = call.intAttr("group", 1);
  window.spatial = static_cast<int>(n);
  for (size_t i = 0; i < n; ++i) {
    const size_t d = 3 - n + i;
    window.x[d] = x[i + 2];
    window.y[d] = y[i + 2];
    window.kernel[d] = kernel[i];
    window.stride[d] = strides[i];
    window.dilation[d] = dilations[i];
    window.padBefore[d] = pads[i];
    window.padAfter[d] = pads[n + i];
    if (kernel[i] < 1 || strides[i] < 1 || dilations[i] < 1)
      return "kernel, strides and dilations must be positive";
  }
  const std::string mode = call.stringAttr("auto_pad", "NOTSET");
  if (mode != "NOTSET")
    autoPad(mode, window);
  if (window.group < 1 || window.xChannels % window.group != 0)
    return "the channels aren't a multiple of the groups";
  return "";
}
