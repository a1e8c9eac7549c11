//===- CostModel.cpp - Seconds of an op -----------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "lowtide/Analysis/CostModel.h"
#include "lowtide/Interfaces/OpInterfaces.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace lowtide {

static void printAttr(llvm::raw_ostream &os, const runtime::AttrValue &value) {
  std::visit(
      [&](const auto &v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double> ||
                      std::is_same_v<T, std::string>)
          os << v;
        else
          llvm::interleave(v, os, "x");
      },
      value);
}

std::string costKey(const runtime::KernelCall &call) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << call.kernel << '(';
  for (const auto &operand : call.operands)
    os << (operand ? runtime::toString(operand->desc) : "-") << ' ';
  os << "->";
  for (const auto &result : call.results)
    os << ' ' << (result ? runtime::toString(*result) : "-");
  os << ')';
  for (const auto &[name, value] : call.attributes) {
    // Two dropouts that differ in their stream cost the same.
    if (name == "op_id")
      continue;
    os << ' ' << name << '=';
    printAttr(os, value);
  }
  return key;
}

static double bytesMoved(const runtime::KernelCall &call) {
  double bytes = 0;
  for (const auto &operand : call.operands)
    if (operand && !operand->isHost)
      bytes += operand->desc.bytes();
  for (const auto &result : call.results)
    if (result)
      bytes += result->bytes();
  return bytes;
}

int64_t CostModel::getCost(Operation *op,
                           const runtime::KernelCall &call) const {
  constexpr double picoseconds = 1e12;
  auto found = measured.secondsByKey.find(
      measured.secondsByKey.empty() ? std::string() : costKey(call));
  if (found != measured.secondsByKey.end())
    return std::max<int64_t>(1, std::llround(found->second * picoseconds));
  double compute = 0;
  if (auto cost = dyn_cast<CostOpInterface>(op)) {
    double rate = spec.elementwiseFlopsPerSecond;
    if (cost.getComputeKind() == ComputeKind::MatMul)
      rate = spec.matmulFlopsPerSecond;
    else if (cost.getComputeKind() == ComputeKind::Conv)
      rate = spec.convFlopsPerSecond;
    compute = static_cast<double>(cost.getFlops()) / rate;
  }
  double seconds = spec.launchSeconds +
                   std::max(compute, bytesMoved(call) / spec.bytesPerSecond);
  return std::max<int64_t>(1, std::llround(seconds * picoseconds));
}

} // namespace lowtide
