//===- GradientRule.h - How a reverse rule is written -----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A rule is a function of an op and a GradientScope, attached to the op's class
// by `attachRule<OpT, rule>(context)`. The scope builds ops, knows the adjoints
// of the results, and takes those of the operands. A rule builds only what is
// wanted:
//
//   LogicalResult mulRule(MulOp op, GradientScope &g) {
//     if (g.wants(0))
//       g.setReduced(0, g.e.mul(g.dy(), op.getRhs()));
//     ...
//
// What a rule reads of the forward pass is what a step has to keep, so each
// rule reads the result where that is enough, and no value where shapes are.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RULES_GRADIENT_GRADIENTRULE_H
#define LOWTIDE_LIB_RULES_GRADIENT_GRADIENTRULE_H

#include "lowtide/Dialect/Onnx/IR/OpEmitter.h"
#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Interfaces/OpInterfaces.h"

namespace lowtide {

class GradientScope {
public:
  GradientScope(mlir::Operation *op, mlir::OpBuilder &builder,
                llvm::ArrayRef<mlir::Value> resultAdjoints,
                llvm::ArrayRef<bool> wanted,
                llvm::MutableArrayRef<mlir::Value> operandAdjoints)
      : e(builder, op->getLoc()), op(op), resultAdjoints(resultAdjoints),
        wanted(wanted), operandAdjoints(operandAdjoints) {}

  onnx::OpEmitter e;

  bool wants(unsigned operand) const {
    return operand < wanted.size() && wanted[operand] &&
           onnx::isGiven(op->getOperand(operand));
  }
  /// The adjoint of a result, null when nothing reads it.
  mlir::Value dy(unsigned result = 0) const { return resultAdjoints[result]; }
  bool hasDy(unsigned result) const {
    return result < resultAdjoints.size() && resultAdjoints[result];
  }

  void set(unsigned operand, mlir::Value adjoint) {
    assert(adjoint.getType() == op->getOperand(operand).getType() &&
           "an adjoint has the type of its value");
    operandAdjoints[operand] = adjoint;
  }
  /// The same for an operand that was broadcast.
  void setReduced(unsigned operand, mlir::Value adjoint) {
    set(operand,
        e.reduceToShape(adjoint, onnx::shapeOf(op->getOperand(operand))));
  }
  /// The same elements in another shape: a view.
  void setReshaped(unsigned operand, mlir::Value adjoint) {
    set(operand, e.reshape(adjoint, onnx::shapeOf(op->getOperand(operand))));
  }

  mlir::InFlightDiagnostic unsupported(const llvm::Twine &reason) {
    return op->emitOpError("can't be differentiated: ") << reason.str();
  }

private:
  mlir::Operation *op;
  llvm::ArrayRef<mlir::Value> resultAdjoints;
  llvm::ArrayRef<bool> wanted;
  llvm::MutableArrayRef<mlir::Value> operandAdjoints;
};

/// Every tensor that the op touches has a static shape; says so otherwise.
mlir::LogicalResult checkStaticShapes(mlir::Operation *op);

template <typename OpT, mlir::LogicalResult (*Rule)(OpT, GradientScope &)>
struct GradientModel
    : GradientOpInterface::ExternalModel<GradientModel<OpT, Rule>, OpT> {
  mlir::LogicalResult
  buildGradient(mlir::Operation *op, mlir::OpBuilder &builder,
                llvm::ArrayRef<mlir::Value> resultAdjoints,
                llvm::ArrayRef<bool> wanted,
                llvm::MutableArrayRef<mlir::Value> operandAdjoints) const {
    if (mlir::failed(checkStaticShapes(op)))
      return mlir::failure();
    GradientScope scope(op, builder, resultAdjoints, wanted, operandAdjoints);
    return Rule(mlir::cast<OpT>(op), scope);
  }
};

template <typename OpT, mlir::LogicalResult (*Rule)(OpT, GradientScope &)>
void attachRule(mlir::MLIRContext *context) {
  OpT::template attachInterface<GradientModel<OpT, Rule>>(*context);
}

/// The derivative is zero everywhere it exists: no adjoint.
template <typename OpT>
mlir::LogicalResult zeroRule(OpT, GradientScope &) {
  return mlir::success();
}

template <typename... OpTs>
void attachZeroRules(mlir::MLIRContext *context) {
  (attachRule<OpTs, zeroRule<OpTs>>(context), ...);
}

// One function for each file of rules.
void attachActivationRules(mlir::MLIRContext *context);
void attachArithmeticRules(mlir::MLIRContext *context);
void attachMatrixRules(mlir::MLIRContext *context);
void attachConvRules(mlir::MLIRContext *context);
void attachNormRules(mlir::MLIRContext *context);
void attachTensorRules(mlir::MLIRContext *context);
void attachIndexRules(mlir::MLIRContext *context);
void attachReduceRules(mlir::MLIRContext *context);
void attachLossRules(mlir::MLIRContext *context);

} // namespace lowtide

#endif // LOWTIDE_LIB_RULES_GRADIENT_GRADIENTRULE_H
