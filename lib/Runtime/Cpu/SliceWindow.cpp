//===- SliceWindow.cpp - What ONNX Slice takes out of a shape -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Negative starts and ends count from the end; then both are clamped to what
// the direction of the step can reach.
//
//   10 elements, start -3, end 100, step 2  →  7, 9
//   10 elements, start 100, end -100, step -4  →  9, 5, 1
//
//===----------------------------------------------------------------------===//

#include "SliceWindow.h"

#include <algorithm>

using namespace lowtide::runtime;

std::string cpu::readSlice(const KernelCall &call, unsigned first,
                           const std::vector<int64_t> &shape,
                           KernelNeeds &needs, SliceWindow &window) {
  const auto rank = static_cast<int64_t>(shape.size());
  std::vector<int64_t> starts, ends, axes, steps;
  if (!readHostInts(call, first, needs, starts) ||
      !readHostInts(call, first + 1, needs, ends))
    return "starts and ends must be constants";
  if (!call.hasOperand(first + 2))
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(static_cast<int64_t>(i));
  else if (!readHostInts(call, first + 2, needs, axes))
    return "axes must be constant";
  if (!call.hasOperand(first + 3))
    steps.assign(starts.size(), 1);
  else if (!readHostInts(call, first + 3, needs, steps))
    return "steps must be constant";
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size())
    return "starts, ends, axes and steps differ in length";
  window.starts.assign(rank, 0);
  window.steps.assign(rank, 1);
  window.sizes = shape;
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t axis = normalizeAxis(axes[i], rank);
    if (axis < 0 || steps[i] == 0)
      return "an axis or a step is out of range";
    const int64_t dim = shape[axis], step = steps[i];
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;
    const int64_t start = std::clamp(
        starts[i] < 0 ? starts[i] + dim : starts[i], step > 0 ? 0 : low, high);
    const int64_t end =
        std::clamp(ends[i] < 0 ? ends[i] + dim : ends[i], low, high);
    const int64_t span = step > 0 ? end - start : start - end;
    const int64_t stride = step > 0 ? step : -step;
    window.starts[axis] = start;
    window.steps[axis] = step;
    window.sizes[axis] =
        span <= 0 ? 0 : static_cast<int64_t>((span - 1) / stride + 1);
    if (window.sizes[axis] == 0)
      window.starts[axis] = 0;
  }
  return "";
}
