//===- InferTypes.h - Shared pieces of shape inference ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every tensor op names a function from a request (operands and attributes) to
// result types. Inference runs in four places: builders without result types,
// verifiers, the import of a model, and after its dimensions are bound. Values
// of operands that are constant (shapes, axes) are visible to it. What can't be
// known is a dynamic dimension or an unranked tensor, never a guess.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_INTERFACES_INFERTYPES_H
#define LOWTIDE_INTERFACES_INFERTYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OperationSupport.h"

#include <optional>

namespace lowtide {

struct InferRequest {
  mlir::MLIRContext *context;
  std::optional<mlir::Location> location;
  mlir::ValueRange operands;
  mlir::DictionaryAttr attributes;

  /// Operand i is given (in range and not `none`).
  bool has(unsigned i) const;
  mlir::Type elementType(unsigned i) const;
  /// Null when operand i is absent or has no rank.
  mlir::RankedTensorType ranked(unsigned i) const;
  /// The integer values of operand i when it is constant.
  std::optional<llvm::SmallVector<int64_t>> constantInts(unsigned i) const;

  int64_t intAttr(llvm::StringRef name, int64_t fallback) const;
  llvm::StringRef stringAttr(llvm::StringRef name,
                             llvm::StringRef fallback) const;
  std::optional<llvm::ArrayRef<int64_t>> intsAttr(llvm::StringRef name) const;

  /// Emits the error at the op's location and fails; silent without one.
  mlir::LogicalResult error(const llvm::Twine &message) const;
};

template <typename OpT>
InferRequest makeInferRequest(mlir::MLIRContext *context,
                              std::optional<mlir::Location> location,
                              mlir::ValueRange operands,
                              mlir::DictionaryAttr attributes,
                              mlir::OpaqueProperties properties) {
  // Ops without attributes have no properties.
  if constexpr (requires { typename OpT::Properties; }) {
    if (properties)
      if (auto dict = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(
              OpT::getPropertiesAsAttr(
                  context, *properties.as<typename OpT::Properties *>())))
        attributes = dict;
  }
  return {context, location, operands, attributes};
}

using InferredTypes = llvm::SmallVectorImpl<mlir::Type>;

/// Whether an op may have `actual` result types where `inferred` were computed:
/// equal element types (an unknown one goes with any), compatible shapes,
/// `none` for a result left out.
bool areCompatibleTypes(mlir::TypeRange inferred, mlir::TypeRange actual);

/// NumPy broadcasting of two shapes; nothing when they don't fit. A dynamic
/// dimension against 1 or another dynamic one stays dynamic.
std::optional<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// `axis` counted from the end when negative; nothing when out of range.
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

/// Each result has the type of operand 0.
mlir::LogicalResult inferSameAsFirst(const InferRequest &r, InferredTypes &t);

} // namespace lowtide

#endif // LOWTIDE_INTERFACES_INFERTYPES_H
