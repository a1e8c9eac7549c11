//===- ConvGeometry.h - The resolved window of an op ------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RULES_CONVGEOMETRY_H
#define LOWTIDE_RULES_CONVGEOMETRY_H

#include "lowtide/Dialect/Onnx/IR/Onnx.h"

namespace lowtide {

/// Kernel, strides, dilations and explicit pads of an onnx Conv,
/// ConvTranspose, MaxPool or AveragePool of static shape. Pads of a transposed
/// convolution may be negative, where `output_shape` asks for more than the
/// windows cover. Nothing when the attributes don't fit the shapes.
std::optional<WindowGeometry> resolveConvGeometry(mlir::Operation *op);

/// All begins, then all ends, as ONNX attributes have them.
llvm::SmallVector<int64_t> explicitPads(const WindowGeometry &window);

} // namespace lowtide

#endif // LOWTIDE_RULES_CONVGEOMETRY_H
