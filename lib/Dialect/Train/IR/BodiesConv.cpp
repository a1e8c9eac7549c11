//===- BodiesConv.cpp - Adjoints of convolutions and pools ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The adjoint of the data is a transposed convolution; its output padding makes
// up for places at the end that no window reached (6 inputs, kernel 3, stride
// 2: the last one). The adjoint of the weights is a convolution again, with
// batch and channels swapped and strides and dilations swapped:
//
//   dw[o, i, k] = sum over n, p of dy[n, o, p] * x[n, i, p * stride + k * dil]
//
// Its result has more taps than the kernel where the forward op left a rest;
// those are cut off.
//
// Tested by test/Rules/gradients.test and test/Rules/bodies.test.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Bodies.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;
using namespace lowtide::train;

Value train::spreadWindows(OpEmitter &e, Value dy, Value weights,
                           ArrayRef<int64_t> inputShape,
                           ArrayRef<int64_t> strides,
                           ArrayRef<int64_t> dilations,
                           ArrayRef<int64_t> padsBegin, int64_t group) {
  size_t axes = strides.size();
  SmallVector<int64_t> pads(padsBegin), kernel(shapeOf(weights).drop_front(2));
  SmallVector<int64_t> rest(axes, 0);
  for (size_t i = 0; i < axes; ++i) {
    int64_t cover = dilations[i] * (kernel[i] - 1) + 1;
    int64_t reach = strides[i] * (shapeOf(dy)[i + 2] - 1) + cover;
    int64_t past = reach - padsBegin[i] - inputShape[i + 2];
    pads.push_back(std::max<int64_t>(past, 0));
    rest[i] = std::max<int64_t>(-past, 0);
  }
  OpBuilder &b = e.builder;
  bool hasRest = llvm::any_of(rest, [](int64_t r) { return r > 0; });
  return e.emit<ConvTransposeOp>(
      dy, weights, e.none(), "NOTSET", b.getDenseI64ArrayAttr(dilations), group,
      b.getDenseI64ArrayAttr(kernel),
      hasRest ? b.getDenseI64ArrayAttr(rest) : DenseI64ArrayAttr(),
      DenseI64ArrayAttr(), b.getDenseI64ArrayAttr(pads),
      b.getDenseI64ArrayAttr(strides));
}

Values ConvInputGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  size_t axes = getStrides().size();
  return {spreadWindows(e, v[0], v[1], getInputShape(), getStrides(),
                        getDilations(), getPads().take_front(axes),
                        getGroup())};
}

/// [N, G * C, ...] as [C, G * N, ...].
static Value groupsOverBatch(OpEmitter &e, Value x, int64_t group) {
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t batch = shape[0], channels = shape[1] / group;
  SmallVector<int64_t> apart{batch, group, channels}, perm{2, 1, 0};
  SmallVector<int64_t> folded{channels, group * batch};
  for (int64_t size : shape.drop_front(2)) {
    perm.push_back(static_cast<int64_t>(apart.size()));
    apart.push_back(size);
    folded.push_back(size);
  }
  return e.reshape(e.transpose(e.reshape(x, apart), perm), folded);
}

static Value swapFirstTwo(OpEmitter &e, Value v) {
  SmallVector<int64_t> perm = iota(rankOf(v));
  std::swap(perm[0], perm[1]);
  return e.transpose(v, perm);
}

Values ConvWeightGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  int64_t group = getGroup();
  Value data = groupsOverBatch(e, v[1], group);
  Value windows = swapFirstTwo(e, v[0]);
  // Explicit end pads may be more than the windows reach: that only adds taps.
  auto list = [&](ArrayRef<int64_t> values) {
    return builder.getDenseI64ArrayAttr(values);
  };
  Value taps =
      e.emit<ConvOp>(data, windows, e.none(), "NOTSET", list(getStrides()),
                     group, list(shapeOf(windows).drop_front(2)),
                     list(getPads()), list(getDilations()));
  int64_t axes = static_cast<int64_t>(getStrides().size());
  Value kernel = e.slice(taps, SmallVector<int64_t>(axes, 0),
                         getWeightShape().drop_front(2), iota(axes, 2));
  return {swapFirstTwo(e, kernel)};
}

/// The places are those that MaxPool's second result names in the whole tensor.
Values MaxPoolGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  auto list = [&](ArrayRef<int64_t> values) {
    return builder.getDenseI64ArrayAttr(values);
  };
  auto pool = builder.create<MaxPoolOp>(getLoc(), v[1], "NOTSET", getCeilMode(),
                                        list(getDilations()), getKernelShape(),
                                        list(getPads()), 0, list(getStrides()));
  auto type = cast<RankedTensorType>(v[1].getType());
  int64_t places = elementCount(shapeOf(v[0])), total = type.getNumElements();
  Value zeros = e.zeros(RankedTensorType::get(total, type.getElementType()));
  Value flat =
      e.emit<ScatterElementsOp>(zeros, e.reshape(pool.getIndices(), places),
                                e.reshape(v[0], places), 0, "add");
  return {e.reshape(flat, type.getShape())};
}

/// How many taps of each window along an axis lie in [first, last).
static SmallVector<double> tapCounts(int64_t windows, int64_t kernel,
                                     int64_t stride, int64_t dilation,
                                     int64_t padBegin, int64_t first,
                                     int64_t last) {
  SmallVector<double> counts(windows, 0.0);
  for (int64_t w = 0; w < windows; ++w)
    for (int64_t k = 0; k < kernel; ++k) {
      int64_t at = w * stride + k * dilation - padBegin;
      counts[w] += at >= first && at < last ? 1.0 : 0.0;
    }
  return counts;
}

/// dy over the number of taps that its window averaged, which is a product of
/// numbers for each axis.
static Value overTapCounts(OpEmitter &e, Value dy, AveragePoolGradOp op) {
  size_t axes = op.getStrides().size();
  for (size_t i = 0; i < axes; ++i) {
    bool withPads = op.getCountIncludePad() != 0;
    int64_t begin = op.getPads()[i], end = op.getPads()[axes + i];
    int64_t size = op.getInputShape()[i + 2];
    int64_t windows = shapeOf(dy)[i + 2];
    SmallVector<double> counts =
        tapCounts(windows, op.getKernelShape()[i], op.getStrides()[i],
                  op.getDilations()[i], begin, withPads ? -begin : 0,
                  withPads ? size + end : size);
    SmallVector<int64_t> along(axes + 2, 1);
    along[i + 2] = windows;
    if (llvm::all_equal(counts)) {
      dy = e.over(dy, counts.front());
      continue;
    }
    SmallVector<Attribute> values;
    auto element = cast<FloatType>(elementTypeOf(dy));
    for (double count : counts)
      values.push_back(FloatAttr::get(element, count));
    auto type = RankedTensorType::get(along, element);
    dy = e.div(dy,
               e.emit<ConstantOp>(type, DenseElementsAttr::get(type, values)));
  }
  return dy;
}

/// Each channel of each sample is spread by one kernel of ones.
Values AveragePoolGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  auto foldChannels = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> folded(shape);
    folded[0] *= folded[1];
    folded[1] = 1;
    return folded;
  };
  size_t axes = getStrides().size();
  Value share = overTapCounts(e, v[0], *this);
  SmallVector<int64_t> kernel{1, 1};
  kernel.append(getKernelShape().begin(), getKernelShape().end());
  Value ones = e.filled(RankedTensorType::get(kernel, elementTypeOf(share)), 1);
  Value dx = spreadWindows(e, e.reshape(share, foldChannels(shapeOf(share))),
                           ones, foldChannels(getInputShape()), getStrides(),
                           getDilations(), getPads().take_front(axes), 1);
  return {e.reshape(dx, getInputShape())};
}
