//===- CostRule.h - How a cost rule is written ------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Two kinds of rules: a function of the op that counts operations, for matrix
// products and convolutions, and a number of operations for each element of the
// largest tensor that the op touches, for all the rest.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RULES_COST_COSTRULE_H
#define LOWTIDE_LIB_RULES_COST_COSTRULE_H

#include "lowtide/Dialect/Onnx/IR/OpEmitter.h"
#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Interfaces/OpInterfaces.h"

namespace lowtide {

/// Products saturate, so that absurd shapes stay merely expensive.
int64_t saturatingProduct(llvm::ArrayRef<int64_t> factors);

/// Elements of the largest tensor among operands and results.
int64_t largestTensorElements(mlir::Operation *op);

template <typename OpT, int64_t (*Flops)(OpT), ComputeKind Kind>
struct CountedCost
    : CostOpInterface::ExternalModel<CountedCost<OpT, Flops, Kind>, OpT> {
  int64_t getFlops(mlir::Operation *op) const {
    return Flops(mlir::cast<OpT>(op));
  }
  ComputeKind getComputeKind(mlir::Operation *) const { return Kind; }
};

template <typename OpT, int64_t FlopsPerElement>
struct ElementwiseCost
    : CostOpInterface::ExternalModel<ElementwiseCost<OpT, FlopsPerElement>,
                                     OpT> {
  int64_t getFlops(mlir::Operation *op) const {
    return saturatingProduct({largestTensorElements(op), FlopsPerElement});
  }
  ComputeKind getComputeKind(mlir::Operation *) const {
    return ComputeKind::Elementwise;
  }
};

template <typename OpT, int64_t (*Flops)(OpT), ComputeKind Kind>
void attachCounted(mlir::MLIRContext *context) {
  OpT::template attachInterface<CountedCost<OpT, Flops, Kind>>(*context);
}

template <int64_t FlopsPerElement, typename... OpTs>
void attachElementwise(mlir::MLIRContext *context) {
  (OpTs::template attachInterface<ElementwiseCost<OpTs, FlopsPerElement>>(
       *context),
   ...);
}

// One function for each file of rules.
void attachMatrixCosts(mlir::MLIRContext *context);
void attachConvCosts(mlir::MLIRContext *context);
void attachElementwiseCosts(mlir::MLIRContext *context);

} // namespace lowtide

#endif // LOWTIDE_LIB_RULES_COST_COSTRULE_H
