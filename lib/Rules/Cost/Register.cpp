//===- Register.cpp - Attaching the cost rules ----------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Rules/Cost.h"

#include "CostRule.h"

#include <limits>

using namespace mlir;
using namespace lowtide;

int64_t lowtide::saturatingProduct(ArrayRef<int64_t> factors) {
  int64_t product = 1;
  bool overflow = false;
  for (int64_t factor : factors)
    overflow |= __builtin_mul_overflow(product, factor, &product);
  return overflow ? std::numeric_limits<int64_t>::max() : product;
}

int64_t lowtide::largestTensorElements(Operation *op) {
  int64_t largest = 0;
  auto see = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape())
      largest = std::max(largest, saturatingProduct(tensor.getShape()));
  };
  llvm::for_each(op->getOperandTypes(), see);
  llvm::for_each(op->getResultTypes(), see);
  return largest;
}

void lowtide::registerCostRules(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, onnx::OnnxDialect *, train::TrainDialect *) {
        attachMatrixCosts(context);
        attachConvCosts(context);
        attachElementwiseCosts(context);
      });
}
