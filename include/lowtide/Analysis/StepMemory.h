//===- StepMemory.h - Who owns which bytes in a step ------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Planning works on storage, not on values. A storage is a range of bytes that
// one or more values share: a computed value and its views, or an argument and
// the value that replaces it. This analysis says for a function of static
// shapes
//   - which storage each value has, how large it is (rounded up to the
//     alignment) and what class of the report it belongs to,
//   - which ops do work (views and constants don't), what each reads, writes,
//     may overwrite, needs as workspace and costs.
// Solvers see these facts as a problem; `AssignOffsets` gives every storage an
// address; the runtime executes at those addresses.
//
// Tested by test/Analysis/step-memory.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_ANALYSIS_STEPMEMORY_H
#define LOWTIDE_ANALYSIS_STEPMEMORY_H

#include "lowtide/Analysis/CostModel.h"
#include "lowtide/Runtime/Backend.h"
#include "lowtide/Runtime/ExecPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

namespace lowtide {

using StorageId = int32_t;
inline constexpr StorageId noStorage = -1;

struct Storage {
  /// The value that the bytes are named after.
  mlir::Value base;
  /// Rounded up to the alignment.
  int64_t bytes = 0;
  runtime::BufferClass cls = runtime::BufferClass::Activation;
  /// Live through the whole step: arguments, and constants that kernels read.
  bool resident = false;
  /// Live from its computation to the end of the step: results.
  bool liveToEnd = false;
};

/// Result storage `result` may take the place of operand storage `operand`,
/// which has as many bytes, when that dies at the op.
struct StorageDonation {
  StorageId result;
  StorageId operand;
};

/// An op that does work.
struct StepOp {
  mlir::Operation *op = nullptr;
  runtime::KernelCall call;
  int64_t workspaceBytes = 0; ///< Rounded up to the alignment.
  int64_t cost = 0;           ///< Picoseconds.
  /// Storages that the op reads on the device, each once, residents included.
  llvm::SmallVector<StorageId, 4> reads;
  /// Storage of each result; `noStorage` where a result is absent.
  llvm::SmallVector<StorageId, 2> writes;
  llvm::SmallVector<StorageDonation, 2> donations;
};

class StepMemory {
public:
  /// Fails with diagnostics at every op whose shapes are not static or that the
  /// back end can't run.
  static mlir::FailureOr<StepMemory> analyze(mlir::func::FuncOp function,
                                             const CostModel &costs,
                                             const runtime::Backend &backend);

  /// In the order of the function.
  llvm::ArrayRef<StepOp> getOps() const { return ops; }
  llvm::ArrayRef<Storage> getStorages() const { return storages; }
  StorageId getStorage(mlir::Value value) const {
    auto found = storageOfValue.find(value);
    return found == storageOfValue.end() ? noStorage : found->second;
  }
  int64_t getAlignment() const { return alignment; }
  int64_t getResidentBytes() const;

private:
  void addArguments(mlir::func::FuncOp function);
  void addOpStorages(mlir::Operation *op);
  void shareUpdates(mlir::func::FuncOp function);
  void markResults(mlir::func::FuncOp function);
  void markGradients();
  void connect(StepOp &stepOp, const runtime::KernelNeeds &needs);
  StorageId addStorage(mlir::Value base, runtime::BufferClass cls);

  std::vector<StepOp> ops;
  std::vector<Storage> storages;
  llvm::DenseMap<mlir::Value, StorageId> storageOfValue;
  int64_t alignment = 64;
};

/// The phase that `train.phase` of the op says; forward without it.
runtime::Phase getPhase(mlir::Operation *op);

/// Node name of an op: its location's name, or "" when it has none.
llvm::StringRef getNodeName(mlir::Operation *op);

/// A name for a value, for reports and files: `onnx.name` of an argument,
/// `onnx.outputs` of its op, or one made of the node's name.
std::string getValueName(mlir::Value value);

} // namespace lowtide

#endif // LOWTIDE_ANALYSIS_STEPMEMORY_H
