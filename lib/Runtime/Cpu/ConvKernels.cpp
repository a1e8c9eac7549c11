//===- ConvKernels.cpp - Convolutions and their gradients, plain ----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The window's large side is x for Conv and the result for ConvTranspose.
//
// Tested by test/unit/Runtime/ConvTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ConvLoops.h"
#include "ConvWindow.h"

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

static std::vector<int64_t> spatialOf(const std::vector<int64_t> &weights) {
  if (weights.size() < 3)
    return {};
  return {weights.begin() + 2, weights.end()};
}

std::string cpu::readConvWindow(const KernelCall &call, ConvKind kind,
                                Window &window) {
  std::vector<int64_t> weights;
  std::string why;
  switch (kind) {
  case ConvKind::Forward: // (x, w, bias?) → y
    if (why = checkArity(call, 2); !why.empty())
      return why;
    weights = call.operand(1).shape;
    why = readWindow(call, call.operand(0).shape, call.result(0).shape,
                     spatialOf(weights), window);
    break;
  case ConvKind::InputGrad: // (dy, w) → dx
    if (why = checkArity(call, 2); !why.empty())
      return why;
    weights = call.operand(1).shape;
    why = readWindow(call, call.result(0).shape, call.operand(0).shape,
                     spatialOf(weights), window);
    break;
  case ConvKind::WeightGrad: // (dy, x) → dw
    if (why = checkArity(call, 2); !why.empty())
      return why;
    weights = call.result(0).shape;
    why = readWindow(call, call.operand(1).shape, call.operand(0).shape,
                     spatialOf(weights), window);
    break;
  case ConvKind::Transpose: // (x, w, bias?) → y, y being the large side
    if (why = checkArity(call, 2); !why.empty())
      return why;
    weights = call.operand(1).shape;
    why = readWindow(call, call.result(0).shape, call.operand(0).shape,
                     spatialOf(weights), window);
    break;
  }
  if (!why.empty())
    return why;
  if (weights[0] != window.yChannels ||
      weights[1] * window.group != window.xChannels ||
      window.yChannels % window.group != 0)
    return "the weights' channels don't fit";
  return "";
}

/// With `output_shape` or `auto_pad`, the pads follow from the sizes.
static void transposePads(const KernelCall &call, Window &w) {
  const std::string mode = call.stringAttr("auto_pad", "NOTSET");
  if (mode == "NOTSET" && call.intsAttr("output_shape").empty())
    return;
  const std::vector<int64_t> extra = call.intsAttr("output_padding");
  for (int d = 3 - w.spatial, i = 0; d < 3; ++d, ++i) {
    const int64_t more = extra.empty() ? 0 : extra[i];
    const int64_t full = w.stride[d] * (w.y[d] - 1) + more +
                         (w.kernel[d] - 1) * w.dilation[d] + 1;
    const int64_t total = std::max<int64_t>(0, full - w.x[d]);
    w.padBefore[d] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    if (mode == "VALID")
      w.padBefore[d] = 0;
  }
}

static KernelBuild makeConv(const KernelCall &call, const CpuContext &cpu) {
  Window w;
  if (std::string why = readConvWindow(call, ConvKind::Forward, w);
      !why.empty())
    return refuse(why);
  const bool hasBias = call.hasOperand(2);
  const int threads = cpu.threads;
  return withFloat(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      correlate<T>(w, threads, in<T>(buffers, 0), in<T>(buffers, 1),
                   hasBias ? in<T>(buffers, 2) : nullptr, out<T>(buffers));
      return "";
    };
    return build;
  });
}

static KernelBuild makeConvTranspose(const KernelCall &call,
                                     const CpuContext &cpu) {
  Window w;
  if (std::string why = readConvWindow(call, ConvKind::Transpose, w);
      !why.empty())
    return refuse(why);
  transposePads(call, w);
  const bool hasBias = call.hasOperand(2);
  const int threads = cpu.threads;
  return withFloat(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      scatter<T>(w, threads, in<T>(buffers, 0), in<T>(buffers, 1),
                 hasBias ? in<T>(buffers, 2) : nullptr, out<T>(buffers));
      return "";
    };
    return build;
  });
}

static KernelBuild makeInputGrad(const KernelCall &call,
                                 const CpuContext &cpu) {
  Window w;
  if (std::string why = readConvWindow(call, ConvKind::InputGrad, w);
      !why.empty())
    return refuse(why);
  const int threads = cpu.threads;
  return withFloat(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      scatter<T>(w, threads, in<T>(buffers, 0), in<T>(buffers, 1), nullptr,
                 out<T>(buffers));
      return "";
    };
    return build;
  });
}

static KernelBuild makeWeightGrad(const KernelCall &call,
                                  const CpuContext &cpu) {
  Window w;
  if (std::string why = readConvWindow(call, ConvKind::WeightGrad, w);
      !why.empty())
    return refuse(why);
  const int threads = cpu.threads;
  return withFloat(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      correlateWeights<T>(w, threads, in<T>(buffers, 0), in<T>(buffers, 1),
                          out<T>(buffers));
      return "";
    };
    return build;
  });
}

void cpu::addConvKernels(KernelTable &table) {
  table.add("onnx.Conv", makeConv);
  table.add("onnx.ConvTranspose", makeConvTranspose);
  table.add("train.conv_input_grad", makeInputGrad);
  table.add("train.conv_weight_grad", makeWeightGrad);
}
