//===- MatMulShape.cpp - Sizes and strides of a matrix product ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "MatMulShape.h"
#include "StridedLoop.h"

#include <algorithm>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

/// Offsets of the operand's matrices, in the order of the result's batch.
static std::vector<int64_t> matrixOffsets(const std::vector<int64_t> &lead,
                                          const std::vector<int64_t> &batch,
                                          int64_t matrixSize) {
  std::vector<int64_t> strides = broadcastStrides(lead, batch);
  for (int64_t &stride : strides)
    stride *= matrixSize;
  std::vector<int64_t> offsets;
  const StridedLoop<1> loop(batch, {strides});
  loop.walk(0, loop.numElements(),
            [&](int64_t, const auto &from, int64_t count) {
              for (int64_t i = 0; i < count; ++i)
                offsets.push_back(from[0] + i * loop.rowStride(0));
            });
  return offsets;
}

std::string cpu::readMatMul(const KernelCall &call, MatMulShape &s) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return why;
  std::vector<int64_t> a = call.operand(0).shape, b = call.operand(1).shape;
  if (a.empty() || b.empty())
    return "scalars have no product";
  // A vector is a row on the left and a column on the right.
  if (a.size() == 1)
    a.insert(a.begin(), 1);
  if (b.size() == 1)
    b.push_back(1);
  s.m = a[a.size() - 2];
  s.k = a.back();
  s.n = b.back();
  if (b[b.size() - 2] != s.k)
    return "the inner dimensions differ: " + std::to_string(s.k) + " and " +
           std::to_string(b[b.size() - 2]);
  const std::vector<int64_t> aLead(a.begin(), a.end() - 2);
  const std::vector<int64_t> bLead(b.begin(), b.end() - 2);
  std::vector<int64_t> batch(std::max(aLead.size(), bLead.size()), 1);
  for (size_t i = 0; i < batch.size(); ++i) {
    auto dim = [&](const std::vector<int64_t> &lead) {
      const size_t skip = batch.size() - lead.size();
      return i < skip ? int64_t(1) : lead[i - skip];
    };
    batch[i] = dim(aLead) == 1 ? dim(bLead) : dim(aLead);
    if (dim(bLead) != 1 && dim(bLead) != batch[i])
      return "the batch dimensions don't broadcast";
  }
  s.batch = productOf(batch, 0, static_cast<int64_t>(batch.size()));
  s.aRow = s.k;
  s.bRow = s.n;
  s.aOffsets = matrixOffsets(aLead, batch, s.m * s.k);
  s.bOffsets = matrixOffsets(bLead, batch, s.k * s.n);
  if (call.result(0).numElements() != s.batch * s.m * s.n)
    return "the result's shape doesn't fit";
  const bool sharesB = std::all_of(s.bOffsets.begin(), s.bOffsets.end(),
                                   [](int64_t o) { return o == 0; });
  if (sharesB && s.batch > 1 && aLead.size() == batch.size() &&
      aLead == batch) {
    s.m *= s.batch;
    s.batch = 1;
    s.aOffsets = s.bOffsets = {0};
  }
  return "";
}

std::string cpu::readGemm(const KernelCall &call, MatMulShape &s) {
  if (std::string why = checkArity(call, 2); !why.empty())
    return why;
  const std::vector<int64_t> &a = call.operand(0).shape;
  const std::vector<int64_t> &b = call.operand(1).shape;
  if (a.size() != 2 || b.size() != 2)
    return "both factors must be matrices";
  const bool transA = call.intAttr("transA", 0) != 0;
  const bool transB = call.intAttr("transB", 0) != 0;
  s.m = transA ? a[1] : a[0];
  s.k = transA ? a[0] : a[1];
  s.n = transB ? b[0] : b[1];
  if ((transB ? b[1] : b[0]) != s.k)
    return "the inner dimensions differ";
  s.aRow = transA ? 1 : s.k;
  s.aColumn = transA ? s.m : 1;
  s.bRow = transB ? 1 : s.n;
  s.bColumn = transB ? s.k : 1;
  s.aOffsets = s.bOffsets = {0};
  if (call.result(0).shape != std::vector<int64_t>{s.m, s.n})
    return "the result's shape doesn't fit";
  if (call.hasOperand(2) &&
      !broadcastsTo(call.operand(2).shape, call.result(0).shape))
    return "the addend doesn't broadcast to the result";
  return "";
}
