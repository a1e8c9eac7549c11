//===- FastElementwiseKernels.cpp - Vector functions in float32 -----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Exp, Tanh, Erf, Sigmoid, Gelu and gradients, Softmax along the last axis,
// cross-entropy with classes last, and dropout, on the loops of SimdLoops.h.
//
// Tested by test/unit/Runtime/ElementwiseTest.cpp, against the plain loops.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"
#include "SimdLoops.h"

#include "lowtide/Runtime/Philox.h"

#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

static std::string checkFloat32(const KernelCall &call, size_t operands) {
  if (std::string why = checkArity(call, operands); !why.empty())
    return why;
  for (size_t i = 0; i < operands; ++i)
    if (call.operand(i).type != DataType::Float32 ||
        call.operand(i).shape != call.result(0).shape)
      return "needs float32 operands of the result's shape";
  return "";
}

static KernelBuild mapUnary(const KernelCall &call, const CpuContext &cpu,
                            SimdLoops::Unary loop) {
  if (std::string why = checkFloat32(call, 1); !why.empty())
    return refuse(why);
  KernelBuild build;
  donateOperand(call, 0, 0, build.needs);
  const int64_t n = call.result(0).numElements();
  const int threads = cpu.threads;
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const float *x = in<float>(buffers, 0);
    float *y = out<float>(buffers);
    parallelFor(threads, n, 4096, [=](int64_t begin, int64_t end) {
      loop(x + begin, y + begin, end - begin);
    });
    return "";
  };
  return build;
}

static KernelBuild mapGradient(const KernelCall &call, const CpuContext &cpu,
                               SimdLoops::Gradient loop) {
  if (std::string why = checkFloat32(call, 2); !why.empty())
    return refuse(why);
  KernelBuild build;
  donateOperand(call, 0, 0, build.needs);
  donateOperand(call, 0, 1, build.needs);
  const int64_t n = call.result(0).numElements();
  const int threads = cpu.threads;
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const float *dy = in<float>(buffers, 0), *v = in<float>(buffers, 1);
    float *dx = out<float>(buffers);
    parallelFor(threads, n, 4096, [=](int64_t begin, int64_t end) {
      loop(dy + begin, v + begin, dx + begin, end - begin);
    });
    return "";
  };
  return build;
}

template <SimdLoops::Unary SimdLoops::*loop>
static KernelBuild makeUnary(const KernelCall &call, const CpuContext &cpu) {
  return mapUnary(call, cpu, simdLoops().*loop);
}

static bool isTanhForm(const KernelCall &call) {
  return call.stringAttr("approximate", "none") == "tanh";
}

static KernelBuild makeGelu(const KernelCall &call, const CpuContext &cpu) {
  return mapUnary(call, cpu,
                  isTanhForm(call) ? simdLoops().geluTanh : simdLoops().gelu);
}

static KernelBuild makeGeluGrad(const KernelCall &call, const CpuContext &cpu) {
  return mapGradient(call, cpu,
                     isTanhForm(call) ? simdLoops().geluTanhGrad
                                      : simdLoops().geluGrad);
}

static KernelBuild makeErfGrad(const KernelCall &call, const CpuContext &cpu) {
  return mapGradient(call, cpu, simdLoops().erfGrad);
}

/// Softmax over the last axis.
static KernelBuild makeSoftmax(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkFloat32(call, 1); !why.empty())
    return refuse(why);
  const TensorDesc &x = call.operand(0);
  if (x.rank() == 0 || x.shape.back() == 0 ||
      normalizeAxis(call.intAttr("axis", -1), x.rank()) != x.rank() - 1)
    return refuse("needs the last axis");
  KernelBuild build;
  donateOperand(call, 0, 0, build.needs);
  const int64_t size = x.shape.back(), rows = x.numElements() / size;
  const int threads = cpu.threads;
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const SimdLoops &loops = simdLoops();
    const float *from = in<float>(buffers, 0);
    float *to = out<float>(buffers);
    parallelFor(threads, rows, 1 + 4096 / size,
                [&](int64_t begin, int64_t end) {
                  for (int64_t r = begin; r < end; ++r) {
                    const float *row = from + r * size;
                    float *y = to + r * size;
                    const float top = loops.maximum(row, size);
                    const double sum = loops.expSum(row, top, y, size);
                    loops.scale(y, static_cast<float>(1.0 / sum), y, size);
                  }
                });
    return "";
  };
  return build;
}

namespace {
/// Unweighted rows of logits, classes last, reduced to one loss.
struct Rows {
  int64_t rows = 0, classes = 0;
  bool isMean = true;
};
} // namespace

static std::string readRows(const KernelCall &call, const TensorDesc &logits,
                            size_t target, Rows &rows) {
  const std::string reduction = call.stringAttr("reduction", "mean");
  if (logits.type != DataType::Float32 || logits.rank() < 1 ||
      call.hasOperand(target + 1) ||
      call.attributes.count("ignore_index") != 0 || reduction == "none" ||
      normalizeAxis(call.intAttr("axis", 1), logits.rank()) !=
          logits.rank() - 1 ||
      call.operand(target).type != DataType::Int64 || logits.numElements() == 0)
    return "needs the plain loops";
  rows.classes = logits.shape.back();
  rows.rows = logits.numElements() / rows.classes;
  rows.isMean = reduction == "mean";
  return "";
}

static std::string checkTargets(const int64_t *target, const Rows &rows) {
  for (int64_t i = 0; i < rows.rows; ++i)
    if (target[i] < 0 || target[i] >= rows.classes)
      return "target " + std::to_string(target[i]) + " at element " +
             std::to_string(i) + " is no class of " +
             std::to_string(rows.classes);
  return "";
}

/// (logits, target) → loss
static KernelBuild makeCrossEntropy(const KernelCall &call,
                                    const CpuContext &cpu) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return refuse(why);
  Rows rows;
  if (std::string why = readRows(call, call.operand(0), 1, rows);
      !why.empty() || call.hasResult(1))
    return refuse("needs the plain loops");
  const int threads = cpu.threads;
  KernelBuild build;
  build.needs.workspaceBytes = rows.rows * static_cast<int64_t>(sizeof(double));
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const SimdLoops &loops = simdLoops();
    const float *logits = in<float>(buffers, 0);
    const int64_t *target = in<int64_t>(buffers, 1);
    auto *losses = static_cast<double *>(buffers.workspace);
    if (std::string why = checkTargets(target, rows); !why.empty())
      return why;
    parallelFor(threads, rows.rows, 1 + 4096 / rows.classes,
                [&](int64_t begin, int64_t end) {
                  for (int64_t r = begin; r < end; ++r) {
                    const float *row = logits + r * rows.classes;
                    const float top = loops.maximum(row, rows.classes);
                    const double sum =
                        loops.expSum(row, top, nullptr, rows.classes);
                    losses[r] = std::log(sum) +
                                (static_cast<double>(top) - row[target[r]]);
                  }
                });
    double sum = 0;
    for (int64_t r = 0; r < rows.rows; ++r)
      sum += losses[r];
    *out<float>(buffers) = static_cast<float>(
        rows.isMean ? sum / static_cast<double>(rows.rows) : sum);
    return "";
  };
  return build;
}

/// (dloss, logits, target) → dlogits
static KernelBuild makeCrossEntropyGrad(const KernelCall &call,
                                        const CpuContext &cpu) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  Rows rows;
  if (std::string why = readRows(call, call.operand(1), 2, rows); !why.empty())
    return refuse(why);
  const int threads = cpu.threads;
  KernelBuild build;
  donateOperand(call, 0, 1, build.needs);
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const SimdLoops &loops = simdLoops();
    const int64_t *target = in<int64_t>(buffers, 2);
    if (std::string why = checkTargets(target, rows); !why.empty())
      return why;
    const double share = static_cast<double>(*in<float>(buffers, 0)) /
                         (rows.isMean ? static_cast<double>(rows.rows) : 1.0);
    parallelFor(threads, rows.rows, 1 + 4096 / rows.classes,
                [&](int64_t begin, int64_t end) {
                  for (int64_t r = begin; r < end; ++r) {
                    const float *row = in<float>(buffers, 1) + r * rows.classes;
                    float *y = out<float>(buffers) + r * rows.classes;
                    const float top = loops.maximum(row, rows.classes);
                    const double sum = loops.expSum(row, top, y, rows.classes);
                    const double hit = y[target[r]] / sum - 1.0;
                    loops.scale(y, static_cast<float>(share / sum), y,
                                rows.classes);
                    y[target[r]] = static_cast<float>(share * hit);
                  }
                });
    return "";
  };
  return build;
}

/// Same numbers as the plain kernel, sixteen blocks at a time.
static KernelBuild makeDropout(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 3); !why.empty())
    return refuse(why);
  const int64_t n = call.result(0).numElements();
  const double ratio = call.floatAttr("ratio", 0.5);
  if (call.operand(0).type != DataType::Float32 ||
      call.operand(1).type != DataType::Int64 ||
      call.operand(2).type != DataType::Int64 || !(ratio >= 0 && ratio < 1) ||
      n / 4 >= (int64_t(1) << 32))
    return refuse("needs the plain loops");
  KernelBuild build;
  donateOperand(call, 0, 0, build.needs);
  const auto opId = static_cast<uint32_t>(call.intAttr("op_id", 0));
  const auto threshold = static_cast<uint64_t>(std::ceil(ratio * 4294967296.0));
  const auto factor = static_cast<float>(1.0 / (1.0 - ratio));
  const int threads = cpu.threads;
  build.run = [=](const KernelBuffers &buffers) -> std::string {
    const auto seed = static_cast<uint64_t>(*in<int64_t>(buffers, 1));
    const auto step = static_cast<uint64_t>(*in<int64_t>(buffers, 2));
    const uint32_t counter[4] = {0, opId, static_cast<uint32_t>(step),
                                 static_cast<uint32_t>(step >> 32)};
    const uint32_t key[2] = {static_cast<uint32_t>(seed),
                             static_cast<uint32_t>(seed >> 32)};
    const float *x = in<float>(buffers, 0);
    float *y = out<float>(buffers);
    parallelFor(threads, n, 4096, [&](int64_t begin, int64_t end) {
      simdLoops().dropout(x + begin, y + begin, end - begin, factor, threshold,
                          static_cast<uint32_t>(begin / 4), counter, key);
    });
    return "";
  };
  return build;
}

void cpu::addFastElementwiseKernels(KernelTable &table) {
  table.add("onnx.Exp", makeUnary<&SimdLoops::exp>);
  table.add("onnx.Tanh", makeUnary<&SimdLoops::tanh>);
  table.add("onnx.Erf", makeUnary<&SimdLoops::erf>);
  table.add("onnx.Sigmoid", makeUnary<&SimdLoops::sigmoid>);
  table.add("onnx.Gelu", makeGelu);
  table.add("train.gelu_grad", makeGeluGrad);
  table.add("train.erf_grad", makeErfGrad);
  table.add("onnx.Softmax", makeSoftmax);
  table.add("train.softmax_cross_entropy", makeCrossEntropy);
  table.add("onnx.SoftmaxCrossEntropyLoss", makeCrossEntropy);
  table.add("train.softmax_cross_entropy_grad", makeCrossEntropyGrad);
  table.add("train.dropout", makeDropout);
  table.add("train.dropout_grad", makeDropout);
}
