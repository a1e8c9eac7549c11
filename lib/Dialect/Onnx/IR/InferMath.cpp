//===- InferMath.cpp - Result types of elementwise and matrix ops ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Onnx/IR/Onnx.h"

using namespace mlir;

namespace lowtide {

/// The broadcast shape of operands [first, end), with `element` as type.
static LogicalResult broadcastOperands(const InferRequest &r, unsigned first,
                                       Type element, InferredTypes &types) {
  SmallVector<int64_t> shape;
  for (unsigned i = first; i < r.operands.size(); ++i) {
    RankedTensorType type = r.ranked(i);
    if (!type) {
      types.push_back(UnrankedTensorType::get(element));
      return success();
    }
    auto merged = broadcastShapes(shape, type.getShape());
    if (!merged)
      return r.error("operand shapes don't broadcast: operand " + Twine(i) +
                     " doesn't fit those before it");
    shape = *merged;
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult inferBroadcast(const InferRequest &r, InferredTypes &types) {
  if (r.operands.empty())
    return r.error("needs at least one operand");
  return broadcastOperands(r, 0, r.elementType(0), types);
}

LogicalResult inferCompare(const InferRequest &r, InferredTypes &types) {
  return broadcastOperands(r, 0, IntegerType::get(r.context, 1), types);
}

LogicalResult inferBoolSameShape(const InferRequest &r, InferredTypes &types) {
  auto type = cast<TensorType>(r.operands[0].getType());
  types.push_back(type.clone(IntegerType::get(r.context, 1)));
  return success();
}

LogicalResult inferWhere(const InferRequest &r, InferredTypes &types) {
  return broadcastOperands(r, 0, r.elementType(1), types);
}

LogicalResult inferCast(const InferRequest &r, InferredTypes &types) {
  auto type = cast<TensorType>(r.operands[0].getType());
  auto to = r.attributes.getAs<TypeAttr>("to");
  if (!to)
    return r.error("needs the attribute 'to'");
  types.push_back(type.clone(to.getValue()));
  return success();
}

static bool mismatch(int64_t a, int64_t b) {
  return a != b && !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b);
}

LogicalResult inferMatMul(const InferRequest &r, InferredTypes &types) {
  RankedTensorType lhs = r.ranked(0), rhs = r.ranked(1);
  if (!lhs || !rhs) {
    types.push_back(UnrankedTensorType::get(r.elementType(0)));
    return success();
  }
  if (lhs.getRank() == 0 || rhs.getRank() == 0)
    return r.error("operands must have at least one dimension");
  // A vector on the left is a row, on the right a column; the dimension that
  // this adds is dropped from the result.
  SmallVector<int64_t> a(lhs.getShape()), b(rhs.getShape());
  bool row = a.size() == 1, column = b.size() == 1;
  if (row)
    a.insert(a.begin(), 1);
  if (column)
    b.push_back(1);
  int64_t inner = a.back(), other = b[b.size() - 2];
  if (mismatch(inner, other))
    return r.error("inner dimensions differ: " + Twine(inner) + " and " +
                   Twine(other));
  auto batch =
      broadcastShapes(ArrayRef(a).drop_back(2), ArrayRef(b).drop_back(2));
  if (!batch)
    return r.error("batch dimensions don't broadcast");
  if (!row)
    batch->push_back(a[a.size() - 2]);
  if (!column)
    batch->push_back(b.back());
  types.push_back(RankedTensorType::get(*batch, lhs.getElementType()));
  return success();
}

LogicalResult inferGemm(const InferRequest &r, InferredTypes &types) {
  RankedTensorType a = r.ranked(0), b = r.ranked(1);
  SmallVector<int64_t> shape(2, ShapedType::kDynamic);
  bool transA = r.intAttr("transA", 0), transB = r.intAttr("transB", 0);
  for (RankedTensorType type : {a, b})
    if (type && type.getRank() != 2)
      return r.error("operands must be matrices");
  if (a)
    shape[0] = a.getDimSize(transA ? 1 : 0);
  if (b)
    shape[1] = b.getDimSize(transB ? 0 : 1);
  if (a && b) {
    int64_t inner = a.getDimSize(transA ? 0 : 1);
    int64_t other = b.getDimSize(transB ? 1 : 0);
    if (mismatch(inner, other))
      return r.error("inner dimensions differ: " + Twine(inner) + " and " +
                     Twine(other));
  }
  if (RankedTensorType c = r.has(2) ? r.ranked(2) : nullptr) {
    auto merged = broadcastShapes(shape, c.getShape());
    if (!merged || merged->size() != 2 || mismatch((*merged)[0], shape[0]) ||
        mismatch((*merged)[1], shape[1]))
      return r.error("operand C doesn't broadcast to the result");
  }
  types.push_back(RankedTensorType::get(shape, r.elementType(0)));
  return success();
}

} // namespace lowtide
