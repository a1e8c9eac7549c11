//===- AdjointDialectInterface.h - Arithmetic of adjoints -------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Reverse-mode differentiation needs three things of a tensor dialect besides
// the rules of its ops: the adjoint of a value that nothing reads, the adjoint
// that the loss starts with, and the sum of adjoints of a value that is read
// more than once. Passes ask a dialect for them here and name no op.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_INTERFACES_ADJOINTDIALECTINTERFACE_H
#define LOWTIDE_INTERFACES_ADJOINTDIALECTINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"

namespace lowtide {

class AdjointDialectInterface
    : public mlir::DialectInterface::Base<AdjointDialectInterface> {
public:
  AdjointDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Whether values of the type have adjoints.
  virtual bool hasAdjoint(mlir::Type type) const = 0;

  /// Zeros of a static tensor type.
  virtual mlir::Value makeZero(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::RankedTensorType type) const = 0;

  /// The adjoint of the loss itself: one, in the shape of the loss, which has
  /// one element.
  virtual mlir::Value makeSeed(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::RankedTensorType type) const = 0;

  /// The sum of two adjoints of one type.
  virtual mlir::Value addAdjoints(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value a, mlir::Value b) const = 0;
};

} // namespace lowtide

#endif // LOWTIDE_INTERFACES_ADJOINTDIALECTINTERFACE_H
