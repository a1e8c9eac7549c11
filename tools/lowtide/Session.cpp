//===- Session.cpp - The context that a command works in ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lowtide;
using namespace lowtide::cli;

mlir::DialectRegistry Session::makeRegistry() {
  mlir::DialectRegistry registry;
  registerAll(registry);
  return registry;
}

Session::Session()
    : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED),
      diagnostics(context) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
}

int Session::load(llvm::StringRef path) {
  FileStatus status = importOnnx(path, context, model);
  if (status != FileStatus::Ok)
    return static_cast<int>(status);
  if (!getMain(model))
    return fail(BadModel, "'" + path + "' has no graph");
  return Done;
}

int Session::save(llvm::StringRef path, const ExportOptions &options) {
  return static_cast<int>(exportOnnx(model, path, options));
}

Model Session::cloneModel() const {
  Model copy;
  copy.module = mlir::cast<mlir::ModuleOp>((*model.module)->clone());
  copy.weights = model.weights;
  copy.forwardModel = model.forwardModel;
  copy.source = model.source;
  copy.sourceFingerprint = model.sourceFingerprint;
  copy.hadExternalData = model.hadExternalData;
  return copy;
}

std::string cli::modelName(llvm::StringRef path) {
  return llvm::sys::path::filename(path).str();
}

bool cli::isSameFile(llvm::StringRef a, llvm::StringRef b) {
  bool same = false;
  if (!llvm::sys::fs::equivalent(a, b, same))
    return same;
  return a == b;
}
