//===- BuildStep.cpp - A training step from a forward graph ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: from a forward graph make the function that one training step runs:
// loss, gradients, updated parameters and state.
//
// Idea: reverse-mode differentiation on SSA values. Walk the forward ops from
// last to first; when an op is reached, the adjoints of its results are
// complete, so its rule can build the adjoints of its operands, which are added
// to what other readers contributed. Only ops between a trained parameter and
// the loss are differentiated. Every update then moves up to the earliest place
// where its gradient is complete and the old parameter has no reader left.
//
// Example: loss = mse(relu(x * w), t) with w trained:
//   forward   h = x * w;  y = relu(h);  loss = mse(y, t)
//   backward  dy = mse_grad(1, y, t);  dh = relu_grad(dy, y);  dw = x' * dh
//   update    w.new = sgd_update(w, dw)
// x has no adjoint, since nothing trained flows through it.
//
// Complexity: one visit per op and one addition per extra use of a value.
// Limits: first derivatives; shapes must be static; ops carried opaquely have
// no rule.
// Reference: Griewank and Walther, "Evaluating Derivatives", 2008, chapter 3.
// Tested by test/Transforms/build-step.mlir and the gradient checks.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Transforms/BuildStep.h"
#include "lowtide/Analysis/StepMemory.h"
#include "lowtide/Interfaces/AdjointDialectInterface.h"
#include "lowtide/Transforms/Shapes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;

namespace lowtide {

namespace {

class StepBuilder final : public StepContext {
public:
  StepBuilder(func::FuncOp function, const StepOptions &options)
      : function(function), options(options), body(function.getBody().front()),
        builder(body.getTerminator()) {}

  LogicalResult run();

  // StepContext.
  TrainingMode getTrainingMode() const override { return options.trainingMode; }
  Value getSeed() override { return getCounter(seed, "seed"); }
  Value getStep() override { return getCounter(step, "step"); }
  int64_t getUniqueOpId() override { return nextOpId++; }
  void updateStatistic(Value statistic, Value updated) override;

private:
  struct Output {
    Value value;
    std::string name;
    std::string updates;
  };

  LogicalResult checkForm();
  LogicalResult applyTrainingForms();
  LogicalResult buildLoss();
  FailureOr<unsigned> findOutput();
  LogicalResult findTrained();
  void findActive();
  LogicalResult checkRules();
  LogicalResult buildBackward();
  LogicalResult differentiate(Operation *op);
  void addAdjoint(Value value, Value contribution);
  LogicalResult buildUpdates();
  void hoistUpdate(Operation *update, Value parameter);
  void finish();

  Value getCounter(Value &counter, StringRef name);
  Value addArgument(StringRef name, Type type, StringRef role);
  StringRef argumentName(Value argument);
  void markPhase(Operation *first, StringRef phase);
  const AdjointDialectInterface *adjoints() {
    return body.front()
        .getContext()
        ->getLoadedDialect("onnx")
        ->getRegisteredInterface<AdjointDialectInterface>();
  }

  func::FuncOp function;
  const StepOptions &options;
  Block &body;
  OpBuilder builder;
  Value seed, step, loss;
  int64_t nextOpId = 0;
  SmallVector<Value> trained;
  llvm::MapVector<Value, Value> statistics;
  SmallVector<Operation *> forwardOps;
  llvm::DenseSet<Value> active, useful;
  llvm::DenseMap<Value, Value> adjointOf;
  SmallVector<Output> outputs;
};

} // namespace

/// What an op that isn't understood returns; it may have to be differentiated.
static bool isUnknownTensor(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && isa<OpaqueType>(tensor.getElementType());
}

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

Value StepBuilder::addArgument(StringRef name, Type type, StringRef role) {
  llvm::StringSet<> taken;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto attr = function.getArgAttrOfType<StringAttr>(i, "onnx.name"))
      taken.insert(attr.getValue());
  std::string unique = name.str();
  for (int suffix = 1; taken.contains(unique); ++suffix)
    unique = (name + "." + Twine(suffix)).str();
  unsigned index = function.getNumArguments();
  NamedAttrList attrs;
  attrs.set("onnx.name", builder.getStringAttr(unique));
  attrs.set("onnx.input", builder.getUnitAttr());
  attrs.set("train.role", builder.getStringAttr(role));
  function.insertArgument(index, type,
                          attrs.getDictionary(builder.getContext()),
                          function.getLoc());
  return function.getArgument(index);
}

Value StepBuilder::getCounter(Value &counter, StringRef name) {
  if (!counter)
    counter = addArgument(name, RankedTensorType::get({}, builder.getI64Type()),
                          name);
  return counter;
}

StringRef StepBuilder::argumentName(Value argument) {
  return function
      .getArgAttrOfType<StringAttr>(
          cast<BlockArgument>(argument).getArgNumber(), "onnx.name")
      .getValue();
}

void StepBuilder::updateStatistic(Value statistic, Value updated) {
  if (!isa<BlockArgument>(statistic))
    return;
  Value &latest = statistics[statistic];
  // Two layers that share a statistic update it one after the other.
  if (latest && updated)
    updated.getDefiningOp()->replaceUsesOfWith(statistic, latest);
  if (updated)
    latest = updated;
}

/// Sets the phase of `first` and all ops behind it.
void StepBuilder::markPhase(Operation *first, StringRef phase) {
  auto attr = builder.getStringAttr(phase);
  for (Operation *op = first; op && op != body.getTerminator();
       op = op->getNextNode())
    op->setAttr("train.phase", attr);
}

LogicalResult StepBuilder::checkForm() {
  if (function->hasAttr("train.step"))
    return function.emitError("the model is a training step already");
  SmallVector<std::string> unbound = getUnboundDimensions(function);
  if (unbound.empty())
    return success();
  return function.emitError()
         << "a training step needs every dimension bound; unbound: "
         << llvm::join(unbound, ", ") << " (--dim NAME=VALUE)";
}

/// Gives the first new op the names that the replaced op's values had.
static void keepNames(Operation *from, ArrayRef<Value> results) {
  auto names = from->getAttrOfType<ArrayAttr>("onnx.outputs");
  Operation *main = results.front() ? results.front().getDefiningOp() : nullptr;
  if (!main)
    return;
  if (names && !names.empty()) {
    SmallVector<Attribute> kept(main->getNumResults(),
                                StringAttr::get(from->getContext(), ""));
    kept[0] = names[0];
    main->setAttr("onnx.outputs", ArrayAttr::get(from->getContext(), kept));
  }
  if (Attribute metadata = from->getAttr("onnx.metadata"))
    main->setAttr("onnx.metadata", metadata);
}

LogicalResult StepBuilder::applyTrainingForms() {
  bool failed = false;
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    auto form = dyn_cast<TrainingFormOpInterface>(op);
    if (!form)
      continue;
    OpBuilder atOp(&op);
    auto results = form.buildTrainingForm(atOp, *this);
    failed |= mlir::failed(results);
    if (mlir::failed(results) || results->empty())
      continue;
    keepNames(&op, *results);
    for (auto [result, value] : llvm::zip(op.getResults(), *results))
      if (value)
        result.replaceAllUsesWith(value);
    op.erase();
  }
  return failure(failed);
}

FailureOr<unsigned> StepBuilder::findOutput() {
  Operation *terminator = body.getTerminator();
  std::string names;
  SmallVector<unsigned> candidates;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto name = function.getResultAttrOfType<StringAttr>(i, "onnx.name");
    std::string shown = name ? name.str() : getValueName(value);
    names += (names.empty() ? "" : ", ") + shown;
    if (options.output.empty() ? isFloatTensor(value.getType())
                               : shown == options.output)
      candidates.push_back(i);
  }
  if (candidates.size() == 1)
    return candidates.front();
  if (!options.output.empty())
    return function.emitError() << "the model has no output '" << options.output
                                << "'; its outputs are: " << names;
  if (candidates.empty())
    return function.emitError() << "the model has no floating-point output";
  return function.emitError()
         << "the model has several outputs (" << names
         << "); choose the one that the loss reads with --output NAME";
}

LogicalResult StepBuilder::buildLoss() {
  auto index = findOutput();
  if (failed(index))
    return failure();
  Value output = body.getTerminator()->getOperand(*index);
  auto type = dyn_cast<RankedTensorType>(output.getType());
  if (!type || !type.hasStaticShape() || !isFloatTensor(type))
    return function.emitError()
           << "output '" << getValueName(output) << "' has type "
           << output.getType() << "; a loss needs a static floating tensor";
  auto loc = NameLoc::get(builder.getStringAttr("loss"));
  switch (options.loss) {
  case StepOptions::Loss::Output:
    if (type.getNumElements() != 1)
      return function.emitError()
             << "output '" << getValueName(output) << "' has type " << type
             << "; only an output with one element can be the loss itself "
                "(use --loss cross-entropy or --loss mse)";
    loss = output;
    return success();
  case StepOptions::Loss::MeanSquaredError: {
    Value target = addArgument("target", type, "target");
    loss = buildMeanSquaredError(builder, loc, output, target);
    return success();
  }
  case StepOptions::Loss::CrossEntropy:
    auto labels = getCrossEntropyTargetType(type, options.classAxis);
    if (!labels)
      return function.emitError()
             << "class axis " << options.classAxis
             << " is out of range for output '" << getValueName(output)
             << "' of type " << type << " (--class-axis)";
    Value target = addArgument("target", labels, "target");
    loss = buildCrossEntropy(builder, loc, output, target, options.classAxis);
    return success();
  }
  return failure();
}

LogicalResult StepBuilder::findTrained() {
  std::vector<llvm::GlobPattern> patterns;
  for (const std::string &text : options.wrt) {
    auto pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return function.emitError()
             << "--wrt '" << text
             << "': " << llvm::toString(pattern.takeError());
    patterns.push_back(std::move(*pattern));
  }
  std::vector<bool> matched(patterns.size(), false);
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    bool initializer =
        function.getArgAttr(index, "onnx.initializer") != nullptr;
    bool statistic = statistics.count(argument);
    bool wanted = initializer && !statistic &&
                  isFloatTensor(argument.getType()) &&
                  !function.getArgAttr(index, "onnx.constant_node");
    if (!patterns.empty()) {
      bool named = false;
      for (auto [pattern, seen] : llvm::zip(patterns, matched))
        if (pattern.match(argumentName(argument)))
          seen = named = true;
      wanted = named && initializer && isFloatTensor(argument.getType());
    }
    if (wanted)
      trained.push_back(argument);
    StringRef role = wanted        ? "parameter"
                     : statistic   ? "statistic"
                     : initializer ? "constant"
                                   : "input";
    if (!function.getArgAttr(index, "train.role"))
      function.setArgAttr(index, "train.role", builder.getStringAttr(role));
  }
  for (auto [text, seen] : llvm::zip(options.wrt, matched))
    if (!seen)
      return function.emitError()
             << "--wrt '" << text << "' matches no initializer";
  return success();
}

void StepBuilder::findActive() {
  active.insert(trained.begin(), trained.end());
  for (Operation *op : forwardOps)
    if (llvm::any_of(op->getOperands(),
                     [&](Value v) { return active.contains(v); }))
      for (Value result : op->getResults())
        if (isFloatTensor(result.getType()) ||
            isUnknownTensor(result.getType()))
          active.insert(result);
  useful.insert(loss);
  for (Operation *op : llvm::reverse(forwardOps))
    if (llvm::any_of(op->getResults(),
                     [&](Value v) { return useful.contains(v); }))
      useful.insert(op->operand_begin(), op->operand_end());
}

/// All ops on a path from a trained parameter to the loss must have a rule; all
/// that don't are reported.
LogicalResult StepBuilder::checkRules() {
  bool failed = false;
  for (Operation *op : forwardOps) {
    bool onPath = llvm::any_of(op->getResults(), [&](Value v) {
      return active.contains(v) && useful.contains(v);
    });
    if (!onPath || isa<GradientOpInterface>(op))
      continue;
    failed = true;
    InFlightDiagnostic diagnostic = op->emitOpError();
    if (auto type = op->getAttrOfType<StringAttr>("op_type"))
      diagnostic << type.getValue() << " ";
    diagnostic << "has no gradient and lies between a trained parameter and "
                  "the loss";
  }
  return failure(failed);
}

void StepBuilder::addAdjoint(Value value, Value contribution) {
  Value &adjoint = adjointOf[value];
  if (!adjoint) {
    adjoint = contribution;
    return;
  }
  adjoint = adjoints()->addAdjoints(builder, contribution.getLoc(), adjoint,
                                    contribution);
}

LogicalResult StepBuilder::differentiate(Operation *op) {
  SmallVector<Value> resultAdjoints;
  for (Value result : op->getResults())
    resultAdjoints.push_back(adjointOf.lookup(result));
  if (llvm::none_of(resultAdjoints, [](Value v) { return bool(v); }))
    return success();
  SmallVector<bool> wanted;
  for (Value operand : op->getOperands())
    wanted.push_back(active.contains(operand));
  if (llvm::none_of(wanted, [](bool b) { return b; }))
    return success();
  SmallVector<Value> operandAdjoints(op->getNumOperands());
  if (failed(cast<GradientOpInterface>(op).buildGradient(
          builder, resultAdjoints, wanted, operandAdjoints)))
    return failure();
  for (auto [operand, adjoint] :
       llvm::zip(op->getOperands(), operandAdjoints)) {
    if (!adjoint || !active.contains(operand))
      continue;
    assert(adjoint.getType() == operand.getType() &&
           "an adjoint has the type of its value");
    addAdjoint(operand, adjoint);
  }
  return success();
}

LogicalResult StepBuilder::buildBackward() {
  Operation *lastForward = body.getTerminator()->getPrevNode();
  auto type = cast<RankedTensorType>(loss.getType());
  adjointOf[loss] = adjoints()->makeSeed(
      builder, NameLoc::get(builder.getStringAttr("loss.seed")), type);
  bool failed = false;
  for (Operation *op : llvm::reverse(forwardOps))
    if (mlir::failed(differentiate(op)))
      failed = true;
  if (failed)
    return failure();
  markPhase(lastForward ? lastForward->getNextNode() : &body.front(),
            "backward");
  std::string unreached;
  size_t reached = 0;
  for (Value parameter : trained)
    if (adjointOf.lookup(parameter))
      ++reached;
    else
      unreached +=
          (unreached.empty() ? "" : ", ") + argumentName(parameter).str();
  if (reached == 0)
    return function.emitError(
        "nothing to differentiate: no trained parameter reaches the loss");
  if (!unreached.empty())
    function.emitWarning() << "no gradient, since the loss doesn't depend on "
                              "them: "
                           << unreached;
  return success();
}

/// Ops that read `value` or a view of it.
static void collectReaders(Value value, SmallVectorImpl<Operation *> &readers) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      readers.push_back(user);
      auto kernel = dyn_cast<KernelOpInterface>(user);
      if (kernel && kernel.getViewedOperand())
        worklist.push_back(user->getResult(0));
    }
}

void StepBuilder::hoistUpdate(Operation *update, Value parameter) {
  SmallVector<Operation *> before;
  collectReaders(parameter, before);
  for (Value operand : update->getOperands())
    if (Operation *definer = operand.getDefiningOp())
      before.push_back(definer);
  Operation *latest = nullptr;
  for (Operation *op : before)
    if (op != update && op != body.getTerminator() &&
        (!latest || latest->isBeforeInBlock(op)))
      latest = op;
  if (latest)
    update->moveAfter(latest);
}

LogicalResult StepBuilder::buildUpdates() {
  SmallVector<Output> states;
  for (Value parameter : trained) {
    Value gradient = adjointOf.lookup(parameter);
    if (!gradient)
      continue;
    std::string name = argumentName(parameter).str();
    if (options.optimizer.kind == OptimizerSpec::Kind::None) {
      outputs.push_back({gradient, name + ".grad", ""});
      continue;
    }
    SmallVector<Value> old;
    for (StringRef suffix : options.optimizer.getStateNames())
      old.push_back(
          addArgument(name + "." + suffix.str(), parameter.getType(), "state"));
    Value counter = options.optimizer.needsStepCounter() ? getStep() : Value();
    auto loc = NameLoc::get(builder.getStringAttr(name + ".update"));
    SmallVector<Value> updated = buildUpdate(builder, loc, options.optimizer,
                                             parameter, gradient, old, counter);
    outputs.push_back({updated[0], name + ".new", name});
    for (auto [state, value] : llvm::zip(old, ArrayRef(updated).drop_front()))
      states.push_back({value, argumentName(state).str() + ".new",
                        argumentName(state).str()});
    Operation *update = updated[0].getDefiningOp();
    update->setAttr("train.phase", builder.getStringAttr("update"));
    hoistUpdate(update, parameter);
  }
  llvm::append_range(outputs, states);
  for (auto [statistic, updated] : statistics)
    if (updated) {
      std::string name = argumentName(statistic).str();
      updated.getDefiningOp()->setAttr("train.phase",
                                       builder.getStringAttr("update"));
      outputs.push_back({updated, name + ".new", name});
    }
  return success();
}

/// Gives every op a name of its own, since plans and files speak of ops by
/// name.
static void makeNamesUnique(Block &body) {
  llvm::StringSet<> taken;
  llvm::StringMap<int> next;
  for (Operation &op : body.without_terminator()) {
    std::string base = getNodeName(&op).str();
    if (base.empty())
      base = op.getName().stripDialect().str();
    std::string name = base;
    while (!taken.insert(name).second)
      name = base + "." + std::to_string(++next[base]);
    op.setLoc(NameLoc::get(StringAttr::get(op.getContext(), name)));
  }
}

void StepBuilder::finish() {
  Operation *terminator = body.getTerminator();
  SmallVector<Value> values;
  SmallVector<Attribute> attrs;
  for (const Output &output : outputs) {
    values.push_back(output.value);
    NamedAttrList list;
    list.set("onnx.name", builder.getStringAttr(output.name));
    if (!output.updates.empty())
      list.set("train.updates", builder.getStringAttr(output.updates));
    attrs.push_back(list.getDictionary(builder.getContext()));
  }
  terminator->setOperands(values);
  function.setType(FunctionType::get(builder.getContext(),
                                     body.getArgumentTypes(),
                                     terminator->getOperandTypes()));
  function.setResAttrsAttr(builder.getArrayAttr(attrs));
  function->setAttr("train.step", builder.getUnitAttr());
  eraseDeadOps(function);
  dropUnreadResults(function);
  makeNamesUnique(body);
}

LogicalResult StepBuilder::run() {
  if (failed(checkForm()) || failed(applyTrainingForms()) ||
      failed(buildLoss()) || failed(findTrained()))
    return failure();
  if (trained.empty())
    return function.emitError("nothing to differentiate: the model has no "
                              "floating-point initializer with dimensions to "
                              "train (--wrt names scalars and constants)");
  markPhase(&body.front(), "forward");
  for (Operation &op : body.without_terminator())
    forwardOps.push_back(&op);
  findActive();
  if (failed(checkRules()))
    return failure();
  outputs.push_back({loss, "loss", ""});
  if (failed(buildBackward()) || failed(buildUpdates()))
    return failure();
  finish();
  return success();
}

LogicalResult buildStep(func::FuncOp function, const StepOptions &options) {
  return StepBuilder(function, options).run();
}

} // namespace lowtide
