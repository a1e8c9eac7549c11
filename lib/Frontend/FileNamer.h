//===- FileNamer.h - Names of values and nodes in a file --------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Values and nodes keep the names that they were imported under. Copies and new
// ops get names that no scope of the file uses, the same ones in every run.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_FILENAMER_H
#define LOWTIDE_LIB_FRONTEND_FILENAMER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace lowtide::frontend {

class FileNamer {
public:
  /// Names everything in `function`; `nameNodes` also nodes without a name.
  FileNamer(mlir::func::FuncOp function, bool nameNodes);

  /// "" for a value of type none.
  std::string value(mlir::Value value) const;
  std::string node(mlir::Operation *op) const;
  /// The name of result `index` in the file. Where it isn't the value's own, an
  /// Identity node gives it.
  llvm::StringRef result(unsigned index) const { return results[index]; }

private:
  void reserveInnerNames();
  void nameArguments();
  void nameResults();
  void nameOps(bool recomputed, bool nameNodes);
  std::string unique(llvm::StringRef wanted, llvm::StringSet<> &used);

  mlir::func::FuncOp function;
  llvm::StringSet<> usedValues, usedNodes;
  /// The next suffix to try for a name that is taken.
  llvm::StringMap<int> suffixes;
  llvm::DenseMap<mlir::Value, std::string> values;
  llvm::DenseMap<mlir::Operation *, std::string> nodes;
  std::vector<std::string> results;
};

/// The innermost node name of a location, or "".
llvm::StringRef nodeNameOf(mlir::Location location);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_FILENAMER_H
