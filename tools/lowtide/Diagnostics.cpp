//===- Diagnostics.cpp - MLIR's diagnostics as messages for users ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "lowtide/Support/Printable.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/raw_ostream.h"

using namespace lowtide;
using namespace lowtide::cli;
using namespace mlir;

/// Takes "'onnx.Conv' op " off the front of `text` and returns "Conv", or
/// nothing where the text doesn't begin like that.
static std::string takeOpName(llvm::StringRef &text) {
  llvm::StringRef rest = text;
  if (!rest.consume_front("'"))
    return "";
  auto [name, after] = rest.split('\'');
  if (!after.consume_front(" op "))
    return "";
  text = after;
  return name.contains('.') ? name.split('.').second.str() : name.str();
}

static std::string describe(Diagnostic &diagnostic) {
  std::string whole = diagnostic.str();
  llvm::StringRef text = whole;
  std::string op = takeOpName(text);
  // What is said of the function is said of the model.
  bool isGraph = op == "func";
  Location location = diagnostic.getLocation();
  std::string where;
  if (auto named = location->findInstanceOf<NameLoc>(); named && !isGraph) {
    where = "node '" + named.getName().str() + "'";
    if (!op.empty())
      where += " (" + op + ")";
    where += ": ";
  } else if (auto file = location->findInstanceOf<FileLineColLoc>()) {
    where = "'" + file.getFilename().str() + "': ";
  } else if (!op.empty() && !isGraph) {
    where = op + ": ";
  }
  return printable(where + text.str());
}

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) {
        handle(diagnostic);
        return success();
      }) {}

void DiagnosticPrinter::emit(llvm::StringRef severity,
                             const std::string &text) {
  std::string line = severity.str() + ": " + text;
  if (printed.insert(line).second)
    llvm::errs() << line << "\n";
}

void DiagnosticPrinter::handle(Diagnostic &diagnostic) {
  llvm::StringRef severity = "error";
  if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    severity = "warning";
  else if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    severity = "note";
  if (holding) {
    if (severity == "error")
      held.push_back(describe(diagnostic));
    return;
  }
  emit(severity, describe(diagnostic));
  for (Diagnostic &note : diagnostic.getNotes())
    emit("note", describe(note));
}

std::vector<std::string> DiagnosticPrinter::release() {
  holding = false;
  return std::move(held);
}
