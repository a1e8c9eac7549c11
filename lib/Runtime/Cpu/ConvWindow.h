//===- ConvWindow.h - The window of a convolution call ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_CONVWINDOW_H
#define LOWTIDE_LIB_RUNTIME_CPU_CONVWINDOW_H

#include "Window.h"

namespace lowtide::runtime::cpu {

enum class ConvKind { Forward, InputGrad, WeightGrad, Transpose };

/// Checks the call's operands and fills the window. Returns what is wrong, or
/// an empty string.
std::string readConvWindow(const KernelCall &call, ConvKind kind,
                           Window &window);

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_CONVWINDOW_H
