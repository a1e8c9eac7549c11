//===- FoldConstants.cpp - Runs kernels at compile time -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: exported graphs compute shapes, masks and positions with ops; once
// dimensions are bound their values are known, and other ops need them to know
// their own shapes.
// Idea: the reference kernels are the meaning of every op, so folding runs them
// on the constants. There is no second evaluator that could disagree.
// Limits: a result larger than 64 KiB is left to be computed in the step, so
// that a file can't make folding allocate.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Analysis/KernelCalls.h"
#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Runtime/Backend.h"
#include "lowtide/Transforms/Shapes.h"

#include "mlir/IR/Matchers.h"

#include "llvm/Support/Casting.h"

using namespace mlir;

namespace lowtide {

static constexpr int64_t largestFoldedBytes = 64 * 1024;

/// Every operand is constant or absent, and all data is small.
static bool isFoldable(Operation *op) {
  auto remat = dyn_cast<RematOpInterface>(op);
  if (!remat || !remat.isRematerializable() ||
      op->hasTrait<OpTrait::ConstantLike>() || op->getNumResults() == 0)
    return false;
  for (Value operand : op->getOperands())
    if (!isa<NoneType>(operand.getType()) &&
        !matchPattern(operand, m_Constant()))
      return false;
  return llvm::all_of(op->getResultTypes(), [](Type type) {
    return isa<NoneType>(type) ||
           (isStaticTensor(type) &&
            toTensorDesc(type).bytes() <= largestFoldedBytes);
  });
}

using ResultBytes = SmallVector<std::vector<std::byte>>;

/// Runs the op's reference kernel; nothing when it refuses.
static std::optional<ResultBytes> evaluate(const runtime::KernelCall &call) {
  static thread_local std::unique_ptr<runtime::Backend> backend =
      runtime::createCpuBackend({.threads = 1, .reference = true});
  if (!backend->whyUnsupported(call).empty())
    return std::nullopt;
  auto kernel = backend->prepare(call);
  std::vector<std::byte> workspace(backend->needs(call).workspaceBytes + 64);
  SmallVector<const void *> operands;
  for (const auto &operand : call.operands)
    operands.push_back(operand && operand->constant ? operand->constant->data()
                                                    : nullptr);
  ResultBytes bytes;
  SmallVector<void *> results;
  for (const auto &result : call.results)
    bytes.emplace_back(result ? result->bytes() : 0);
  for (auto &data : bytes)
    results.push_back(data.data());
  runtime::KernelBuffers buffers;
  buffers.operands = {operands.data(), operands.size()};
  buffers.results = {results.data(), results.size()};
  auto aligned = reinterpret_cast<uintptr_t>(workspace.data());
  buffers.workspace = reinterpret_cast<void *>((aligned + 63) & ~uintptr_t(63));
  if (!kernel->run(buffers).empty())
    return std::nullopt;
  return bytes;
}

SmallVector<Value> foldToConstants(Operation *op, OpBuilder &builder) {
  Dialect *dialect = op->getDialect();
  auto materialize = [&](Attribute value, Type type) -> Value {
    Operation *constant =
        dialect->materializeConstant(builder, value, type, op->getLoc());
    return constant ? constant->getResult(0) : Value();
  };
  // Some ops need no data, only types.
  SmallVector<OpFoldResult> folded;
  if (!op->hasTrait<OpTrait::ConstantLike>() && dialect &&
      succeeded(op->fold(folded)) && folded.size() == op->getNumResults()) {
    SmallVector<Value> values;
    for (auto [result, type] : llvm::zip(folded, op->getResultTypes()))
      values.push_back(isa<Attribute>(result)
                           ? materialize(cast<Attribute>(result), type)
                           : cast<Value>(result));
    return values;
  }
  if (!isFoldable(op))
    return {};
  auto call = toKernelCall(op);
  if (failed(call))
    return {};
  auto bytes = evaluate(*call);
  if (!bytes)
    return {};
  SmallVector<Value> values;
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    if (isa<NoneType>(type)) {
      values.push_back(materialize(builder.getUnitAttr(), type));
      continue;
    }
    values.push_back(materialize(
        toElementsAttr(*call->results[i], (*bytes)[i], op->getContext()),
        type));
  }
  return values;
}

} // namespace lowtide
