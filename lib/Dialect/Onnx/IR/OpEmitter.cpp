//===- OpEmitter.cpp - Building onnx ops as formulas ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Onnx/IR/OpEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

ArrayRef<int64_t> onnx::shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

int64_t onnx::rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

Type onnx::elementTypeOf(Value value) {
  return cast<TensorType>(value.getType()).getElementType();
}

int64_t onnx::elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

bool onnx::isGiven(Value value) {
  return value && !isa<NoneType>(value.getType());
}

std::optional<SmallVector<int64_t>> onnx::constantInts(Value value) {
  DenseIntElementsAttr elements;
  if (!isGiven(value) || !matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  SmallVector<int64_t> ints;
  for (const APInt &element : elements.getValues<APInt>())
    ints.push_back(element.getSExtValue());
  return ints;
}

SmallVector<int64_t> onnx::iota(int64_t count, int64_t first) {
  SmallVector<int64_t> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(first + i);
  return values;
}

static Attribute numberAttr(Type elementType, double value) {
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return FloatAttr::get(floatType, value);
  auto intType = cast<IntegerType>(elementType);
  return IntegerAttr::get(intType,
                          APInt(intType.getWidth(), static_cast<int64_t>(value),
                                /*isSigned=*/true));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value OpEmitter::none() { return emit<NoneOp>(builder.getNoneType()); }

Value OpEmitter::ints(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    builder.getI64Type());
  return emit<ConstantOp>(type, DenseElementsAttr::get(type, values));
}

Value OpEmitter::intScalar(int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return emit<ConstantOp>(type, DenseElementsAttr::get(type, value));
}

Value OpEmitter::scalar(Type elementType, double value) {
  auto type = RankedTensorType::get({}, elementType);
  return emit<ConstantOp>(
      type, DenseElementsAttr::get(type, numberAttr(elementType, value)));
}

Value OpEmitter::filled(RankedTensorType type, double value) {
  auto single = RankedTensorType::get({1}, type.getElementType());
  auto attr =
      DenseElementsAttr::get(single, numberAttr(type.getElementType(), value));
  return emit<ConstantOfShapeOp>(type, ints(type.getShape()), attr);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value OpEmitter::cast(Value a, Type elementType) {
  if (elementTypeOf(a) == elementType)
    return a;
  auto type = RankedTensorType::get(shapeOf(a), elementType);
  return emit<CastOp>(type, a, elementType);
}

Value OpEmitter::scale(Value a, double factor) {
  return factor == 1.0 ? a : mul(a, scalar(elementTypeOf(a), factor));
}

Value OpEmitter::plus(Value a, double addend) {
  return addend == 0.0 ? a : add(a, scalar(elementTypeOf(a), addend));
}

Value OpEmitter::over(Value a, double divisor) {
  return divisor == 1.0 ? a : div(a, scalar(elementTypeOf(a), divisor));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value OpEmitter::reshape(Value a, ArrayRef<int64_t> shape) {
  if (shapeOf(a) == shape)
    return a;
  bool hasZero = llvm::is_contained(shape, 0);
  auto type = RankedTensorType::get(shape, elementTypeOf(a));
  return emit<ReshapeOp>(type, a, ints(shape), hasZero ? 1 : 0);
}

Value OpEmitter::expand(Value a, ArrayRef<int64_t> shape) {
  if (shapeOf(a) == shape)
    return a;
  auto type = RankedTensorType::get(shape, elementTypeOf(a));
  return emit<ExpandOp>(type, a, ints(shape));
}

Value OpEmitter::transpose(Value a, ArrayRef<int64_t> perm) {
  if (perm == ArrayRef(iota(perm.size())))
    return a;
  return emit<TransposeOp>(a, builder.getDenseI64ArrayAttr(perm));
}

Value OpEmitter::transposeMatrix(Value a) {
  SmallVector<int64_t> perm = iota(rankOf(a));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return transpose(a, perm);
}

Value OpEmitter::concat(ValueRange values, int64_t axis) {
  return values.size() == 1 ? values.front() : emit<ConcatOp>(values, axis);
}

Value OpEmitter::slice(Value a, ArrayRef<int64_t> starts,
                       ArrayRef<int64_t> ends, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> shape(shapeOf(a));
  for (auto [axis, start, end] : llvm::zip(axes, starts, ends))
    shape[axis] = end - start;
  if (ArrayRef(shape) == shapeOf(a))
    return a;
  auto type = RankedTensorType::get(shape, elementTypeOf(a));
  return emit<SliceOp>(type, a, ints(starts), ints(ends), ints(axes), none());
}

Value OpEmitter::slice(Value a, int64_t start, int64_t end, int64_t axis) {
  return slice(a, ArrayRef{start}, ArrayRef{end}, ArrayRef{axis});
}

Value OpEmitter::pad(Value a, ArrayRef<int64_t> pads, double value) {
  if (llvm::all_of(pads, [](int64_t pad) { return pad == 0; }))
    return a;
  int64_t rank = rankOf(a);
  SmallVector<int64_t> shape(shapeOf(a));
  for (int64_t axis = 0; axis < rank; ++axis)
    shape[axis] += pads[axis] + pads[axis + rank];
  Type elementType = elementTypeOf(a);
  return emit<PadOp>(RankedTensorType::get(shape, elementType), a, ints(pads),
                     scalar(elementType, value), none(), "constant");
}

//===----------------------------------------------------------------------===//
// Reductions and matrices
//===----------------------------------------------------------------------===//

Value OpEmitter::reduceSum(Value a, ArrayRef<int64_t> axes, bool keepDims) {
  return axes.empty() ? a : emit<ReduceSumOp>(a, ints(axes), keepDims, 0);
}

Value OpEmitter::reduceMean(Value a, ArrayRef<int64_t> axes, bool keepDims) {
  return axes.empty() ? a : emit<ReduceMeanOp>(a, ints(axes), keepDims, 0);
}

Value OpEmitter::reduceMax(Value a, ArrayRef<int64_t> axes, bool keepDims) {
  return axes.empty() ? a : emit<ReduceMaxOp>(a, ints(axes), keepDims, 0);
}

Value OpEmitter::reduceToShape(Value a, ArrayRef<int64_t> shape) {
  if (shapeOf(a) == shape)
    return a;
  int64_t extra = rankOf(a) - static_cast<int64_t>(shape.size());
  assert(extra >= 0 && "a value is broadcast to no smaller rank");
  SmallVector<int64_t> axes;
  bool onlyLeading = true;
  for (int64_t axis = 0; axis < rankOf(a); ++axis) {
    int64_t wanted = axis < extra ? 1 : shape[axis - extra];
    if (shapeOf(a)[axis] == wanted)
      continue;
    assert(wanted == 1 && "a broadcast axis comes from size 1");
    axes.push_back(axis);
    onlyLeading &= axis < extra;
  }
  // Axes that go away altogether need no view afterwards.
  bool dropsAll = onlyLeading && static_cast<int64_t>(axes.size()) == extra;
  return reshape(reduceSum(a, axes, /*keepDims=*/!dropsAll), shape);
}

Value OpEmitter::gemm(Value a, Value b, bool transA, bool transB, float alpha) {
  return emit<GemmOp>(a, b, none(), llvm::APFloat(alpha), llvm::APFloat(1.0f),
                      transA, transB);
}
