//===- Train.h - The train dialect ------------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Dialect and ops of TrainOps.td, and the inference functions they name.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_TRAIN_IR_TRAIN_H
#define LOWTIDE_DIALECT_TRAIN_IR_TRAIN_H

#include "lowtide/Dialect/Onnx/IR/Onnx.h"

namespace lowtide {

#define LOWTIDE_INFER(NAME)                                                    \
  mlir::LogicalResult NAME(const InferRequest &request, InferredTypes &types);
LOWTIDE_INFER(inferSameAsSecond)
LOWTIDE_INFER(inferScalarOfFirst)
LOWTIDE_INFER(inferFromDataShape)
LOWTIDE_INFER(inferFromInputShape)
LOWTIDE_INFER(inferFromWeightShape)
LOWTIDE_INFER(inferSoftmaxCrossEntropy)
LOWTIDE_INFER(inferBatchNorm)
LOWTIDE_INFER(inferBatchNormGrad)
LOWTIDE_INFER(inferLayerNorm)
LOWTIDE_INFER(inferLayerNormGrad)
LOWTIDE_INFER(inferSgdMomentumUpdate)
LOWTIDE_INFER(inferAdamWUpdate)
#undef LOWTIDE_INFER

} // namespace lowtide

#include "lowtide/Dialect/Train/IR/TrainDialect.h.inc"
#define GET_OP_CLASSES
#include "lowtide/Dialect/Train/IR/TrainOps.h.inc"

#endif // LOWTIDE_DIALECT_TRAIN_IR_TRAIN_H
