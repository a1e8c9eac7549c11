//===- ApplySchedule.cpp - A schedule becomes op order and clones ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: a schedule lists working ops, some more than once. The function must
// run exactly that, each op reading the newest copy of what it reads.
//
// Idea: move the ops to the end of the block one by one in schedule order; a
// further run is a clone. Beside the newest copy of every value, views are
// followed: a view of a value that was computed again is a view of the new
// copy, made right before its first reader.
//
// Example: schedule a b a c, where b and c read a:
//   %a = a;  %b = b(%a);  %a.1 = a {plan.recompute_of = "a"};  %c = c(%a.1)
//
// Complexity: one visit per instance and operand.
// Tested by test/Transforms/rematerialize.mlir.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Transforms/PlanStep.h"
#include "lowtide/Transforms/Shapes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace lowtide {

static std::optional<unsigned> viewedOperand(Operation *op) {
  auto kernel = dyn_cast_or_null<KernelOpInterface>(op);
  return kernel ? kernel.getViewedOperand() : std::nullopt;
}

namespace {

/// All maps are keyed by the values and ops of the function as it was.
class ScheduleApplier {
public:
  ScheduleApplier(func::FuncOp function, const StepMemory &memory)
      : memory(memory), body(function.getBody().front()),
        terminator(body.getTerminator()) {
    for (Operation &op : body) {
      operandsOf[&op] = SmallVector<Value>(op.getOperands());
      names.insert(getNodeName(&op));
    }
  }

  void apply(const solver::RematSchedule &schedule);

private:
  Value currentOf(Value value);
  Value renewView(Operation *view, Value current);
  Operation *cloneAtEnd(Operation *op);

  const StepMemory &memory;
  Block &body;
  Operation *terminator;
  llvm::DenseMap<Operation *, SmallVector<Value>> operandsOf;
  /// The newest copy of a computed value.
  llvm::DenseMap<Value, Value> newest;
  /// For a view: the copy it was last made of, and that view.
  llvm::DenseMap<Value, std::pair<Value, Value>> renewed;
  llvm::DenseSet<Operation *> placed;
  llvm::StringSet<> names;
};

} // namespace

Operation *ScheduleApplier::cloneAtEnd(Operation *op) {
  OpBuilder builder(terminator);
  Operation *clone = builder.clone(*op);
  StringRef original = getNodeName(op);
  std::string name;
  for (int run = 2; name.empty() || !names.insert(name).second; ++run)
    name = (original + ".run" + Twine(run)).str();
  clone->setLoc(NameLoc::get(builder.getStringAttr(name)));
  clone->removeAttr("onnx.outputs");
  clone->setAttr("plan.recompute_of", builder.getStringAttr(original));
  return clone;
}

/// `view` made of `current`: the op itself the first time, then clones.
Value ScheduleApplier::renewView(Operation *view, Value current) {
  Value original = view->getResult(0);
  auto &[of, value] = renewed[original];
  if (of == current)
    return value;
  Operation *op = view;
  if (placed.insert(view).second)
    view->moveBefore(terminator);
  else
    op = cloneAtEnd(view);
  op->setOperand(*viewedOperand(view), current);
  of = current;
  value = op->getResult(0);
  return value;
}

Value ScheduleApplier::currentOf(Value value) {
  SmallVector<Operation *> views;
  Value root = value;
  while (auto operand = viewedOperand(root.getDefiningOp())) {
    views.push_back(root.getDefiningOp());
    root = operandsOf.find(root.getDefiningOp())->second[*operand];
  }
  auto found = newest.find(root);
  Value current = found == newest.end() ? root : found->second;
  for (Operation *view : llvm::reverse(views))
    current = renewView(view, current);
  return current;
}

void ScheduleApplier::apply(const solver::RematSchedule &schedule) {
  for (int index : schedule) {
    Operation *op = memory.getOps()[index].op;
    SmallVector<Value> operands;
    for (Value operand : operandsOf[op])
      operands.push_back(currentOf(operand));
    Operation *instance = op;
    if (placed.insert(op).second)
      op->moveBefore(terminator);
    else
      instance = cloneAtEnd(op);
    instance->setOperands(operands);
    for (auto [original, result] :
         llvm::zip(op->getResults(), instance->getResults()))
      newest[original] = result;
  }
  SmallVector<Value> results;
  for (Value result : operandsOf[terminator])
    results.push_back(currentOf(result));
  terminator->setOperands(results);
}

void applySchedule(func::FuncOp function, const StepMemory &memory,
                   const solver::RematSchedule &schedule) {
  ScheduleApplier(function, memory).apply(schedule);
  // Views that nobody read a copy of are left in front, and dead.
  eraseDeadOps(function);
}

void removeClones(func::FuncOp function) {
  Block &body = function.getBody().front();
  llvm::StringMap<Operation *> originals;
  for (Operation &op : body.without_terminator())
    if (!op.hasAttr("plan.recompute_of"))
      originals[getNodeName(&op)] = &op;
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    auto of = op.getAttrOfType<StringAttr>("plan.recompute_of");
    auto found = of ? originals.find(of.getValue()) : originals.end();
    if (found == originals.end())
      continue;
    op.replaceAllUsesWith(found->second->getResults());
    op.erase();
  }
}

} // namespace lowtide
