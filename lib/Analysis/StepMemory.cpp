//===- StepMemory.cpp - Who owns which bytes in a step --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Storages are made in one walk: arguments, then each op's results, where a
// view joins its operand. Updates join last, since an update may take its
// argument's place only when the kernel allows it.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Analysis/StepMemory.h"
#include "lowtide/Analysis/KernelCalls.h"
#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Support/Bytes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lowtide {

using runtime::BufferClass;

runtime::Phase getPhase(Operation *op) {
  auto phase = op->getAttrOfType<StringAttr>("train.phase");
  if (phase && phase.getValue() == "backward")
    return runtime::Phase::Backward;
  if (phase && phase.getValue() == "update")
    return runtime::Phase::Update;
  return runtime::Phase::Forward;
}

StringRef getNodeName(Operation *op) {
  if (auto named = op->getLoc()->findInstanceOf<NameLoc>())
    return named.getName().getValue();
  return "";
}

std::string getValueName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (function)
      if (auto name = function.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), "onnx.name"))
        return name.str();
    return "arg" + std::to_string(argument.getArgNumber());
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  if (auto names = op->getAttrOfType<ArrayAttr>("onnx.outputs"))
    if (result.getResultNumber() < names.size())
      if (auto name = dyn_cast<StringAttr>(names[result.getResultNumber()]);
          name && !name.empty())
        return name.str();
  std::string name = getNodeName(op).str();
  if (name.empty())
    name = op->getName().stripDialect().str();
  if (op->getNumResults() > 1)
    name += "." + std::to_string(result.getResultNumber());
  return name;
}

static BufferClass argumentClass(func::FuncOp function, unsigned index) {
  auto role = function.getArgAttrOfType<StringAttr>(index, "train.role");
  if (!role)
    return function.getArgAttr(index, "onnx.initializer")
               ? BufferClass::Parameter
               : BufferClass::Input;
  return llvm::StringSwitch<BufferClass>(role.getValue())
      .Case("parameter", BufferClass::Parameter)
      .Case("state", BufferClass::OptimizerState)
      .Case("statistic", BufferClass::Statistic)
      .Case("constant", BufferClass::Constant)
      .Default(BufferClass::Input);
}

StorageId StepMemory::addStorage(Value base, BufferClass cls) {
  Storage storage;
  storage.base = base;
  storage.bytes = alignTo(toTensorDesc(base.getType()).bytes(), alignment);
  storage.cls = cls;
  storages.push_back(storage);
  auto id = static_cast<StorageId>(storages.size() - 1);
  storageOfValue[base] = id;
  return id;
}

void StepMemory::addArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    StorageId id =
        addStorage(argument, argumentClass(function, argument.getArgNumber()));
    storages[id].resident = true;
  }
}

/// Whether some op reads the constant on the device.
static bool isReadOnDevice(Value constant) {
  return llvm::any_of(constant.getUses(), [](OpOperand &use) {
    auto kernel = dyn_cast<KernelOpInterface>(use.getOwner());
    return !kernel || !kernel.isHostOperand(use.getOperandNumber());
  });
}

void StepMemory::addOpStorages(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    Value constant = op->getResult(0);
    if (isa<TensorType>(constant.getType()) && isReadOnDevice(constant))
      storages[addStorage(constant, BufferClass::Constant)].resident = true;
    return;
  }
  auto kernel = dyn_cast<KernelOpInterface>(op);
  if (auto viewed = kernel ? kernel.getViewedOperand() : std::nullopt) {
    storageOfValue[op->getResult(0)] = getStorage(op->getOperand(*viewed));
    return;
  }
  for (Value result : op->getResults())
    if (!isa<NoneType>(result.getType()))
      addStorage(result, BufferClass::Activation);
}

void StepMemory::connect(StepOp &stepOp, const runtime::KernelNeeds &needs) {
  Operation *op = stepOp.op;
  auto kernel = dyn_cast<KernelOpInterface>(op);
  llvm::SmallDenseMap<StorageId, unsigned> readers;
  for (OpOperand &operand : op->getOpOperands()) {
    StorageId id = getStorage(operand.get());
    if (id == noStorage ||
        (kernel && kernel.isHostOperand(operand.getOperandNumber())))
      continue;
    if (++readers[id] == 1)
      stepOp.reads.push_back(id);
  }
  for (Value result : op->getResults())
    stepOp.writes.push_back(getStorage(result));
  for (const runtime::Donation &donation : needs.donations) {
    StorageId result = stepOp.writes[donation.result];
    StorageId operand = getStorage(op->getOperand(donation.operand));
    // An operand that the op reads a second time under another shape must stay
    // whole until the op is done.
    if (result == noStorage || operand == noStorage || readers[operand] != 1 ||
        storages[result].bytes != storages[operand].bytes)
      continue;
    stepOp.donations.push_back({result, operand});
  }
}

/// The argument of the given name, or null.
static Value findArgument(func::FuncOp function, StringRef name) {
  for (BlockArgument argument : function.getArguments())
    if (auto attr = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), "onnx.name"))
      if (attr.getValue() == name)
        return argument;
  return {};
}

void StepMemory::shareUpdates(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::DenseMap<Operation *, StepOp *> stepOpOf;
  for (StepOp &stepOp : ops)
    stepOpOf[stepOp.op] = &stepOp;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto updates = function.getResultAttrOfType<StringAttr>(i, "train.updates");
    auto result = dyn_cast<OpResult>(value);
    if (!updates || !result)
      continue;
    StorageId target = getStorage(findArgument(function, updates.getValue()));
    auto found = stepOpOf.find(result.getOwner());
    if (target == noStorage || found == stepOpOf.end())
      continue;
    StepOp &stepOp = *found->second;
    StorageId own = getStorage(value);
    bool allowed = llvm::any_of(stepOp.donations, [&](StorageDonation d) {
      return d.result == own && d.operand == target;
    });
    if (!allowed)
      continue;
    storageOfValue[value] = target;
    stepOp.writes[result.getResultNumber()] = target;
    llvm::erase_if(stepOp.donations,
                   [&](StorageDonation d) { return d.result == own; });
  }
  // Nothing else may be written over an argument.
  for (StepOp &stepOp : ops)
    llvm::erase_if(stepOp.donations, [&](StorageDonation d) {
      return storages[d.operand].resident;
    });
}

void StepMemory::markResults(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (Value value : terminator->getOperands()) {
    StorageId id = getStorage(value);
    if (id != noStorage && !storages[id].resident)
      storages[id].liveToEnd = true;
  }
}

/// A value that an update reads and that isn't an argument is a parameter's
/// gradient, and so is a result named after one.
void StepMemory::markGradients() {
  for (const StepOp &stepOp : ops)
    if (getPhase(stepOp.op) == runtime::Phase::Update)
      for (StorageId id : stepOp.reads)
        if (!storages[id].resident &&
            storages[id].cls == BufferClass::Activation &&
            getPhase(storages[id].base.getDefiningOp()) ==
                runtime::Phase::Backward)
          storages[id].cls = BufferClass::Gradient;
  for (Storage &storage : storages)
    if (storage.liveToEnd &&
        getPhase(storage.base.getDefiningOp()) == runtime::Phase::Backward)
      storage.cls = BufferClass::Gradient;
}

FailureOr<StepMemory> StepMemory::analyze(func::FuncOp function,
                                          const CostModel &costs,
                                          const runtime::Backend &backend) {
  StepMemory memory;
  memory.alignment =
      std::max(costs.getSpec().alignmentBytes, backend.alignment());
  bool failed = false;
  for (BlockArgument argument : function.getArguments())
    if (!isStaticTensor(argument.getType())) {
      failed = true;
      function.emitError() << "input '" << getValueName(argument)
                           << "' has type " << argument.getType()
                           << "; planning needs every dimension bound "
                              "(--dim NAME=VALUE)";
    }
  if (failed)
    return failure();
  memory.addArguments(function);
  std::vector<runtime::KernelNeeds> needs;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      memory.addOpStorages(&op);
      continue;
    }
    auto call = toKernelCall(&op);
    if (mlir::failed(call)) {
      failed = true;
      continue;
    }
    auto kernel = dyn_cast<KernelOpInterface>(&op);
    bool isView = kernel && kernel.getViewedOperand();
    std::string reason = isView ? "" : backend.whyUnsupported(*call);
    if (!reason.empty()) {
      failed = true;
      InFlightDiagnostic diagnostic = op.emitOpError();
      if (auto type = op.getAttrOfType<StringAttr>("op_type"))
        diagnostic << type.getValue() << " ";
      diagnostic << "can't run on " << std::string(backend.name()) << ": "
                 << reason;
      continue;
    }
    if (failed)
      continue;
    memory.addOpStorages(&op);
    if (isView)
      continue;
    needs.push_back(backend.needs(*call));
    StepOp stepOp;
    stepOp.op = &op;
    stepOp.cost = costs.getCost(&op, *call);
    stepOp.workspaceBytes =
        alignTo(needs.back().workspaceBytes, memory.alignment);
    stepOp.call = std::move(*call);
    memory.ops.push_back(std::move(stepOp));
  }
  if (failed)
    return failure();
  for (auto [stepOp, need] : llvm::zip(memory.ops, needs))
    memory.connect(stepOp, need);
  memory.shareUpdates(function);
  memory.markResults(function);
  memory.markGradients();
  return memory;
}

int64_t StepMemory::getResidentBytes() const {
  int64_t bytes = 0;
  for (const Storage &storage : storages)
    if (storage.resident)
      bytes += storage.bytes;
  return bytes;
}

} // namespace lowtide
