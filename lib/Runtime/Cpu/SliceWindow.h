//===- SliceWindow.h - What ONNX Slice takes out of a shape -----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_SLICEWINDOW_H
#define LOWTIDE_LIB_RUNTIME_CPU_SLICEWINDOW_H

#include "ElementTypes.h"

namespace lowtide::runtime::cpu {

/// One entry per dimension of the sliced shape.
struct SliceWindow {
  std::vector<int64_t> starts, steps, sizes;
};

/// Reads starts, ends, axes? and steps? from the operands `first` and on, which
/// must be constants. Returns what is wrong, or an empty string.
std::string readSlice(const KernelCall &call, unsigned first,
                      const std::vector<int64_t> &shape, KernelNeeds &needs,
                      SliceWindow &window);

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_SLICEWINDOW_H
