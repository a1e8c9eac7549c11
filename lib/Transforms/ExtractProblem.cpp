//===- ExtractProblem.cpp - The plain problem of a step -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What the solver sees of a step. Resident storages are one number; ops that
// read an argument which another op overwrites get an ordering edge, so that a
// schedule can never read a parameter after its update, whatever is recomputed.
//
// Tested by test/Transforms/rematerialize.mlir.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Transforms/PlanStep.h"

using namespace mlir;

namespace lowtide {

static void addOverwriteEdges(const StepMemory &memory,
                              solver::RematProblem &problem) {
  auto ops = memory.getOps();
  llvm::DenseMap<StorageId, SmallVector<int>> readers;
  for (auto [i, stepOp] : llvm::enumerate(ops))
    for (StorageId id : stepOp.reads)
      if (memory.getStorages()[id].resident)
        readers[id].push_back(i);
  for (auto [i, stepOp] : llvm::enumerate(ops)) {
    llvm::SetVector<int> before;
    for (StorageId id : stepOp.writes)
      if (id != noStorage && memory.getStorages()[id].resident)
        for (int reader : readers[id])
          if (reader != static_cast<int>(i))
            before.insert(reader);
    for (int reader : before)
      problem.after.push_back({reader, static_cast<int>(i)});
  }
}

solver::RematProblem extractRematProblem(const StepMemory &memory) {
  solver::RematProblem problem;
  problem.residentBytes = memory.getResidentBytes();
  problem.alignment = memory.getAlignment();
  auto storages = memory.getStorages();
  SmallVector<int> valueOf(storages.size(), -1);
  for (auto [id, storage] : llvm::enumerate(storages)) {
    if (storage.resident)
      continue;
    valueOf[id] = problem.addValue(getValueName(storage.base), storage.bytes);
    if (storage.liveToEnd)
      problem.keep.push_back(valueOf[id]);
  }
  for (const StepOp &stepOp : memory.getOps()) {
    solver::RematOp op;
    op.name = getNodeName(stepOp.op).str();
    op.cost = stepOp.cost;
    op.workspaceBytes = stepOp.workspaceBytes;
    auto remat = dyn_cast<RematOpInterface>(stepOp.op);
    op.recomputable = remat && remat.isRematerializable();
    for (StorageId id : stepOp.reads)
      if (valueOf[id] >= 0)
        op.inputs.push_back(valueOf[id]);
    for (StorageId id : stepOp.writes)
      if (id != noStorage && valueOf[id] >= 0)
        op.outputs.push_back(valueOf[id]);
    int index = problem.addOp(std::move(op));
    problem.order.push_back(index);
    for (StorageDonation donation : stepOp.donations)
      if (valueOf[donation.operand] >= 0 && valueOf[donation.result] >= 0)
        problem.inplace.push_back(
            {index, valueOf[donation.operand], valueOf[donation.result]});
  }
  addOverwriteEdges(memory, problem);
  return problem;
}

} // namespace lowtide
