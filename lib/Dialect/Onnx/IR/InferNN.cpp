//===- InferNN.cpp - Result types of layers -------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Window arithmetic, for one axis: a kernel of k taps with dilation d covers
// d * (k - 1) + 1 positions; over n positions padded by p in all, with stride
// s, it takes floor((n + p - cover) / s) + 1 places. `ceil_mode` rounds up, but
// a window that would start in the padding at the end doesn't count.
//
// Reference: ONNX operator specification, Conv, ConvTranspose, MaxPool.
// Tested by test/Dialect/Onnx/infer-nn.mlir.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Onnx/IR/Onnx.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lowtide {

static constexpr int64_t dynamicSize = ShapedType::kDynamic;

/// An attribute of one value per axis, or `fallback` everywhere; nothing when
/// it has another length.
static std::optional<SmallVector<int64_t>>
perAxis(const InferRequest &r, StringRef name, size_t axes, int64_t fallback) {
  auto given = r.intsAttr(name);
  if (!given || given->empty())
    return SmallVector<int64_t>(axes, fallback);
  if (given->size() != axes)
    return std::nullopt;
  return SmallVector<int64_t>(*given);
}

static bool anyBelow(ArrayRef<int64_t> values, int64_t least) {
  return llvm::any_of(values, [&](int64_t v) { return v < least; });
}

std::optional<WindowGeometry> resolveWindow(const InferRequest &r,
                                            ArrayRef<int64_t> input,
                                            ArrayRef<int64_t> kernel) {
  size_t axes = input.size();
  auto strides = perAxis(r, "strides", axes, 1);
  auto dilations = perAxis(r, "dilations", axes, 1);
  auto pads = perAxis(r, "pads", 2 * axes, 0);
  if (!strides || !dilations || !pads || kernel.size() != axes ||
      anyBelow(*strides, 1) || anyBelow(*dilations, 1) || anyBelow(kernel, 1) ||
      anyBelow(*pads, 0))
    return std::nullopt;
  WindowGeometry g;
  g.kernel.assign(kernel.begin(), kernel.end());
  g.strides = *strides;
  g.dilations = *dilations;
  g.padsBegin.assign(pads->begin(), pads->begin() + axes);
  g.padsEnd.assign(pads->begin() + axes, pads->end());
  StringRef mode = r.stringAttr("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty())
    return g;
  for (size_t i = 0; i < axes; ++i) {
    int64_t total = 0;
    if (mode != "VALID") {
      if (ShapedType::isDynamic(input[i]))
        return std::nullopt;
      int64_t cover = g.dilations[i] * (g.kernel[i] - 1) + 1;
      int64_t places = llvm::divideCeil(input[i], g.strides[i]);
      total =
          std::max<int64_t>(0, (places - 1) * g.strides[i] + cover - input[i]);
    }
    int64_t half = total / 2;
    g.padsBegin[i] = mode == "SAME_LOWER" ? total - half : half;
    g.padsEnd[i] = total - g.padsBegin[i];
  }
  return g;
}

/// Places of the window along axis i, or nothing when there is none.
static std::optional<int64_t> windowPlaces(const WindowGeometry &g, size_t i,
                                           int64_t size, bool ceilMode) {
  if (ShapedType::isDynamic(size))
    return dynamicSize;
  int64_t cover = g.dilations[i] * (g.kernel[i] - 1) + 1;
  int64_t room = size + g.padsBegin[i] + g.padsEnd[i] - cover;
  if (room < 0)
    return std::nullopt;
  int64_t places = room / g.strides[i] + 1;
  if (ceilMode && room % g.strides[i] != 0 &&
      places * g.strides[i] < size + g.padsBegin[i])
    ++places;
  return places;
}

/// N x C x windows for a pool or convolution over operand 0.
static LogicalResult inferWindows(const InferRequest &r,
                                  ArrayRef<int64_t> kernel, int64_t channels,
                                  bool ceilMode, InferredTypes &types) {
  RankedTensorType x = r.ranked(0);
  SmallVector<int64_t> shape = {x.getDimSize(0), channels};
  ArrayRef<int64_t> input = x.getShape().drop_front(2);
  auto geometry = resolveWindow(r, input, kernel);
  StringRef mode = r.stringAttr("auto_pad", "NOTSET");
  if (!geometry) {
    if (!mode.starts_with("SAME") || kernel.size() != input.size())
      return r.error("kernel, strides, dilations or pads don't fit " +
                     Twine(input.size()) + " spatial dimensions");
    auto strides = perAxis(r, "strides", input.size(), 1);
    if (!strides || anyBelow(*strides, 1))
      return r.error("strides don't fit the input");
    for (auto [size, stride] : llvm::zip(input, *strides))
      shape.push_back(ShapedType::isDynamic(size)
                          ? dynamicSize
                          : (int64_t)llvm::divideCeil(size, stride));
  } else {
    for (auto [i, size] : llvm::enumerate(input)) {
      auto places = windowPlaces(*geometry, i, size, ceilMode);
      if (!places)
        return r.error("the window is larger than spatial dimension " +
                       Twine(i) + ", which has " + Twine(size) + " elements");
      shape.push_back(*places);
    }
  }
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult inferConv(const InferRequest &r, InferredTypes &types) {
  RankedTensorType x = r.ranked(0), w = r.ranked(1);
  if (!x || !w) {
    types.push_back(UnrankedTensorType::get(r.elementType(0)));
    return success();
  }
  if (x.getRank() < 3 || x.getRank() != w.getRank())
    return r.error("data has rank " + Twine(x.getRank()) +
                   " and weights have rank " + Twine(w.getRank()));
  int64_t group = r.intAttr("group", 1);
  int64_t channels = x.getDimSize(1), perGroup = w.getDimSize(1);
  if (group < 1 || (!w.isDynamicDim(0) && w.getDimSize(0) % group != 0))
    return r.error("group " + Twine(group) + " doesn't divide " +
                   Twine(w.getDimSize(0)) + " output channels");
  if (!x.isDynamicDim(1) && !w.isDynamicDim(1) && channels != perGroup * group)
    return r.error("data has " + Twine(channels) +
                   " channels where the weights need " +
                   Twine(perGroup * group));
  auto kernel = r.intsAttr("kernel_shape");
  ArrayRef<int64_t> spatial = w.getShape().drop_front(2);
  SmallVector<int64_t> taps(spatial);
  if (kernel && !kernel->empty()) {
    if (failed(verifyCompatibleShape(*kernel, spatial)))
      return r.error("kernel_shape differs from the weights' shape");
    taps.assign(kernel->begin(), kernel->end());
  }
  if (llvm::is_contained(taps, dynamicSize)) {
    SmallVector<int64_t> shape(x.getRank(), dynamicSize);
    shape[0] = x.getDimSize(0);
    shape[1] = w.getDimSize(0);
    types.push_back(RankedTensorType::get(shape, x.getElementType()));
    return success();
  }
  return inferWindows(r, taps, w.getDimSize(0), false, types);
}

LogicalResult inferConvTranspose(const InferRequest &r, InferredTypes &types) {
  RankedTensorType x = r.ranked(0), w = r.ranked(1);
  if (!x || !w) {
    types.push_back(UnrankedTensorType::get(r.elementType(0)));
    return success();
  }
  if (x.getRank() < 3 || x.getRank() != w.getRank())
    return r.error("data has rank " + Twine(x.getRank()) +
                   " and weights have rank " + Twine(w.getRank()));
  size_t axes = x.getRank() - 2;
  auto strides = perAxis(r, "strides", axes, 1);
  auto dilations = perAxis(r, "dilations", axes, 1);
  auto pads = perAxis(r, "pads", 2 * axes, 0);
  auto extra = perAxis(r, "output_padding", axes, 0);
  auto fixed = r.intsAttr("output_shape");
  int64_t group = r.intAttr("group", 1);
  if (!strides || !dilations || !pads || !extra || group < 1 ||
      anyBelow(*strides, 1) || anyBelow(*dilations, 1) ||
      (fixed && !fixed->empty() && fixed->size() != axes))
    return r.error("attributes don't fit " + Twine(axes) +
                   " spatial dimensions");
  if (!x.isDynamicDim(1) && !w.isDynamicDim(0) &&
      x.getDimSize(1) != w.getDimSize(0))
    return r.error("data has " + Twine(x.getDimSize(1)) +
                   " channels where the weights need " +
                   Twine(w.getDimSize(0)));
  SmallVector<int64_t> shape = {x.getDimSize(0), w.isDynamicDim(1)
                                                     ? dynamicSize
                                                     : w.getDimSize(1) * group};
  bool same = r.stringAttr("auto_pad", "NOTSET").starts_with("SAME");
  for (size_t i = 0; i < axes; ++i) {
    int64_t size = x.getDimSize(i + 2);
    if (fixed && !fixed->empty())
      shape.push_back((*fixed)[i]);
    else if (ShapedType::isDynamic(size) || (!same && w.isDynamicDim(i + 2)))
      shape.push_back(dynamicSize);
    else if (same)
      shape.push_back(size * (*strides)[i]);
    else
      shape.push_back((size - 1) * (*strides)[i] + (*extra)[i] +
                      (*dilations)[i] * (w.getDimSize(i + 2) - 1) + 1 -
                      (*pads)[i] - (*pads)[axes + i]);
    if (shape.back() != dynamicSize && shape.back() < 0)
      return r.error("pads are larger than the result");
  }
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

static LogicalResult inferPool(const InferRequest &r, InferredTypes &types) {
  RankedTensorType x = r.ranked(0);
  if (!x) {
    types.push_back(UnrankedTensorType::get(r.elementType(0)));
    return success();
  }
  if (x.getRank() < 3)
    return r.error("data has rank " + Twine(x.getRank()) +
                   " where at least 3 is needed");
  auto kernel = r.intsAttr("kernel_shape");
  if (!kernel)
    return r.error("needs the attribute 'kernel_shape'");
  return inferWindows(r, *kernel, x.getDimSize(1), r.intAttr("ceil_mode", 0),
                      types);
}

LogicalResult inferMaxPool(const InferRequest &r, InferredTypes &types) {
  if (failed(inferPool(r, types)))
    return failure();
  types.push_back(
      cast<TensorType>(types[0]).clone(IntegerType::get(r.context, 64)));
  return success();
}

LogicalResult inferAveragePool(const InferRequest &r, InferredTypes &types) {
  return inferPool(r, types);
}

LogicalResult inferGlobalPool(const InferRequest &r, InferredTypes &types) {
  RankedTensorType x = r.ranked(0);
  if (!x) {
    types.push_back(UnrankedTensorType::get(r.elementType(0)));
    return success();
  }
  if (x.getRank() < 3)
    return r.error("data has rank " + Twine(x.getRank()) +
                   " where at least 3 is needed");
  SmallVector<int64_t> shape(x.getRank(), 1);
  shape[0] = x.getDimSize(0);
  shape[1] = x.getDimSize(1);
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult inferBatchNormalization(const InferRequest &r,
                                      InferredTypes &types) {
  types.push_back(r.operands[0].getType());
  types.push_back(r.operands[3].getType());
  types.push_back(r.operands[4].getType());
  return success();
}

LogicalResult inferLayerNormalization(const InferRequest &r,
                                      InferredTypes &types) {
  types.push_back(r.operands[0].getType());
  Type stash = r.elementType(0);
  if (!stash.isF64())
    stash = Float32Type::get(r.context);
  RankedTensorType x = r.ranked(0);
  if (!x) {
    types.append(2, UnrankedTensorType::get(stash));
    return success();
  }
  auto axis = normalizeAxis(r.intAttr("axis", -1), x.getRank());
  if (!axis)
    return r.error("axis is out of range for rank " + Twine(x.getRank()));
  SmallVector<int64_t> shape(x.getShape());
  std::fill(shape.begin() + *axis, shape.end(), 1);
  types.append(2, RankedTensorType::get(shape, stash));
  return success();
}

LogicalResult inferDropout(const InferRequest &r, InferredTypes &types) {
  auto type = cast<TensorType>(r.operands[0].getType());
  types.push_back(type);
  types.push_back(type.clone(IntegerType::get(r.context, 1)));
  return success();
}

/// A scalar, or the labels' shape when nothing is reduced.
static Type lossType(const InferRequest &r) {
  Type element = r.elementType(0);
  if (r.stringAttr("reduction", "mean") != "none")
    return RankedTensorType::get({}, element);
  return cast<TensorType>(r.operands[1].getType()).clone(element);
}

LogicalResult inferSoftmaxCrossEntropyLoss(const InferRequest &r,
                                           InferredTypes &types) {
  types.push_back(lossType(r));
  types.push_back(r.operands[0].getType());
  return success();
}

LogicalResult inferNegativeLogLikelihoodLoss(const InferRequest &r,
                                             InferredTypes &types) {
  types.push_back(lossType(r));
  return success();
}

} // namespace lowtide
