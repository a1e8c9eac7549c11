//===- ImportOnnx.cpp - Read a model file ---------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ImportGraph.h"
#include "PrepareModel.h"
#include "StepMetadata.h"

#include "mlir/IR/OperationSupport.h"

#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace lowtide {

using namespace frontend;

uint64_t fingerprintOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(true, false);
  flags.printGenericOpForm();
  module->print(stream, flags);
  return llvm::xxh3_64bits(text);
}

FileStatus importOnnx(StringRef path, MLIRContext &context, Model &model) {
  FileDiagnostics diagnostics(context, path);
  for (StringRef dialect : {"func", "onnx", "train", "plan"}) {
    Dialect *loaded = context.getOrLoadDialect(dialect);
    assert((loaded || dialect == "train" || dialect == "plan") &&
           "the context's registry lacks a dialect of the front end");
    (void)loaded;
  }
  model = Model();
  PreparedModel prepared;
  if (FileStatus s = readModelProto(path, diagnostics, prepared.proto);
      s != FileStatus::Ok)
    return s;
  if (FileStatus s = prepareModel(path, diagnostics, prepared, model);
      s != FileStatus::Ok)
    return s;
  if (FileStatus s = importGraph(prepared, model, diagnostics);
      s != FileStatus::Ok)
    return s;
  if (FileStatus s = readStepMetadata(prepared.proto, model, diagnostics);
      s != FileStatus::Ok)
    return s;
  model.sourceFingerprint = fingerprintOf(*model.module);
  return FileStatus::Ok;
}

} // namespace lowtide
