//===- Session.h - The context that a command works in ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A context with our dialects, diagnostics on standard error, and the model
// that the command line named. Nothing runs on threads of MLIR's own, so that
// output is in order and memory is ours.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_SESSION_H
#define LOWTIDE_TOOLS_LOWTIDE_SESSION_H

#include "CommandLine/CommandLine.h"
#include "Diagnostics.h"

#include "lowtide/Pipelines/Pipelines.h"

#include "mlir/IR/MLIRContext.h"

namespace lowtide::cli {

class Session {
public:
  Session();

  /// Reads `path` into `model`; an exit code.
  int load(llvm::StringRef path);
  /// Writes `model`; an exit code.
  int save(llvm::StringRef path, const ExportOptions &options);
  /// A second copy of the model that may be changed on its own.
  Model cloneModel() const;

  mlir::MLIRContext context;
  DiagnosticPrinter diagnostics;
  Model model;

private:
  static mlir::DialectRegistry makeRegistry();
};

/// The name that reports call the model by: its file's.
std::string modelName(llvm::StringRef path);

/// True when the two paths name one file, so that writing the one would
/// destroy the other.
bool isSameFile(llvm::StringRef a, llvm::StringRef b);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_SESSION_H
