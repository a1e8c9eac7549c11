//===- FastConvKernels.cpp - Convolutions through oneDNN ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Float32 convolutions and their gradients. oneDNN chooses the layout (mostly
// channels in blocks of 16); tensors outside are row-major, so operands and
// results are reordered inside the workspace. A convolution whose batch is 1x1
// with few channels may keep plain layouts: whichever the library prefers.
//
// Tested by test/unit/Runtime/ConvTest.cpp, against the plain loops.
//
//===----------------------------------------------------------------------===//

#include "ConvWindow.h"
#include "DnnlProgram.h"
#include "Parallel.h"

#include <algorithm>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;
using dnnl::memory;

namespace {
/// The window as oneDNN counts it: dilation 0 is dense, pads behind follow
/// from the sizes.
struct ConvGeometry {
  memory::dims x, y, weights, strides, dilations, before, after;
};
} // namespace

static bool isFloat32(const KernelCall &call) {
  for (const auto &operand : call.operands)
    if (operand && operand->desc.type != DataType::Float32)
      return false;
  return true;
}

static ConvGeometry geometryOf(const Window &w, const std::vector<int64_t> &x,
                               const std::vector<int64_t> &y,
                               const std::vector<int64_t> &weights) {
  ConvGeometry g;
  g.x = x;
  g.y = y;
  if (w.group == 1)
    g.weights = weights;
  else {
    g.weights = {w.group, w.yChannels / w.group};
    g.weights.insert(g.weights.end(), weights.begin() + 1, weights.end());
  }
  for (int d = 3 - w.spatial; d < 3; ++d) {
    g.strides.push_back(w.stride[d]);
    g.dilations.push_back(w.dilation[d] - 1);
    g.before.push_back(w.padBefore[d]);
    g.after.push_back((w.y[d] - 1) * w.stride[d] +
                      (w.kernel[d] - 1) * w.dilation[d] + 1 - w.x[d] -
                      w.padBefore[d]);
  }
  return g;
}

static dnnl::convolution_forward::primitive_desc
forwardDesc(const ConvGeometry &g, bool hasBias) {
  const memory::dims bias = {g.y[1]};
  if (hasBias)
    return {DnnlBuilder::engine(),
            dnnl::prop_kind::forward_training,
            dnnl::algorithm::convolution_direct,
            DnnlBuilder::any(g.x),
            DnnlBuilder::any(g.weights),
            DnnlBuilder::plain(bias),
            DnnlBuilder::any(g.y),
            g.strides,
            g.dilations,
            g.before,
            g.after,
            DnnlBuilder::attributes()};
  return {DnnlBuilder::engine(),
          dnnl::prop_kind::forward_training,
          dnnl::algorithm::convolution_direct,
          DnnlBuilder::any(g.x),
          DnnlBuilder::any(g.weights),
          DnnlBuilder::any(g.y),
          g.strides,
          g.dilations,
          g.before,
          g.after,
          DnnlBuilder::attributes()};
}

/// (x, w, bias?) → y
static KernelBuild makeConv(const KernelCall &call, const CpuContext &cpu) {
  Window w;
  if (std::string why = readConvWindow(call, ConvKind::Forward, w);
      !why.empty() || !isFloat32(call))
    return refuse("not float32, or " + why);
  const ConvGeometry g = geometryOf(
      w, call.operand(0).shape, call.result(0).shape, call.operand(1).shape);
  const bool hasBias = call.hasOperand(2);
  return buildDnnl(cpu, [&](DnnlBuilder &b) {
    const auto desc = forwardDesc(g, hasBias);
    const DnnlPlace y = b.result(0, b.plain(g.y));
    const DnnlPlace src =
        b.reordered(b.operand(0, b.plain(g.x)), desc.src_desc());
    const DnnlPlace weights =
        b.reordered(b.operand(1, b.plain(g.weights)), desc.weights_desc());
    const DnnlPlace dst =
        y.desc == desc.dst_desc() ? y : b.temporary(desc.dst_desc());
    DnnlBuilder::Arguments arguments = {
        {DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}};
    if (hasBias)
      arguments.push_back({DNNL_ARG_BIAS, b.operand(2, b.plain({g.y[1]}))});
    b.add(desc, arguments);
    if (dst.kind == DnnlPlace::Workspace)
      b.copyTo(dst, y);
  });
}

/// (dy, w) → dx
static KernelBuild makeInputGrad(const KernelCall &call,
                                 const CpuContext &cpu) {
  Window w;
  if (std::string why = readConvWindow(call, ConvKind::InputGrad, w);
      !why.empty() || !isFloat32(call))
    return refuse("not float32, or " + why);
  const ConvGeometry g = geometryOf(
      w, call.result(0).shape, call.operand(0).shape, call.operand(1).shape);
  return buildDnnl(cpu, [&](DnnlBuilder &b) {
    const auto hint = forwardDesc(g, false);
    const dnnl::convolution_backward_data::primitive_desc desc(
        b.engine(), dnnl::algorithm::convolution_direct, b.any(g.x),
        b.any(g.weights), b.any(g.y), g.strides, g.dilations, g.before, g.after,
        hint, b.attributes());
    const DnnlPlace x = b.result(0, b.plain(g.x));
    const DnnlPlace dst =
        b.reordered(b.operand(0, b.plain(g.y)), desc.diff_dst_desc());
    const DnnlPlace weights =
        b.reordered(b.operand(1, b.plain(g.weights)), desc.weights_desc());
    const DnnlPlace src =
        x.desc == desc.diff_src_desc() ? x : b.temporary(desc.diff_src_desc());
    b.add(desc, {{DNNL_ARG_DIFF_DST, dst},
                 {DNNL_ARG_WEIGHTS, weights},
                 {DNNL_ARG_DIFF_SRC, src}});
    if (src.kind == DnnlPlace::Workspace)
      b.copyTo(src, x);
  });
}

/// (dy, x) → dw
static KernelBuild makeWeightGrad(const KernelCall &call,
                                  const CpuContext &cpu) {
  Window w;
  if (std::string why = readConvWindow(call, ConvKind::WeightGrad, w);
      !why.empty() || !isFloat32(call))
    return refuse("not float32, or " + why);
  const ConvGeometry g = geometryOf(
      w, call.operand(1).shape, call.operand(0).shape, call.result(0).shape);
  return buildDnnl(cpu, [&](DnnlBuilder &b) {
    const auto hint = forwardDesc(g, false);
    const dnnl::convolution_backward_weights::primitive_desc desc(
        b.engine(), dnnl::algorithm::convolution_direct, b.any(g.x),
        b.any(g.weights), b.any(g.y), g.strides, g.dilations, g.before, g.after,
        hint, b.attributes());
    const DnnlPlace result = b.result(0, b.plain(g.weights));
    const DnnlPlace dst =
        b.reordered(b.operand(0, b.plain(g.y)), desc.diff_dst_desc());
    const DnnlPlace src =
        b.reordered(b.operand(1, b.plain(g.x)), desc.src_desc());
    const DnnlPlace weights = result.desc == desc.diff_weights_desc()
                                  ? result
                                  : b.temporary(desc.diff_weights_desc());
    b.add(desc, {{DNNL_ARG_DIFF_DST, dst},
                 {DNNL_ARG_SRC, src},
                 {DNNL_ARG_DIFF_WEIGHTS, weights}});
    if (weights.kind == DnnlPlace::Workspace)
      b.copyTo(weights, result);
  });
}

/// Adds a number to every plane of y.
static void addToPlanes(const KernelBuffers &buffers, int threads,
                        int64_t planes, int64_t channels, int64_t size) {
  const float *bias = in<float>(buffers, 2);
  float *y = out<float>(buffers);
  parallelFor(threads, planes, 1, [=](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      for (int64_t i = 0; i < size; ++i)
        y[p * size + i] += bias[p % channels];
  });
}

/// (x, w, bias?) → y, y being the window's large side. Without output_shape
/// and auto_pad: those take the plain loops.
static KernelBuild makeConvTranspose(const KernelCall &call,
                                     const CpuContext &cpu) {
  if (!call.intsAttr("output_shape").empty() ||
      call.stringAttr("auto_pad", "NOTSET") != "NOTSET")
    return refuse("needs the plain loops");
  KernelBuild build = makeInputGrad(call, cpu);
  if (!build.whyNot.empty() || !call.hasOperand(2))
    return build;
  const TensorDesc &y = call.result(0);
  const int64_t channels = y.shape[1], planes = y.shape[0] * channels;
  const int64_t size = productOf(y.shape, 2, y.rank());
  const int threads = cpu.threads;
  build.compile = [=, compile = build.compile]() -> RunKernel {
    RunKernel run = compile();
    if (!run)
      return run;
    return [=](const KernelBuffers &buffers) -> std::string {
      std::string error = run(buffers);
      if (error.empty())
        addToPlanes(buffers, threads, planes, channels, size);
      return error;
    };
  };
  return build;
}

void cpu::addFastConvKernels(KernelTable &table) {
  table.add("onnx.Conv", makeConv);
  table.add("onnx.ConvTranspose", makeConvTranspose);
  table.add("train.conv_input_grad", makeInputGrad);
  table.add("train.conv_weight_grad", makeWeightGrad);
}
