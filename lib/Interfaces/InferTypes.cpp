//===- InferTypes.cpp - Shared pieces of shape inference ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Interfaces/InferTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lowtide {

bool InferRequest::has(unsigned i) const {
  return i < operands.size() && !isa<NoneType>(operands[i].getType());
}

Type InferRequest::elementType(unsigned i) const {
  return cast<TensorType>(operands[i].getType()).getElementType();
}

RankedTensorType InferRequest::ranked(unsigned i) const {
  if (i >= operands.size())
    return nullptr;
  return dyn_cast<RankedTensorType>(operands[i].getType());
}

std::optional<SmallVector<int64_t>>
InferRequest::constantInts(unsigned i) const {
  DenseElementsAttr value;
  if (!has(i) || !matchPattern(operands[i], m_Constant(&value)) ||
      !isa<IntegerType>(value.getElementType()))
    return std::nullopt;
  SmallVector<int64_t> ints;
  for (const APInt &element : value.getValues<APInt>())
    ints.push_back(element.getSExtValue());
  return ints;
}

int64_t InferRequest::intAttr(StringRef name, int64_t fallback) const {
  auto attr = attributes.getAs<IntegerAttr>(name);
  return attr ? attr.getInt() : fallback;
}

StringRef InferRequest::stringAttr(StringRef name, StringRef fallback) const {
  auto attr = attributes.getAs<StringAttr>(name);
  return attr ? attr.getValue() : fallback;
}

std::optional<ArrayRef<int64_t>> InferRequest::intsAttr(StringRef name) const {
  auto attr = attributes.getAs<DenseI64ArrayAttr>(name);
  if (!attr)
    return std::nullopt;
  return attr.asArrayRef();
}

LogicalResult InferRequest::error(const Twine &message) const {
  return emitOptionalError(location, message);
}

bool areCompatibleTypes(TypeRange inferred, TypeRange actual) {
  if (inferred.size() != actual.size())
    return false;
  for (auto [a, b] : llvm::zip(inferred, actual)) {
    if (isa<NoneType>(a) || isa<NoneType>(b))
      continue;
    auto x = dyn_cast<TensorType>(a), y = dyn_cast<TensorType>(b);
    if (!x || !y || failed(verifyCompatibleShape(x, y)))
      return false;
    // What an op that isn't understood returns may be anything.
    bool isUnknown = isa<OpaqueType>(x.getElementType()) ||
                     isa<OpaqueType>(y.getElementType());
    if (!isUnknown && x.getElementType() != y.getElementType())
      return false;
  }
  return true;
}

std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> a,
                                                    ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  size_t offset = a.size() - b.size();
  for (auto [i, size] : llvm::enumerate(b)) {
    int64_t &dim = shape[offset + i];
    if (dim == size || size == 1)
      continue;
    if (dim == 1)
      dim = size;
    else if (ShapedType::isDynamic(dim))
      // The dynamic one is 1 or equal to the static one.
      dim = size;
    else if (!ShapedType::isDynamic(size))
      return std::nullopt;
  }
  return shape;
}

std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

LogicalResult inferSameAsFirst(const InferRequest &r, InferredTypes &t) {
  t.push_back(r.operands[0].getType());
  return success();
}

} // namespace lowtide
