//===- Register.cpp - Attaching the reverse rules -------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Rules/Gradient.h"

#include "GradientRule.h"
#include "lowtide/Interfaces/AdjointDialectInterface.h"

using namespace mlir;
using namespace lowtide;

namespace {
struct OnnxAdjoints : AdjointDialectInterface {
  using AdjointDialectInterface::AdjointDialectInterface;

  bool hasAdjoint(Type type) const override {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor && isa<FloatType>(tensor.getElementType());
  }
  Value makeZero(OpBuilder &builder, Location loc,
                 RankedTensorType type) const override {
    return onnx::OpEmitter(builder, loc).zeros(type);
  }
  Value makeSeed(OpBuilder &builder, Location loc,
                 RankedTensorType type) const override {
    assert(type.hasStaticShape() && type.getNumElements() == 1 &&
           "a loss has one element");
    if (type.getRank() == 0)
      return onnx::OpEmitter(builder, loc).scalar(type.getElementType(), 1.0);
    return onnx::OpEmitter(builder, loc).filled(type, 1.0);
  }
  Value addAdjoints(OpBuilder &builder, Location loc, Value a,
                    Value b) const override {
    return onnx::OpEmitter(builder, loc).add(a, b);
  }
};
} // namespace

LogicalResult lowtide::checkStaticShapes(Operation *op) {
  auto isStatic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  if (llvm::all_of(op->getOperandTypes(), isStatic) &&
      llvm::all_of(op->getResultTypes(), isStatic))
    return success();
  return op->emitOpError("can't be differentiated: a shape is not known; bind "
                         "the model's dimensions first");
}

Value lowtide::reduceToShape(OpBuilder &builder, Location loc, Value value,
                             RankedTensorType type) {
  return onnx::OpEmitter(builder, loc).reduceToShape(value, type.getShape());
}

void lowtide::registerGradientRules(DialectRegistry &registry) {
  // Rules of onnx ops build train ops, so both dialects must be there.
  registry.addExtension(+[](MLIRContext *context, onnx::OnnxDialect *dialect,
                            train::TrainDialect *) {
    dialect->addInterfaces<OnnxAdjoints>();
    attachActivationRules(context);
    attachArithmeticRules(context);
    attachMatrixRules(context);
    attachConvRules(context);
    attachNormRules(context);
    attachTensorRules(context);
    attachIndexRules(context);
    attachReduceRules(context);
    attachLossRules(context);
  });
}
