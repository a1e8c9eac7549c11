//===- KernelCall.h - One call of a kernel, as data -------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A kernel call is an op seen by a back end: the kernel's name, static operand
// and result descriptions, attributes, and the values of operands that are
// known at plan time. The planner asks a back end what a call needs (workspace,
// which operands it may overwrite); the executor asks the same back end to
// prepare and run the same call. Since both see one description, planned and
// measured memory agree by construction.
//
// The kernel's name is the op's name in the IR ("onnx.Conv",
// "train.relu_grad"), operands, results and attributes are the op's, in order
// and under the same names. An optional operand or result that is not there is
// `std::nullopt`.
//
// Tested by test/unit/Runtime/KernelCallTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RUNTIME_KERNELCALL_H
#define LOWTIDE_RUNTIME_KERNELCALL_H

#include "lowtide/Runtime/Tensor.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lowtide::runtime {

using AttrValue =
    std::variant<int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<double>, std::vector<std::string>>;

/// Bytes of a tensor whose value is known before anything runs.
using ConstantData = std::shared_ptr<const std::vector<std::byte>>;

struct KernelOperand {
  TensorDesc desc;
  /// Set when the value is known at plan time. A kernel that uses the operand
  /// on the host (a shape, axes, pads) reads it here and never through the
  /// device pointer, which is null for such operands (`isHost`).
  ConstantData constant;
  /// The operand is read on the host only, so it takes no device memory.
  bool isHost = false;

  /// The constant as int64 values; for int32 and int64 operands.
  std::vector<int64_t> asInts() const;
};

struct KernelCall {
  std::string kernel;
  std::vector<std::optional<KernelOperand>> operands;
  std::vector<std::optional<TensorDesc>> results;
  std::map<std::string, AttrValue> attributes;

  bool hasOperand(size_t i) const {
    return i < operands.size() && operands[i].has_value();
  }
  bool hasResult(size_t i) const {
    return i < results.size() && results[i].has_value();
  }
  const TensorDesc &operand(size_t i) const { return operands[i]->desc; }
  const TensorDesc &result(size_t i) const { return *results[i]; }

  int64_t intAttr(const std::string &name, int64_t fallback) const;
  double floatAttr(const std::string &name, double fallback) const;
  std::string stringAttr(const std::string &name, std::string fallback) const;
  std::vector<int64_t> intsAttr(const std::string &name,
                                std::vector<int64_t> fallback = {}) const;
};

/// Result `result` may be written over operand `operand`'s bytes when that
/// operand dies at this call. Both have the same number of bytes.
struct Donation {
  unsigned result;
  unsigned operand;
};

/// What a call needs from the memory planner.
struct KernelNeeds {
  int64_t workspaceBytes = 0;
  std::vector<Donation> donations;
  /// Operands that the kernel reads on the host at preparation: their values
  /// must be constants. Others are read through device pointers.
  std::vector<unsigned> hostOperands;
};

} // namespace lowtide::runtime

#endif // LOWTIDE_RUNTIME_KERNELCALL_H
