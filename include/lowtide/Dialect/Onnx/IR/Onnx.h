//===- Onnx.h - The onnx dialect --------------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Dialect and ops of OnnxOps.td, and the inference functions they name.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_ONNX_IR_ONNX_H
#define LOWTIDE_DIALECT_ONNX_IR_ONNX_H

#include "lowtide/Interfaces/InferTypes.h"
#include "lowtide/Interfaces/OpInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace lowtide {

#define LOWTIDE_INFER(NAME)                                                    \
  mlir::LogicalResult NAME(const InferRequest &request, InferredTypes &types);
// Elementwise and matrix ops.
LOWTIDE_INFER(inferBroadcast)
LOWTIDE_INFER(inferCompare)
LOWTIDE_INFER(inferBoolSameShape)
LOWTIDE_INFER(inferWhere)
LOWTIDE_INFER(inferCast)
LOWTIDE_INFER(inferMatMul)
LOWTIDE_INFER(inferGemm)
// Layers.
LOWTIDE_INFER(inferConv)
LOWTIDE_INFER(inferConvTranspose)
LOWTIDE_INFER(inferMaxPool)
LOWTIDE_INFER(inferAveragePool)
LOWTIDE_INFER(inferGlobalPool)
LOWTIDE_INFER(inferBatchNormalization)
LOWTIDE_INFER(inferLayerNormalization)
LOWTIDE_INFER(inferDropout)
LOWTIDE_INFER(inferSoftmaxCrossEntropyLoss)
LOWTIDE_INFER(inferNegativeLogLikelihoodLoss)
// Shapes and data movement.
LOWTIDE_INFER(inferConstant)
LOWTIDE_INFER(inferShape)
LOWTIDE_INFER(inferSize)
LOWTIDE_INFER(inferReshape)
LOWTIDE_INFER(inferFlatten)
LOWTIDE_INFER(inferSqueeze)
LOWTIDE_INFER(inferUnsqueeze)
LOWTIDE_INFER(inferTranspose)
LOWTIDE_INFER(inferConcat)
LOWTIDE_INFER(inferSplit)
LOWTIDE_INFER(inferSlice)
LOWTIDE_INFER(inferGather)
LOWTIDE_INFER(inferGatherElements)
LOWTIDE_INFER(inferGatherND)
LOWTIDE_INFER(inferExpand)
LOWTIDE_INFER(inferTile)
LOWTIDE_INFER(inferPad)
LOWTIDE_INFER(inferRange)
LOWTIDE_INFER(inferConstantOfShape)
LOWTIDE_INFER(inferOneHot)
LOWTIDE_INFER(inferReduce)
LOWTIDE_INFER(inferArgReduce)
#undef LOWTIDE_INFER

/// Window arithmetic of a convolution or a pool, all spatial axes.
struct WindowGeometry {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  llvm::SmallVector<int64_t> padsBegin, padsEnd;
};

/// Resolves `auto_pad` and defaults for spatial dimensions `input`; nothing
/// when the attributes don't fit the rank, or `auto_pad` needs a size that is
/// dynamic.
std::optional<WindowGeometry> resolveWindow(const InferRequest &request,
                                            llvm::ArrayRef<int64_t> input,
                                            llvm::ArrayRef<int64_t> kernel);

} // namespace lowtide

#include "lowtide/Dialect/Onnx/IR/OnnxDialect.h.inc"
#define GET_OP_CLASSES
#include "lowtide/Dialect/Onnx/IR/OnnxOps.h.inc"

#endif // LOWTIDE_DIALECT_ONNX_IR_ONNX_H
