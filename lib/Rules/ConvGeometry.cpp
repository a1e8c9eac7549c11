//===- ConvGeometry.cpp - The resolved window of an op --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Rules/ConvGeometry.h"

using namespace mlir;
using namespace lowtide;

static ArrayRef<int64_t> spatialShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().drop_front(2);
}

/// A transposed convolution states its pads, or they are what is left over
/// between the positions that the windows cover and the result.
static std::optional<WindowGeometry>
resolveTransposed(onnx::ConvTransposeOp op, const InferRequest &request) {
  ArrayRef<int64_t> input = spatialShape(op.getX());
  ArrayRef<int64_t> output = spatialShape(op.getY());
  ArrayRef<int64_t> kernel = spatialShape(op.getW());
  NamedAttrList noAuto(request.attributes);
  noAuto.set("auto_pad", StringAttr::get(op.getContext(), "NOTSET"));
  InferRequest plain = request;
  plain.attributes = noAuto.getDictionary(op.getContext());
  auto window = resolveWindow(plain, input, kernel);
  if (!window)
    return std::nullopt;
  auto fixed = op.getOutputShape();
  bool hasShape = fixed && !fixed->empty();
  bool same = op.getAutoPad().starts_with("SAME");
  if (op.getAutoPad() == "VALID" && !hasShape)
    window->padsBegin = window->padsEnd = SmallVector<int64_t>(input.size(), 0);
  if (!hasShape && !same)
    return window;
  auto extra = op.getOutputPadding();
  for (size_t i = 0; i < input.size(); ++i) {
    int64_t cover = window->dilations[i] * (kernel[i] - 1) + 1;
    int64_t total = window->strides[i] * (input[i] - 1) + cover - output[i] +
                    (extra && !extra->empty() ? (*extra)[i] : 0);
    // Half, rounded down also below zero.
    int64_t half = total >> 1;
    window->padsBegin[i] =
        op.getAutoPad() == "SAME_UPPER" ? half : total - half;
    window->padsEnd[i] = total - window->padsBegin[i];
  }
  return window;
}

std::optional<WindowGeometry> lowtide::resolveConvGeometry(Operation *op) {
  InferRequest request{op->getContext(), std::nullopt, op->getOperands(),
                       op->getAttrDictionary()};
  ArrayRef<int64_t> input = spatialShape(op->getOperand(0));
  if (auto transposed = dyn_cast<onnx::ConvTransposeOp>(op))
    return resolveTransposed(transposed, request);
  if (auto conv = dyn_cast<onnx::ConvOp>(op))
    return resolveWindow(request, input, spatialShape(conv.getW()));
  if (auto kernel = request.intsAttr("kernel_shape"))
    return resolveWindow(request, input, *kernel);
  return std::nullopt;
}

SmallVector<int64_t> lowtide::explicitPads(const WindowGeometry &window) {
  SmallVector<int64_t> pads(window.padsBegin);
  pads.append(window.padsEnd.begin(), window.padsEnd.end());
  return pads;
}
