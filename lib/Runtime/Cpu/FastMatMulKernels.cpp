//===- FastMatMulKernels.cpp - Matrix products through oneDNN -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Float32 MatMul and Gemm. Transposed factors are strides, so nothing is
// copied. An addend of Gemm that is a row joins as the bias; other addends and
// factors alpha, beta other than 1 take the plain loops. Batches must be
// evenly spaced (or repeated) in both factors.
//
// Tested by test/unit/Runtime/MatMulTest.cpp, against the plain loops.
//
//===----------------------------------------------------------------------===//

#include "DnnlProgram.h"
#include "MatMulShape.h"

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;
using dnnl::memory;

/// The distance between neighbouring matrices when it is always the same.
static bool evenStep(const std::vector<int64_t> &offsets, int64_t &step) {
  step = offsets.size() < 2 ? 0 : offsets[1] - offsets[0];
  for (size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - 1] != step)
      return false;
  return true;
}

static memory::desc matrix(int64_t batch, int64_t step, int64_t rows,
                           int64_t columns, int64_t rowStride,
                           int64_t columnStride) {
  const auto f32 = memory::data_type::f32;
  if (batch == 1)
    return {{rows, columns}, f32, memory::dims{rowStride, columnStride}};
  // A repeated matrix is a batch of one.
  if (step == 0)
    return {{1, rows, columns},
            f32,
            memory::dims{rows * columns, rowStride, columnStride}};
  return {
      {batch, rows, columns}, f32, memory::dims{step, rowStride, columnStride}};
}

static bool isFloat32(const KernelCall &call) {
  for (const auto &operand : call.operands)
    if (operand && operand->desc.type != DataType::Float32)
      return false;
  return true;
}

static KernelBuild makeProduct(const KernelCall &call, const CpuContext &cpu,
                               const MatMulShape &s, bool hasBias) {
  int64_t aStep, bStep;
  if (s.m == 0 || s.n == 0 || s.k == 0 || s.batch == 0 ||
      !evenStep(s.aOffsets, aStep) || !evenStep(s.bOffsets, bStep))
    return refuse("needs evenly spaced batches");
  return buildDnnl(cpu, [&](DnnlBuilder &b) {
    const memory::desc left =
        matrix(s.batch, aStep, s.m, s.k, s.aRow, s.aColumn);
    const memory::desc right =
        matrix(s.batch, bStep, s.k, s.n, s.bRow, s.bColumn);
    const memory::desc to = matrix(s.batch, s.m * s.n, s.m, s.n, s.n, 1);
    DnnlBuilder::Arguments arguments = {{DNNL_ARG_SRC, b.operand(0, left)},
                                        {DNNL_ARG_WEIGHTS, b.operand(1, right)},
                                        {DNNL_ARG_DST, b.result(0, to)}};
    if (!hasBias) {
      b.add(dnnl::matmul::primitive_desc(b.engine(), left, right, to,
                                         b.attributes()),
            arguments);
      return;
    }
    const memory::desc bias = matrix(1, 0, 1, s.n, s.n, 1);
    arguments.push_back({DNNL_ARG_BIAS, b.operand(2, bias)});
    b.add(dnnl::matmul::primitive_desc(b.engine(), left, right, bias, to,
                                       b.attributes()),
          arguments);
  });
}

static KernelBuild makeMatMul(const KernelCall &call, const CpuContext &cpu) {
  MatMulShape s;
  if (std::string why = readMatMul(call, s); !why.empty() || !isFloat32(call))
    return refuse("not float32, or " + why);
  return makeProduct(call, cpu, s, false);
}

static KernelBuild makeGemm(const KernelCall &call, const CpuContext &cpu) {
  MatMulShape s;
  if (std::string why = readGemm(call, s); !why.empty() || !isFloat32(call))
    return refuse("not float32, or " + why);
  const double beta = call.floatAttr("beta", 1.0);
  const bool hasC = call.hasOperand(2) && beta != 0;
  const bool isRow =
      hasC && call.operand(2).numElements() == s.n &&
      (call.operand(2).rank() == 1 || call.operand(2).shape[0] == 1);
  if (call.floatAttr("alpha", 1.0) != 1.0 || (hasC && (beta != 1.0 || !isRow)))
    return refuse("needs the plain loops");
  return makeProduct(call, cpu, s, hasC);
}

void cpu::addFastMatMulKernels(KernelTable &table) {
  table.add("onnx.MatMul", makeMatMul);
  table.add("onnx.Gemm", makeGemm);
}
