//===- TestRules.cpp - Passes that show rules and bodies ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// --test-gradients turns a function into its adjoint: it takes the arguments
// and one adjoint for each floating-point result, and returns one adjoint for
// each floating-point argument. Nothing is renamed, moved or updated, so what a
// test sees is what the rules built.
//
// --test-bodies replaces every op that has a body by its body.
//
// --test-costs writes the operations of each op on it, as `test.flops` and
// `test.kind`.
//
//===----------------------------------------------------------------------===//

#include "TestRules.h"

#include "lowtide/Dialect/Onnx/IR/Onnx.h"
#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Interfaces/AdjointDialectInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace lowtide;

namespace {

struct TestGradients : PassWrapper<TestGradients, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestGradients)

  StringRef getArgument() const final { return "test-gradients"; }
  StringRef getDescription() const final {
    return "turn functions into their adjoints";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnx::OnnxDialect, train::TrainDialect>();
  }

  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    auto *dialect = getContext().getLoadedDialect<onnx::OnnxDialect>();
    adjoints = dialect->getRegisteredInterface<AdjointDialectInterface>();
    arguments.assign(body.args_begin(), body.args_end());
    adjointOf.clear();
    findActive(body);
    Operation *terminator = body.getTerminator();
    for (Value result : terminator->getOperands())
      if (adjoints->hasAdjoint(result.getType()))
        addTo(result, body.addArgument(result.getType(), result.getLoc()));
    SmallVector<Operation *> forward;
    for (Operation &op : body.without_terminator())
      forward.push_back(&op);
    for (Operation *op : llvm::reverse(forward))
      if (failed(differentiate(op)))
        return signalPassFailure();
    finish(terminator);
  }

private:
  const AdjointDialectInterface *adjoints = nullptr;
  SmallVector<Value> arguments;
  DenseMap<Value, Value> adjointOf;
  DenseSet<Value> active;

  void findActive(Block &body) {
    active.clear();
    for (Value argument : arguments)
      if (adjoints->hasAdjoint(argument.getType()))
        active.insert(argument);
    for (Operation &op : body.without_terminator())
      if (llvm::any_of(op.getOperands(),
                       [&](Value v) { return active.contains(v); }))
        for (Value result : op.getResults())
          if (adjoints->hasAdjoint(result.getType()))
            active.insert(result);
  }

  void addTo(Value value, Value adjoint) {
    Value &sum = adjointOf[value];
    OpBuilder builder(value.getContext());
    builder.setInsertionPoint(getOperation().getBody().front().getTerminator());
    sum = sum ? adjoints->addAdjoints(builder, value.getLoc(), sum, adjoint)
              : adjoint;
  }

  LogicalResult differentiate(Operation *op) {
    SmallVector<Value> given, made(op->getNumOperands());
    for (Value result : op->getResults())
      given.push_back(adjointOf.lookup(result));
    SmallVector<bool> wanted;
    for (Value operand : op->getOperands())
      wanted.push_back(active.contains(operand));
    if (llvm::none_of(given, [](Value v) { return bool(v); }) ||
        !llvm::is_contained(wanted, true))
      return success();
    auto gradient = dyn_cast<GradientOpInterface>(op);
    if (!gradient)
      return op->emitOpError("has no gradient rule");
    OpBuilder builder(op->getContext());
    builder.setInsertionPoint(op->getBlock()->getTerminator());
    if (failed(gradient.buildGradient(builder, given, wanted, made)))
      return failure();
    for (auto [operand, adjoint] : llvm::zip(op->getOperands(), made))
      if (adjoint && active.contains(operand))
        addTo(operand, adjoint);
    return success();
  }

  void finish(Operation *terminator) {
    OpBuilder builder(terminator);
    SmallVector<Value> results;
    for (Value argument : arguments) {
      if (!adjoints->hasAdjoint(argument.getType()))
        continue;
      Value adjoint = adjointOf.lookup(argument);
      if (!adjoint)
        adjoint =
            adjoints->makeZero(builder, argument.getLoc(),
                               cast<RankedTensorType>(argument.getType()));
      results.push_back(adjoint);
    }
    terminator->setOperands(results);
    func::FuncOp function = getOperation();
    function.setType(FunctionType::get(
        &getContext(), function.getBody().front().getArgumentTypes(),
        terminator->getOperandTypes()));
  }
};

struct TestBodies : PassWrapper<TestBodies, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestBodies)

  StringRef getArgument() const final { return "test-bodies"; }
  StringRef getDescription() const final {
    return "replace ops by their bodies";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnx::OnnxDialect>();
  }

  void runOnOperation() override {
    SmallVector<BodyOpInterface> ops;
    getOperation().walk([&](BodyOpInterface op) { ops.push_back(op); });
    for (BodyOpInterface op : ops) {
      OpBuilder builder(op);
      SmallVector<Value> values = op.buildBody(builder, op->getOperands());
      if (ValueRange(values).getTypes() != op->getResultTypes()) {
        op->emitOpError("has a body with other result types");
        return signalPassFailure();
      }
      op->replaceAllUsesWith(values);
      op->erase();
    }
  }
};

struct TestCosts : PassWrapper<TestCosts, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestCosts)

  StringRef getArgument() const final { return "test-costs"; }
  StringRef getDescription() const final { return "show the cost of each op"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnx::OnnxDialect, train::TrainDialect>();
  }

  void runOnOperation() override {
    static constexpr StringLiteral kinds[] = {"elementwise", "matmul", "conv"};
    getOperation().walk([&](CostOpInterface op) {
      Builder builder(op->getContext());
      op->setAttr("test.flops", builder.getI64IntegerAttr(op.getFlops()));
      op->setAttr(
          "test.kind",
          builder.getStringAttr(kinds[static_cast<int>(op.getComputeKind())]));
    });
  }
};

} // namespace

void lowtide::test::registerRulePasses() {
  PassRegistration<TestGradients>();
  PassRegistration<TestBodies>();
  PassRegistration<TestCosts>();
}
