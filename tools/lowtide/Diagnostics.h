//===- Diagnostics.h - MLIR's diagnostics as messages for users -*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// While a printer lives, what the context reports goes to standard error as
//   error: node 'layer1/conv' (Conv): has no gradient ...
// one line each, names made safe for a terminal. A line that was printed
// already is not printed again.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_DIAGNOSTICS_H
#define LOWTIDE_TOOLS_LOWTIDE_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

#include <set>
#include <string>

namespace lowtide::cli {

class DiagnosticPrinter {
public:
  explicit DiagnosticPrinter(mlir::MLIRContext &context);

  /// Keeps errors instead of printing them, for a command that asks whether
  /// something would work.
  void hold() { holding = true; }
  /// The lines that were held back, in order; ends `hold`.
  std::vector<std::string> release();

private:
  void handle(mlir::Diagnostic &diagnostic);
  void emit(llvm::StringRef severity, const std::string &text);

  mlir::ScopedDiagnosticHandler handler;
  std::set<std::string> printed;
  std::vector<std::string> held;
  bool holding = false;
};

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_DIAGNOSTICS_H
