//===- Diagnostics.h - Messages about a model file --------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every message of the front end is a diagnostic at the file's location that
// names the node or tensor in its text. `fail` returns the status to hand on.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_DIAGNOSTICS_H
#define LOWTIDE_LIB_FRONTEND_DIAGNOSTICS_H

#include "lowtide/Frontend/Model.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace lowtide::frontend {

class FileDiagnostics {
public:
  FileDiagnostics(mlir::MLIRContext &context, llvm::StringRef path)
      : location(mlir::FileLineColLoc::get(&context, path, 0, 0)) {}

  FileStatus fail(FileStatus status, const llvm::Twine &message) const {
    mlir::emitError(location) << message;
    return status;
  }
  FileStatus badModel(const llvm::Twine &message) const {
    return fail(FileStatus::BadModel, message);
  }
  FileStatus unsupported(const llvm::Twine &message) const {
    return fail(FileStatus::Unsupported, message);
  }
  FileStatus inputOutput(const llvm::Twine &message) const {
    return fail(FileStatus::InputOutput, message);
  }
  void warn(const llvm::Twine &message) const {
    mlir::emitWarning(location) << message;
  }
  mlir::MLIRContext *context() const { return location->getContext(); }

private:
  mlir::Location location;
};

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_DIAGNOSTICS_H
