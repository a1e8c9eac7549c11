//===- BuildExecPlan.cpp - A planned step as flat data --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every value that takes device memory becomes a buffer at its place: views
// point to the buffer of their base. Ops become steps in function order,
// arguments and results become ports.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Codegen/BuildExecPlan.h"
#include "lowtide/Analysis/KernelCalls.h"
#include "lowtide/Dialect/Plan/IR/Plan.h"
#include "lowtide/Interfaces/OpInterfaces.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace lowtide {

namespace {

class ExecPlanBuilder {
public:
  ExecPlanBuilder(func::FuncOp function, const StepMemory &memory)
      : function(function), memory(memory) {}

  FailureOr<runtime::ExecPlan> build(const DeviceSpec &device);

private:
  LogicalResult addBuffer(Value value, plan::PlaceAttr place);
  LogicalResult addOp(Operation &op);
  LogicalResult addViewStep(Operation &op);
  void addStep(const StepOp &stepOp);
  void addPorts();
  runtime::BufferId bufferOf(Value value) const {
    auto found = buffers.find(value);
    return found == buffers.end() ? runtime::noBuffer : found->second;
  }

  func::FuncOp function;
  const StepMemory &memory;
  runtime::ExecPlan plan;
  llvm::DenseMap<Value, runtime::BufferId> buffers;
  llvm::DenseMap<Operation *, const StepOp *> stepOps;
  llvm::StringMap<int32_t> stepOfNode;
};

} // namespace

/// Whether the value is computed, rather than an argument or a view.
static bool isComputed(Value value) {
  Operation *op = value.getDefiningOp();
  auto kernel = dyn_cast_or_null<KernelOpInterface>(op);
  return kernel && !kernel.getViewedOperand();
}

LogicalResult ExecPlanBuilder::addBuffer(Value value, plan::PlaceAttr place) {
  StorageId id = memory.getStorage(value);
  if (id == noStorage)
    return success();
  const Storage &storage = memory.getStorages()[id];
  if (!place)
    return function.emitError()
           << "the plan has no place for '" << getValueName(value) << "'";
  runtime::Buffer buffer;
  buffer.name = getValueName(value);
  buffer.desc = toTensorDesc(value.getType());
  buffer.cls = storage.cls;
  buffer.offsetBytes = place.getOffset();
  // An update in place is a buffer of its own at its argument's address.
  bool isUpdate = storage.base != value && isComputed(value);
  buffer.resident = storage.resident && !isUpdate;
  if (storage.base != value && !isUpdate)
    buffer.base = bufferOf(storage.base);
  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    buffer.constant = toConstantData(constant);
  buffers[value] = static_cast<runtime::BufferId>(plan.buffers.size());
  plan.buffers.push_back(std::move(buffer));
  return success();
}

/// The fields that steps with and without a kernel share.
static runtime::Step makeStep(Operation &op) {
  runtime::Step step;
  step.node = getNodeName(&op).str();
  step.phase = getPhase(&op);
  return step;
}

LogicalResult ExecPlanBuilder::addViewStep(Operation &op) {
  runtime::Step step = makeStep(op);
  step.isView = true;
  auto call = toKernelCall(&op);
  if (failed(call))
    return failure();
  step.call = std::move(*call);
  unsigned viewed = *cast<KernelOpInterface>(op).getViewedOperand();
  step.operands.assign(op.getNumOperands(), runtime::noBuffer);
  step.operands[viewed] = bufferOf(op.getOperand(viewed));
  step.results.push_back(bufferOf(op.getResult(0)));
  plan.steps.push_back(std::move(step));
  return success();
}

void ExecPlanBuilder::addStep(const StepOp &stepOp) {
  Operation &op = *stepOp.op;
  runtime::Step step = makeStep(op);
  step.call = stepOp.call;
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    const auto &described = stepOp.call.operands[i];
    step.operands.push_back(described && !described->isHost
                                ? bufferOf(operand)
                                : runtime::noBuffer);
  }
  for (Value result : op.getResults())
    step.results.push_back(bufferOf(result));
  if (auto place = op.getAttrOfType<plan::PlaceAttr>("plan.workspace")) {
    step.workspaceOffsetBytes = place.getOffset();
    step.workspaceBytes = place.getBytes();
  }
  constexpr double picosecond = 1e-12;
  step.costSeconds = static_cast<double>(stepOp.cost) * picosecond;
  if (auto of = op.getAttrOfType<StringAttr>("plan.recompute_of")) {
    auto original = stepOfNode.find(of.getValue());
    if (original != stepOfNode.end())
      step.recomputeOf = original->second;
  } else {
    stepOfNode[step.node] = static_cast<int32_t>(plan.steps.size());
  }
  plan.steps.push_back(std::move(step));
}

LogicalResult ExecPlanBuilder::addOp(Operation &op) {
  auto places = op.getAttrOfType<ArrayAttr>("plan.places");
  for (OpResult result : op.getResults()) {
    auto place =
        places ? dyn_cast<plan::PlaceAttr>(places[result.getResultNumber()])
               : plan::PlaceAttr();
    if (failed(addBuffer(result, place)))
      return failure();
  }
  auto found = stepOps.find(&op);
  if (found != stepOps.end()) {
    addStep(*found->second);
    return success();
  }
  auto kernel = dyn_cast<KernelOpInterface>(op);
  if (!op.hasTrait<OpTrait::ConstantLike>() && kernel &&
      kernel.getViewedOperand())
    return addViewStep(op);
  return success();
}

void ExecPlanBuilder::addPorts() {
  for (BlockArgument argument : function.getArguments())
    plan.inputs.push_back({getValueName(argument), bufferOf(argument), ""});
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    runtime::Port port;
    auto name = function.getResultAttrOfType<StringAttr>(i, "onnx.name");
    port.name = name ? name.str() : getValueName(value);
    port.buffer = bufferOf(value);
    if (auto of = function.getResultAttrOfType<StringAttr>(i, "train.updates"))
      port.updates = of.str();
    plan.outputs.push_back(std::move(port));
  }
}

FailureOr<runtime::ExecPlan> ExecPlanBuilder::build(const DeviceSpec &device) {
  auto arena = function->getAttrOfType<plan::ArenaAttr>("plan.arena");
  if (!arena)
    return function.emitError("has no planned arena");
  for (const StepOp &stepOp : memory.getOps())
    stepOps[stepOp.op] = &stepOp;
  for (BlockArgument argument : function.getArguments())
    if (failed(addBuffer(argument, function.getArgAttrOfType<plan::PlaceAttr>(
                                       argument.getArgNumber(), "plan.place"))))
      return failure();
  for (Operation &op : function.getBody().front().without_terminator())
    if (failed(addOp(op)))
      return failure();
  addPorts();
  plan.device = device.name;
  plan.alignmentBytes = arena.getAlignment();
  plan.arenaBytes = arena.getBytes();
  plan.threads = device.threads;
  return std::move(plan);
}

FailureOr<runtime::ExecPlan> buildExecPlan(func::FuncOp function,
                                           const StepMemory &memory,
                                           const DeviceSpec &device) {
  return ExecPlanBuilder(function, memory).build(device);
}

} // namespace lowtide
