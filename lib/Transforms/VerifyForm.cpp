//===- VerifyForm.cpp - The forms as checks -------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Transforms/VerifyForm.h"

#include "lowtide/Analysis/KernelCalls.h"
#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Transforms/PlanStep.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace lowtide {

/// Every value has a static shape, and what kernels read on the host is known.
static LogicalResult verifyStatic(func::FuncOp function) {
  bool failed = false;
  for (BlockArgument argument : function.getArguments())
    if (!isStaticTensor(argument.getType())) {
      failed = true;
      function.emitError() << "input '" << getValueName(argument)
                           << "' has type " << argument.getType()
                           << ", which isn't static";
    }
  for (Operation &op : function.getBody().front().without_terminator()) {
    for (Type type : op.getResultTypes())
      if (!isa<NoneType>(type) && !isStaticTensor(type)) {
        failed = true;
        op.emitOpError() << "has a result of type " << type
                         << ", which isn't static";
      }
    auto kernel = dyn_cast<KernelOpInterface>(op);
    for (OpOperand &operand : op.getOpOperands())
      if (kernel && kernel.isHostOperand(operand.getOperandNumber()) &&
          !matchPattern(operand.get(), m_Constant())) {
        failed = true;
        op.emitOpError() << "needs a constant as operand "
                         << operand.getOperandNumber();
      }
  }
  return failure(failed);
}

/// Every op has a name of its own; plans and files speak of ops by name.
static LogicalResult verifyNames(func::FuncOp function) {
  llvm::StringSet<> taken;
  bool failed = false;
  for (Operation &op : function.getBody().front().without_terminator()) {
    StringRef name = getNodeName(&op);
    if (!name.empty() && taken.insert(name).second)
      continue;
    failed = true;
    op.emitOpError() << (name.empty() ? "has no name"
                                      : "has the name of another op: ")
                     << name;
  }
  return failure(failed);
}

/// The last op that reads `value` or a view of it, `except` left out.
static Operation *lastReader(Value value, Operation *except) {
  Operation *last = nullptr;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      auto kernel = dyn_cast<KernelOpInterface>(user);
      if (kernel && kernel.getViewedOperand())
        worklist.push_back(user->getResult(0));
      else if (user != except && !user->hasTrait<OpTrait::IsTerminator>() &&
               (!last || last->isBeforeInBlock(user)))
        last = user;
    }
  return last;
}

/// Results that replace arguments: of their type, and after all their readers.
static LogicalResult verifyUpdates(func::FuncOp function) {
  llvm::StringMap<BlockArgument> arguments;
  for (BlockArgument argument : function.getArguments())
    arguments[getValueName(argument)] = argument;
  Operation *terminator = function.getBody().front().getTerminator();
  bool failed = false;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto updates = function.getResultAttrOfType<StringAttr>(i, "train.updates");
    if (!updates)
      continue;
    auto argument = arguments.lookup(updates.getValue());
    Operation *update = value.getDefiningOp();
    if (!argument || argument.getType() != value.getType() || !update) {
      failed = true;
      function.emitError() << "result " << i << " replaces '"
                           << updates.getValue()
                           << "', which is no argument of its type";
      continue;
    }
    Operation *reader = lastReader(argument, update);
    if (reader && update->isBeforeInBlock(reader)) {
      failed = true;
      reader->emitOpError()
          << "reads '" << updates.getValue() << "' after it was replaced";
    }
  }
  return failure(failed);
}

static LogicalResult verifyStep(func::FuncOp function) {
  if (!function->hasAttr("train.step"))
    return function.emitError("is no training step");
  for (BlockArgument argument : function.getArguments())
    if (!function.getArgAttr(argument.getArgNumber(), "train.role"))
      return function.emitError()
             << "input '" << getValueName(argument) << "' has no role";
  auto loss = function.getNumResults() == 0
                  ? StringAttr()
                  : function.getResultAttrOfType<StringAttr>(0, "onnx.name");
  if (!loss || loss.getValue() != "loss")
    return function.emitError("has a first result that isn't named 'loss'");
  bool failed = mlir::failed(verifyNames(function));
  failed |= mlir::failed(verifyUpdates(function));
  return failure(failed);
}

/// Clones run an earlier op again that may run again.
static LogicalResult verifyClones(func::FuncOp function) {
  llvm::StringMap<Operation *> originals;
  bool failed = false;
  for (Operation &op : function.getBody().front().without_terminator()) {
    auto of = op.getAttrOfType<StringAttr>("plan.recompute_of");
    if (!of) {
      originals[getNodeName(&op)] = &op;
      continue;
    }
    Operation *original = originals.lookup(of.getValue());
    auto remat = dyn_cast<RematOpInterface>(op);
    StringRef reason;
    if (!original)
      reason = ", which doesn't come before it";
    else if (original->getName() != op.getName() ||
             original->getResultTypes() != op.getResultTypes())
      reason = ", which is another op";
    else if (!remat || !remat.isRematerializable())
      reason = ", which may run only once";
    if (reason.empty())
      continue;
    failed = true;
    op.emitOpError() << "runs '" << of.getValue() << "' again" << reason;
  }
  return failure(failed);
}

LogicalResult verifyForm(func::FuncOp function, Form form,
                         const CostModel &costs,
                         const runtime::Backend &backend) {
  if (failed(verifyStatic(function)))
    return failure();
  if (form == Form::F1) {
    if (function->hasAttr("train.step"))
      return function.emitError("is a training step, not a forward graph");
    return success();
  }
  if (failed(verifyStep(function)))
    return failure();
  if (form == Form::F2)
    return success();
  if (form == Form::F3 && !function->hasAttr("plan.order"))
    return function.emitError("has no order ('plan.order')");
  if (failed(verifyClones(function)))
    return failure();
  if (form == Form::F3)
    return success();
  auto memory = StepMemory::analyze(function, costs, backend);
  if (failed(memory))
    return failure();
  return verifyPlaces(function, *memory);
}

} // namespace lowtide
