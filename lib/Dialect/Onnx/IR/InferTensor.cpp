//===- InferTensor.cpp - Result types of ops that move data ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Onnx/IR/Onnx.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lowtide {

static constexpr int64_t dynamicSize = ShapedType::kDynamic;

static LogicalResult give(InferredTypes &types, ArrayRef<int64_t> shape,
                          Type element) {
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

static LogicalResult giveUnranked(InferredTypes &types, Type element) {
  types.push_back(UnrankedTensorType::get(element));
  return success();
}

/// A shape of the rank that the length of shape operand `i` gives, else
/// unranked.
static LogicalResult giveRankOf(const InferRequest &r, unsigned i, Type element,
                                InferredTypes &types) {
  RankedTensorType shape = r.ranked(i);
  // Nobody's tensor has more dimensions; a file could claim 2^40 of them.
  constexpr int64_t highestRank = 64;
  if (!shape || shape.getRank() != 1 || shape.isDynamicDim(0) ||
      shape.getDimSize(0) > highestRank)
    return giveUnranked(types, element);
  return give(types, SmallVector<int64_t>(shape.getDimSize(0), dynamicSize),
              element);
}

LogicalResult inferConstant(const InferRequest &r, InferredTypes &types) {
  auto value = r.attributes.getAs<ElementsAttr>("value");
  if (!value)
    return r.error("needs the attribute 'value'");
  types.push_back(value.getType());
  return success();
}

LogicalResult inferShape(const InferRequest &r, InferredTypes &types) {
  Type element = IntegerType::get(r.context, 64);
  RankedTensorType data = r.ranked(0);
  if (!data)
    return give(types, {dynamicSize}, element);
  int64_t rank = data.getRank();
  auto clamp = [&](int64_t v) {
    return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank);
  };
  int64_t start = clamp(r.intAttr("start", 0));
  int64_t end = clamp(r.intAttr("end", rank));
  return give(types, {std::max<int64_t>(0, end - start)}, element);
}

LogicalResult inferSize(const InferRequest &r, InferredTypes &types) {
  return give(types, {}, IntegerType::get(r.context, 64));
}

LogicalResult inferReshape(const InferRequest &r, InferredTypes &types) {
  auto wanted = r.constantInts(1);
  if (!wanted)
    return giveRankOf(r, 1, r.elementType(0), types);
  RankedTensorType data = r.ranked(0);
  bool allowZero = r.intAttr("allowzero", 0);
  SmallVector<int64_t> shape;
  int64_t known = 1;
  std::optional<size_t> open;
  bool dynamic = false;
  for (auto [i, size] : llvm::enumerate(*wanted)) {
    if (size < -1)
      return r.error("shape has the size " + Twine(size));
    if (size == 0 && !allowZero) {
      if (!data)
        size = dynamicSize;
      else if ((int64_t)i >= data.getRank())
        return r.error("shape copies dimension " + Twine(i) +
                       " of data that has rank " + Twine(data.getRank()));
      else
        size = data.getDimSize(i);
    } else if (size == -1) {
      if (open)
        return r.error("shape has more than one -1");
      open = i;
      shape.push_back(dynamicSize);
      continue;
    }
    dynamic |= ShapedType::isDynamic(size);
    if (!dynamic && llvm::MulOverflow(known, size, known))
      return r.error("shape has more than 2^63 elements");
    shape.push_back(size);
  }
  if (data && data.hasStaticShape() && !dynamic) {
    int64_t total = data.getNumElements();
    if (open && known != 0 && total % known == 0)
      shape[*open] = total / known;
    else if (open ? total != 0 : total != known)
      return r.error(Twine(total) + " elements don't fill the shape");
    else if (open)
      shape[*open] = 0;
  }
  return give(types, shape, r.elementType(0));
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    if (ShapedType::isDynamic(size))
      return dynamicSize;
    result *= size;
  }
  return result;
}

LogicalResult inferFlatten(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0);
  if (!data)
    return give(types, {dynamicSize, dynamicSize}, r.elementType(0));
  int64_t axis = r.intAttr("axis", 1), rank = data.getRank();
  if (axis < -rank || axis > rank)
    return r.error("axis is out of range for rank " + Twine(rank));
  if (axis < 0)
    axis += rank;
  return give(types,
              {product(data.getShape().take_front(axis)),
               product(data.getShape().drop_front(axis))},
              data.getElementType());
}

LogicalResult inferSqueeze(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0);
  auto axes = r.constantInts(1);
  if (!data || (r.has(1) && !axes))
    return giveUnranked(types, r.elementType(0));
  SmallVector<bool> drop(data.getRank(), false);
  if (axes) {
    for (int64_t axis : *axes) {
      auto at = normalizeAxis(axis, data.getRank());
      if (!at)
        return r.error("axis " + Twine(axis) + " is out of range for rank " +
                       Twine(data.getRank()));
      if (!data.isDynamicDim(*at) && data.getDimSize(*at) != 1)
        return r.error("dimension " + Twine(*at) + " has size " +
                       Twine(data.getDimSize(*at)) + ", not 1");
      drop[*at] = true;
    }
  } else {
    for (int64_t i = 0; i < data.getRank(); ++i) {
      if (data.isDynamicDim(i))
        return giveUnranked(types, r.elementType(0));
      drop[i] = data.getDimSize(i) == 1;
    }
  }
  SmallVector<int64_t> shape;
  for (auto [size, dropped] : llvm::zip(data.getShape(), drop))
    if (!dropped)
      shape.push_back(size);
  return give(types, shape, data.getElementType());
}

LogicalResult inferUnsqueeze(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0);
  auto axes = r.constantInts(1);
  if (!data || !axes)
    return giveUnranked(types, r.elementType(0));
  int64_t rank = data.getRank() + axes->size();
  SmallVector<bool> added(rank, false);
  for (int64_t axis : *axes) {
    auto at = normalizeAxis(axis, rank);
    if (!at || added[*at])
      return r.error("axis " + Twine(axis) + " is out of range or given twice");
    added[*at] = true;
  }
  SmallVector<int64_t> shape;
  auto next = data.getShape().begin();
  for (bool isAdded : added)
    shape.push_back(isAdded ? 1 : *next++);
  return give(types, shape, data.getElementType());
}

LogicalResult inferTranspose(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0);
  if (!data)
    return giveUnranked(types, r.elementType(0));
  SmallVector<int64_t> shape(llvm::reverse(data.getShape()));
  if (auto perm = r.intsAttr("perm")) {
    SmallVector<bool> seen(data.getRank(), false);
    if ((int64_t)perm->size() != data.getRank())
      return r.error("perm has " + Twine(perm->size()) +
                     " entries where the rank is " + Twine(data.getRank()));
    for (auto [i, axis] : llvm::enumerate(*perm)) {
      if (axis < 0 || axis >= data.getRank() || seen[axis])
        return r.error("perm is no permutation");
      seen[axis] = true;
      shape[i] = data.getDimSize(axis);
    }
  }
  return give(types, shape, data.getElementType());
}

/// Sizes that a file may claim don't overflow.
static int64_t saturatingSum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!llvm::AddOverflow(a, b, sum))
    return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min() + 1
               : std::numeric_limits<int64_t>::max();
}

LogicalResult inferConcat(const InferRequest &r, InferredTypes &types) {
  if (r.operands.empty())
    return r.error("needs at least one operand");
  SmallVector<int64_t> shape;
  std::optional<int64_t> axis;
  for (unsigned i = 0; i < r.operands.size(); ++i) {
    RankedTensorType type = r.ranked(i);
    if (!type)
      return giveUnranked(types, r.elementType(0));
    if (i == 0) {
      axis = normalizeAxis(r.intAttr("axis", 0), type.getRank());
      if (!axis)
        return r.error("axis is out of range for rank " +
                       Twine(type.getRank()));
      shape.assign(type.getShape().begin(), type.getShape().end());
      continue;
    }
    if (type.getRank() != (int64_t)shape.size())
      return r.error("operands differ in rank");
    for (auto [d, size] : llvm::enumerate(type.getShape())) {
      int64_t &dim = shape[d];
      if ((int64_t)d == *axis)
        dim = ShapedType::isDynamic(dim) || ShapedType::isDynamic(size)
                  ? dynamicSize
                  : saturatingSum(dim, size);
      else if (ShapedType::isDynamic(dim))
        dim = size;
      else if (!ShapedType::isDynamic(size) && size != dim)
        return r.error("operand " + Twine(i) + " has size " + Twine(size) +
                       " in dimension " + Twine(d) + " where others have " +
                       Twine(dim));
    }
  }
  return give(types, shape, r.elementType(0));
}

LogicalResult inferSplit(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0);
  auto sizes = r.constantInts(1);
  int64_t count = r.intAttr("num_outputs", sizes ? sizes->size() : 0);
  // No node has more results; a file could claim 2^40 of them.
  constexpr int64_t mostOutputs = 1 << 16;
  if (count < 1)
    return r.error("needs 'split' as a constant or 'num_outputs'");
  if (count > mostOutputs)
    return r.error("num_outputs is " + Twine(count));
  if (sizes && (int64_t)sizes->size() != count)
    return r.error("split has " + Twine(sizes->size()) +
                   " sizes where num_outputs is " + Twine(count));
  if (!data) {
    types.append(count, UnrankedTensorType::get(r.elementType(0)));
    return success();
  }
  auto axis = normalizeAxis(r.intAttr("axis", 0), data.getRank());
  if (!axis)
    return r.error("axis is out of range for rank " + Twine(data.getRank()));
  SmallVector<int64_t> shape(data.getShape());
  int64_t size = data.getDimSize(*axis);
  int64_t chunk = ShapedType::isDynamic(size)
                      ? dynamicSize
                      : (int64_t)llvm::divideCeil(size, count);
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (sizes)
      shape[*axis] = (*sizes)[i];
    else if (chunk != dynamicSize)
      shape[*axis] = std::max<int64_t>(0, std::min(chunk, size - i * chunk));
    if (sizes && shape[*axis] < 0)
      return r.error("a piece has negative size");
    if (!ShapedType::isDynamic(shape[*axis]) &&
        llvm::AddOverflow(sum, shape[*axis], sum))
      return r.error("pieces have more than 2^63 elements");
    types.push_back(RankedTensorType::get(shape, data.getElementType()));
  }
  if (sizes && !ShapedType::isDynamic(size) && sum != size)
    return r.error("pieces add up to " + Twine(sum) + " where dimension " +
                   Twine(*axis) + " has " + Twine(size) + " elements");
  return success();
}

/// Elements that a slice takes of a dimension of `size`.
static int64_t sliceLength(int64_t size, int64_t start, int64_t end,
                           int64_t step) {
  auto clamp = [&](int64_t v, int64_t low, int64_t high) {
    if (v < 0)
      v = v < -size ? low : v + size;
    return std::clamp(v, low, high);
  };
  if (step > 0) {
    start = clamp(start, 0, size);
    end = clamp(end, 0, size);
    return end <= start ? 0 : (end - start - 1) / step + 1;
  }
  start = clamp(start, 0, size - 1);
  end = end < -size ? -1 : clamp(end, -1, size - 1);
  if (size == 0 || start <= end)
    return 0;
  // -step would overflow for the least integer.
  return step == std::numeric_limits<int64_t>::min()
             ? 1
             : (start - end - 1) / -step + 1;
}

LogicalResult inferSlice(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0);
  if (!data)
    return giveUnranked(types, r.elementType(0));
  auto starts = r.constantInts(1), ends = r.constantInts(2);
  auto axes = r.constantInts(3), steps = r.constantInts(4);
  SmallVector<int64_t> shape(data.getShape());
  if (!axes && !r.has(3) && starts) {
    axes.emplace();
    for (size_t i = 0; i < starts->size(); ++i)
      axes->push_back(i);
  }
  if (!axes)
    return give(types, SmallVector<int64_t>(shape.size(), dynamicSize),
                data.getElementType());
  if ((starts && starts->size() != axes->size()) ||
      (ends && ends->size() != axes->size()) ||
      (steps && steps->size() != axes->size()))
    return r.error("starts, ends, axes and steps differ in length");
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    auto at = normalizeAxis(axis, data.getRank());
    if (!at)
      return r.error("axis " + Twine(axis) + " is out of range for rank " +
                     Twine(data.getRank()));
    if (steps && (*steps)[i] == 0)
      return r.error("step 0");
    bool known =
        starts && ends && (steps || !r.has(4)) && !data.isDynamicDim(*at);
    shape[*at] = known ? sliceLength(data.getDimSize(*at), (*starts)[i],
                                     (*ends)[i], steps ? (*steps)[i] : 1)
                       : dynamicSize;
  }
  return give(types, shape, data.getElementType());
}

LogicalResult inferGather(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0), indices = r.ranked(1);
  if (!data || !indices)
    return giveUnranked(types, r.elementType(0));
  auto axis = normalizeAxis(r.intAttr("axis", 0), data.getRank());
  if (!axis)
    return r.error("axis is out of range for rank " + Twine(data.getRank()));
  SmallVector<int64_t> shape(data.getShape().take_front(*axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, data.getShape().drop_front(*axis + 1));
  return give(types, shape, data.getElementType());
}

LogicalResult inferGatherElements(const InferRequest &r, InferredTypes &types) {
  RankedTensorType indices = r.ranked(1);
  if (!indices)
    return giveUnranked(types, r.elementType(0));
  return give(types, indices.getShape(), r.elementType(0));
}

LogicalResult inferGatherND(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0), indices = r.ranked(1);
  if (!data || !indices || indices.getRank() == 0 ||
      indices.isDynamicDim(indices.getRank() - 1))
    return giveUnranked(types, r.elementType(0));
  int64_t batch = r.intAttr("batch_dims", 0);
  int64_t tuple = indices.getShape().back();
  if (batch < 0 || batch >= indices.getRank() || batch + tuple > data.getRank())
    return r.error("index tuples of " + Twine(tuple) +
                   " don't fit data of rank " + Twine(data.getRank()));
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, data.getShape().drop_front(batch + tuple));
  return give(types, shape, data.getElementType());
}

LogicalResult inferExpand(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0);
  auto wanted = r.constantInts(1);
  if (!data || !wanted)
    return giveUnranked(types, r.elementType(0));
  auto shape = broadcastShapes(data.getShape(), *wanted);
  if (!shape || llvm::any_of(*wanted, [](int64_t d) { return d < 0; }))
    return r.error("the operand doesn't broadcast to the shape");
  return give(types, *shape, data.getElementType());
}

LogicalResult inferTile(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0);
  if (!data)
    return giveUnranked(types, r.elementType(0));
  SmallVector<int64_t> shape(data.getShape());
  auto repeats = r.constantInts(1);
  if (repeats && repeats->size() != shape.size())
    return r.error("repeats has " + Twine(repeats->size()) +
                   " entries where the rank is " + Twine(shape.size()));
  for (auto [i, size] : llvm::enumerate(shape))
    if (!repeats)
      size = dynamicSize;
    else if ((*repeats)[i] < 0)
      return r.error("repeats has a negative entry");
    else if (!ShapedType::isDynamic(size) &&
             llvm::MulOverflow(size, (*repeats)[i], size))
      return r.error("the result has more than 2^63 elements");
  return give(types, shape, data.getElementType());
}

LogicalResult inferPad(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0);
  if (!data)
    return giveUnranked(types, r.elementType(0));
  SmallVector<int64_t> shape(data.getShape());
  auto pads = r.constantInts(1), axes = r.constantInts(3);
  if (!axes && !r.has(3)) {
    axes.emplace();
    for (int64_t i = 0; i < data.getRank(); ++i)
      axes->push_back(i);
  }
  if (!pads || !axes)
    return give(types, SmallVector<int64_t>(shape.size(), dynamicSize),
                data.getElementType());
  if (pads->size() != 2 * axes->size())
    return r.error("pads has " + Twine(pads->size()) + " entries for " +
                   Twine(axes->size()) + " axes");
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    auto at = normalizeAxis(axis, data.getRank());
    if (!at)
      return r.error("axis " + Twine(axis) + " is out of range for rank " +
                     Twine(data.getRank()));
    if (data.isDynamicDim(*at))
      continue;
    shape[*at] = saturatingSum(
        shape[*at], saturatingSum((*pads)[i], (*pads)[axes->size() + i]));
    if (shape[*at] < 0)
      return r.error("pads cut more than dimension " + Twine(*at) + " has");
  }
  return give(types, shape, data.getElementType());
}

LogicalResult inferRange(const InferRequest &r, InferredTypes &types) {
  auto start = r.constantInts(0), limit = r.constantInts(1),
       delta = r.constantInts(2);
  int64_t count = dynamicSize;
  if (start && limit && delta && start->size() == 1 && limit->size() == 1 &&
      delta->size() == 1) {
    int64_t step = delta->front(), span = 0;
    if (step == 0)
      return r.error("delta 0");
    if (llvm::SubOverflow(limit->front(), start->front(), span) ||
        span == std::numeric_limits<int64_t>::min())
      return r.error("the range has more than 2^63 elements");
    if (span != 0 && (step > 0) == (span > 0))
      // Both truncate toward zero, so that signs don't matter.
      count = (span - (span > 0 ? 1 : -1)) / step + 1;
    else
      count = 0;
  }
  return give(types, {count}, r.elementType(0));
}

LogicalResult inferConstantOfShape(const InferRequest &r,
                                   InferredTypes &types) {
  Type element = Float32Type::get(r.context);
  if (auto value = r.attributes.getAs<ElementsAttr>("value"))
    element = value.getElementType();
  auto shape = r.constantInts(0);
  if (!shape)
    return giveRankOf(r, 0, element, types);
  if (llvm::any_of(*shape, [](int64_t d) { return d < 0; }))
    return r.error("shape has a negative size");
  return give(types, *shape, element);
}

LogicalResult inferOneHot(const InferRequest &r, InferredTypes &types) {
  RankedTensorType indices = r.ranked(0);
  if (!indices)
    return giveUnranked(types, r.elementType(2));
  auto axis = normalizeAxis(r.intAttr("axis", -1), indices.getRank() + 1);
  if (!axis)
    return r.error("axis is out of range");
  auto depth = r.constantInts(1);
  if (depth && depth->size() == 1 && depth->front() < 0)
    return r.error("depth is " + Twine(depth->front()));
  SmallVector<int64_t> shape(indices.getShape());
  shape.insert(shape.begin() + *axis,
               depth && depth->size() == 1 ? depth->front() : dynamicSize);
  return give(types, shape, r.elementType(2));
}

/// The shape left when `drop` axes are reduced.
static LogicalResult giveReduced(const InferRequest &r, RankedTensorType data,
                                 ArrayRef<bool> drop, Type element,
                                 InferredTypes &types) {
  bool keep = r.intAttr("keepdims", 1);
  SmallVector<int64_t> shape;
  for (auto [size, dropped] : llvm::zip(data.getShape(), drop))
    if (!dropped)
      shape.push_back(size);
    else if (keep)
      shape.push_back(1);
  return give(types, shape, element);
}

LogicalResult inferReduce(const InferRequest &r, InferredTypes &types) {
  RankedTensorType data = r.ranked(0);
  auto axes = r.constantInts(1);
  if (!data || (r.has(1) && !axes)) {
    if (data && r.intAttr("keepdims", 1))
      return give(types, SmallVector<int64_t>(data.getRank(), dynamicSize),
                  data.getElementType());
    return giveUnranked(types, r.elementType(0));
  }
  bool all = (!axes || axes->empty()) && !r.intAttr("noop_with_empty_axes", 0);
  SmallVector<bool> drop(data.getRank(), all);
  if (axes)
    for (int64_t axis : *axes) {
      auto at = normalizeAxis(axis, data.getRank());
      if (!at)
        return r.error("axis " + Twine(axis) + " is out of range for rank " +
                       Twine(data.getRank()));
      drop[*at] = true;
    }
  return giveReduced(r, data, drop, data.getElementType(), types);
}

LogicalResult inferArgReduce(const InferRequest &r, InferredTypes &types) {
  Type element = IntegerType::get(r.context, 64);
  RankedTensorType data = r.ranked(0);
  if (!data)
    return giveUnranked(types, element);
  auto axis = normalizeAxis(r.intAttr("axis", 0), data.getRank());
  if (!axis)
    return r.error("axis is out of range for rank " + Twine(data.getRank()));
  SmallVector<bool> drop(data.getRank(), false);
  drop[*axis] = true;
  return giveReduced(r, data, drop, element, types);
}

} // namespace lowtide
