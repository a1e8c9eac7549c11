//===- KernelCalls.h - Ops as kernel calls ----------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The bridge from IR to back ends: an op with static shapes becomes the kernel
// call that both the planner and the executor ask a back end about.
//
// Tested by test/unit/Analysis/KernelCallsTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_ANALYSIS_KERNELCALLS_H
#define LOWTIDE_ANALYSIS_KERNELCALLS_H

#include "lowtide/Runtime/KernelCall.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace lowtide {

/// Nothing for element types that the runtime doesn't know.
std::optional<runtime::DataType> toDataType(mlir::Type elementType);
mlir::Type toElementType(runtime::DataType type, mlir::MLIRContext *context);

/// Requires a static shape and a known element type.
runtime::TensorDesc toTensorDesc(mlir::Type type);

/// Whether the type is a ranked tensor of static shape with an element type
/// that the runtime knows, and no dimension product overflows.
bool isStaticTensor(mlir::Type type);

/// The bytes of a constant, as the runtime lays tensors out; null for an
/// attribute that isn't dense.
runtime::ConstantData toConstantData(mlir::ElementsAttr value);
mlir::DenseElementsAttr toElementsAttr(const runtime::TensorDesc &desc,
                                       llvm::ArrayRef<std::byte> bytes,
                                       mlir::MLIRContext *context);

/// The call that runs `op`, or a diagnostic on the op when a shape is dynamic,
/// a type is unknown or a host operand isn't constant.
mlir::FailureOr<runtime::KernelCall> toKernelCall(mlir::Operation *op);

} // namespace lowtide

#endif // LOWTIDE_ANALYSIS_KERNELCALLS_H
