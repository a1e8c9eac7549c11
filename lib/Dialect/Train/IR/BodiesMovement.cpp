//===- BodiesMovement.cpp - Adjoints of gathers, slices and pads ----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A gather's adjoint adds at indices, which is a scatter with `add` into zeros.
// A slice's adjoint is a pad; a stride s becomes s - 1 zeros after each
// element: [a, b] seen as [[a], [b]], padded to [[a, 0], [b, 0]], seen as [a,
// 0, b, 0].
//
// Tested by test/Rules/gradients.test and test/Rules/bodies.test.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Bodies.h"

#include <limits>

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;
using namespace lowtide::train;

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

Value train::addAtIndices(OpEmitter &e, Value updates, Value indices,
                          ArrayRef<int64_t> shape, int64_t axis) {
  int64_t rank = static_cast<int64_t>(shape.size());
  int64_t indexRank = rankOf(indices);
  Value ids = e.cast(indices, e.builder.getI64Type());
  Value wrapped = e.add(ids, e.intScalar(shape[axis]));
  ids = e.where(e.less(ids, e.intScalar(0)), wrapped, ids);
  // Index dimensions go first; the scattered axis takes their place.
  SmallVector<int64_t> toFront = iota(indexRank, axis), back = iota(axis, 1);
  SmallVector<int64_t> front{shape[axis]};
  for (int64_t i = 0; i < rank - 1; ++i)
    toFront.push_back(i < axis ? i : i + indexRank);
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      front.push_back(shape[i]);
  back.push_back(0);
  for (int64_t i = axis + 1; i < rank; ++i)
    back.push_back(i);
  auto type = RankedTensorType::get(front, elementTypeOf(updates));
  Value sum = e.emit<ScatterNDOp>(
      e.zeros(type), e.reshape(ids, withAxis(shapeOf(ids), indexRank)),
      e.transpose(updates, toFront), "add");
  return e.transpose(sum, back);
}

Values GatherGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  return {addAtIndices(e, v[0], v[1], getDataShape(), getAxis())};
}

Values GatherElementsGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  auto type = RankedTensorType::get(getDataShape(), elementTypeOf(v[0]));
  return {
      e.emit<ScatterElementsOp>(e.zeros(type), v[1], v[0], getAxis(), "add")};
}

/// Batch dimensions become leading index coordinates.
Values GatherNDGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Type i64 = builder.getI64Type();
  Value indices = e.cast(v[1], i64);
  int64_t rank = rankOf(indices), batch = getBatchDims();
  SmallVector<int64_t> coordinateShape(shapeOf(indices));
  coordinateShape.back() = 1;
  SmallVector<Value> coordinates;
  for (int64_t axis = 0; axis < batch; ++axis) {
    int64_t size = shapeOf(indices)[axis];
    SmallVector<int64_t> along(rank, 1);
    along[axis] = size;
    Value range =
        e.emit<RangeOp>(RankedTensorType::get({size}, i64), e.intScalar(0),
                        e.intScalar(size), e.intScalar(1));
    coordinates.push_back(e.expand(e.reshape(range, along), coordinateShape));
  }
  coordinates.push_back(indices);
  auto type = RankedTensorType::get(getDataShape(), elementTypeOf(v[0]));
  return {e.emit<ScatterNDOp>(e.zeros(type), e.concat(coordinates, rank - 1),
                              v[0], "add")};
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The first index that a slice reads along an axis of `size`, for a slice
/// that reads any.
static int64_t clampStart(int64_t start, int64_t step, int64_t size) {
  if (start < 0)
    start += size;
  return std::clamp<int64_t>(start, 0, step < 0 ? size - 1 : size);
}

static Value reverseAxis(OpEmitter &e, Value v, int64_t axis) {
  constexpr int64_t toBegin = std::numeric_limits<int64_t>::min();
  return e.emit<SliceOp>(v.getType(), v, e.ints({-1}), e.ints({toBegin}),
                         e.ints({axis}), e.ints({-1}));
}

/// Puts step - 1 zeros between the elements along an axis.
static Value spreadAxis(OpEmitter &e, Value v, int64_t axis, int64_t step) {
  if (step == 1 || shapeOf(v)[axis] <= 1)
    return v;
  SmallVector<int64_t> shape(shapeOf(v));
  Value apart = e.reshape(v, withAxis(shape, axis + 1));
  SmallVector<int64_t> pads(2 * rankOf(apart), 0);
  pads[rankOf(apart) + axis + 1] = step - 1;
  int64_t count = shape[axis];
  shape[axis] = count * step;
  return e.slice(e.reshape(e.pad(apart, pads), shape), 0,
                 (count - 1) * step + 1, axis);
}

Values SliceGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  ArrayRef<int64_t> shape = getDataShape();
  int64_t rank = static_cast<int64_t>(shape.size());
  auto type = RankedTensorType::get(shape, elementTypeOf(v[0]));
  auto starts = constantInts(getStarts());
  auto axes = constantInts(getAxes()), steps = constantInts(getSteps());
  assert(starts && "host operands are constant");
  if (elementCount(shapeOf(v[0])) == 0)
    return {e.zeros(type)};
  Value box = v[0];
  SmallVector<int64_t> pads(2 * rank, 0);
  for (auto [i, given] : llvm::enumerate(*starts)) {
    int64_t axis = axes ? normalizeAxis((*axes)[i], rank).value_or(0) : i;
    int64_t step = steps ? (*steps)[i] : 1;
    int64_t first = clampStart(given, step, shape[axis]);
    if (step < 0) {
      box = reverseAxis(e, box, axis);
      first += step * (shapeOf(box)[axis] - 1);
      step = -step;
    }
    box = spreadAxis(e, box, axis, step);
    pads[axis] = first;
    pads[axis + rank] = shape[axis] - first - shapeOf(box)[axis];
  }
  return {e.pad(box, pads)};
}

//===----------------------------------------------------------------------===//
// Pads
//===----------------------------------------------------------------------===//

/// The input index that position `at` of a padded axis repeats.
static int64_t paddedSource(int64_t at, int64_t size, StringRef mode) {
  if (mode == "edge")
    return std::clamp<int64_t>(at, 0, size - 1);
  if (mode == "wrap")
    return ((at % size) + size) % size;
  if (size == 1)
    return 0;
  int64_t period = 2 * (size - 1);
  int64_t folded = ((at % period) + period) % period;
  return folded < size ? folded : period - folded;
}

/// The part of dy that is data, with zeros where a negative pad cut.
static Value uncover(OpEmitter &e, Value dy, int64_t axis, int64_t begin,
                     int64_t size) {
  int64_t total = shapeOf(dy)[axis];
  int64_t from = std::clamp<int64_t>(begin, 0, total);
  int64_t to = std::clamp<int64_t>(begin + size, from, total);
  SmallVector<int64_t> pads(2 * rankOf(dy), 0);
  pads[axis] = std::clamp<int64_t>(-begin, 0, size - (to - from));
  pads[axis + rankOf(dy)] = size - (to - from) - pads[axis];
  return e.pad(e.slice(dy, from, to, axis), pads);
}

Values PadGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  ArrayRef<int64_t> shape = getDataShape();
  int64_t rank = static_cast<int64_t>(shape.size());
  auto pads = constantInts(getPads()), axes = constantInts(getAxes());
  assert(pads && "host operands are constant");
  Value dx = v[0];
  size_t count = pads->size() / 2;
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = axes ? normalizeAxis((*axes)[i], rank).value_or(0) : i;
    int64_t begin = (*pads)[i];
    if (begin == 0 && (*pads)[i + count] == 0)
      continue;
    if (getMode() == "constant") {
      dx = uncover(e, dx, axis, begin, shape[axis]);
      continue;
    }
    SmallVector<int64_t> sources, partial(shapeOf(dx));
    for (int64_t at = 0; at < partial[axis]; ++at)
      sources.push_back(paddedSource(at - begin, shape[axis], getMode()));
    partial[axis] = shape[axis];
    dx = addAtIndices(e, dx, e.ints(sources), partial, axis);
  }
  return {dx == v[0] ? e.emit<IdentityOp>(dx) : dx};
}
