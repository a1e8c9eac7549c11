//===- TestRun.cpp - A pass that runs a function's kernels ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// --test-run runs a function op by op on the CPU back end, each value in a
// buffer of its own: no plan, no arena. The function's attributes `test.inputs`
// and `test.outputs` name files, with the suffix that the pass's option gives
// for outputs; they hold the bytes of all tensors one after the other. With
// `donate` every result that may take an operand's place does, on a copy of
// that operand; with `fast` the fast kernels run instead of the plain loops.
//
//===----------------------------------------------------------------------===//

#include "TestRules.h"

#include "lowtide/Analysis/KernelCalls.h"
#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Runtime/Backend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

#include <cstring>
#include <fstream>

using namespace mlir;
using namespace lowtide;

namespace {

/// 64-byte aligned bytes, filled with a pattern that is a NaN in any type.
struct Buffer {
  explicit Buffer(int64_t size) : memory(size + 64, std::byte{0xff}) {
    auto address = reinterpret_cast<uintptr_t>(memory.data());
    data = memory.data() + ((64 - address % 64) % 64);
  }
  std::vector<std::byte> memory;
  std::byte *data;
};

struct TestRun : PassWrapper<TestRun, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestRun)

  TestRun() = default;
  TestRun(const TestRun &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-run"; }
  StringRef getDescription() const final { return "run a function's kernels"; }

  Option<std::string> suffix{*this, "suffix"};
  Option<bool> donate{*this, "donate", llvm::cl::init(false)};
  Option<bool> fast{*this, "fast", llvm::cl::init(false)};

  void runOnOperation() override {
    buffers.clear();
    backend = runtime::createCpuBackend({.threads = 1, .reference = !fast});
    Block &body = getOperation().getBody().front();
    std::ifstream in(fileNamed("test.inputs"), std::ios::binary);
    for (Value argument : body.getArguments()) {
      Buffer &buffer = makeBuffer(argument);
      in.read(reinterpret_cast<char *>(buffer.data),
              toTensorDesc(argument.getType()).bytes());
    }
    for (Operation &op : body.without_terminator())
      if (failed(runOp(&op)))
        return signalPassFailure();
    std::ofstream out(fileNamed("test.outputs") + suffix, std::ios::binary);
    for (Value result : body.getTerminator()->getOperands())
      out.write(reinterpret_cast<const char *>(buffers.at(result)->data),
                toTensorDesc(result.getType()).bytes());
  }

private:
  llvm::DenseMap<Value, std::unique_ptr<Buffer>> buffers;
  std::unique_ptr<runtime::Backend> backend;

  std::string fileNamed(StringRef attribute) {
    auto name = getOperation()->getAttrOfType<StringAttr>(attribute);
    return name ? name.getValue().str() : "";
  }

  Buffer &makeBuffer(Value value) {
    auto &slot = buffers[value];
    slot = std::make_unique<Buffer>(toTensorDesc(value.getType()).bytes());
    return *slot;
  }

  LogicalResult runOp(Operation *op) {
    ElementsAttr constant;
    if (op->getNumResults() == 1 && isa<NoneType>(op->getResult(0).getType()))
      return success();
    if (matchPattern(op, m_Constant(&constant))) {
      auto bytes = toConstantData(constant);
      std::memcpy(makeBuffer(op->getResult(0)).data, bytes->data(),
                  bytes->size());
      return success();
    }
    auto kernel = dyn_cast<KernelOpInterface>(op);
    if (kernel && kernel.getViewedOperand()) {
      Value viewed = op->getOperand(*kernel.getViewedOperand());
      std::byte *to = makeBuffer(op->getResult(0)).data;
      std::memcpy(to, buffers.at(viewed)->data,
                  toTensorDesc(viewed.getType()).bytes());
      return success();
    }
    auto call = toKernelCall(op);
    if (failed(call))
      return failure();
    if (std::string why = backend->whyUnsupported(*call); !why.empty())
      return op->emitOpError("has no kernel: ") << why;
    return runKernel(op, *call);
  }

  LogicalResult runKernel(Operation *op, const runtime::KernelCall &call) {
    runtime::KernelNeeds needs = backend->needs(call);
    Buffer workspace(needs.workspaceBytes);
    SmallVector<const void *> operands;
    for (auto [value, operand] : llvm::zip(op->getOperands(), call.operands))
      operands.push_back(operand && !operand->isHost ? buffers.at(value)->data
                                                     : nullptr);
    SmallVector<void *> results;
    for (Value result : op->getResults())
      results.push_back(
          isa<NoneType>(result.getType()) ? nullptr : makeBuffer(result).data);
    if (donate)
      takePlaces(needs, call, operands, results);
    runtime::KernelBuffers given;
    given.operands = {operands.data(), operands.size()};
    given.results = {results.data(), results.size()};
    given.workspace = needs.workspaceBytes ? workspace.data : nullptr;
    std::string why = backend->prepare(call)->run(given);
    return why.empty() ? success() : op->emitOpError("failed: ") << why;
  }

  /// Each result and each operand takes part once.
  static void takePlaces(const runtime::KernelNeeds &needs,
                         const runtime::KernelCall &call,
                         SmallVector<const void *> &operands,
                         ArrayRef<void *> results) {
    llvm::SmallDenseSet<unsigned> usedResults, usedOperands;
    for (const runtime::Donation &donation : needs.donations) {
      if (usedResults.contains(donation.result) ||
          usedOperands.contains(donation.operand) ||
          !results[donation.result] || !operands[donation.operand])
        continue;
      usedResults.insert(donation.result);
      usedOperands.insert(donation.operand);
      std::memcpy(results[donation.result], operands[donation.operand],
                  call.operand(donation.operand).bytes());
      operands[donation.operand] = results[donation.result];
    }
  }
};

} // namespace

void lowtide::test::registerRunPass() { PassRegistration<TestRun>(); }
