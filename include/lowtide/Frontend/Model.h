//===- Model.h - A model in memory, and how files become one ----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A model is a module (the graph) beside a weight store (the bytes). The module
// never holds parameters; the store maps names to bytes that stay in the file,
// memory-mapped, until somebody reads them.
//
// In the module, `func.func @main` is the graph. Arguments are graph inputs
// and initializers, results are graph outputs. Attributes keep what MLIR has no
// place for:
//   arguments   onnx.name; onnx.dims (symbolic dimension names, "" where
//               static or anonymous); onnx.initializer (its bytes are in the
//               store); onnx.input (it is a graph input; an initializer that
//               may be overridden has both)
//   results     onnx.name, onnx.dims
//   ops         location NameLoc = node name; onnx.outputs = value names;
//               onnx.metadata = node metadata
//   module      onnx.model = {ir_version, opset, opset_imports, metadata, ...}
// A training step (form F2 on) adds
//   function    train.step (unit)
//   arguments   train.role = input | parameter | constant | statistic | state |
//               target | seed | step
//   results     train.updates = name of the argument that it replaces
//   ops         train.phase = forward | backward | update
//
// Tested by test/Frontend.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_FRONTEND_MODEL_H
#define LOWTIDE_FRONTEND_MODEL_H

#include "lowtide/Frontend/Weights.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace lowtide {

struct Model {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  WeightStore weights;
  /// The forward model that a step was made of: a serialized ModelProto without
  /// its large initializers, so that `run --save` can write it back with new
  /// parameters. Empty for a model that isn't a step.
  std::string forwardModel;
  /// The file as it was read, serialized without the bytes of its large
  /// tensors, which `weights` holds. It becomes `forwardModel` of a step that
  /// is made of this model, and is what `keepOpset` writes back.
  std::string source;
  /// The module as it was imported (see `fingerprintOf`); while it still is,
  /// `source` says the same as `module`.
  uint64_t sourceFingerprint = 0;
  /// The file had its weights in external data.
  bool hadExternalData = false;
};

/// Why a file can't be read or written; the diagnostic has been emitted at the
/// module's context. The values are the exit codes of the command line.
enum class FileStatus {
  Ok = 0,
  BadModel = 3,
  Unsupported = 4,
  InputOutput = 7
};

/// Reads the ONNX model at `path`. Unknown ops become `onnx.Custom`. The result
/// is in form F0, or F2/F4 when the file is a step that `exportOnnx` wrote.
FileStatus importOnnx(llvm::StringRef path, mlir::MLIRContext &context,
                      Model &model);

/// A hash of the printed module, locations included.
uint64_t fingerprintOf(mlir::ModuleOp module);

struct ExportOptions {
  /// Target opset of the standard domain; nothing for the internal one (28).
  std::optional<int64_t> opset;
  /// Write the file's own opset. A model that nothing changed is written as it
  /// was read; another is converted, which may not be possible.
  bool keepOpset = false;
};

/// Writes the model atomically to `path` (and `path`.data where weights are
/// external): after checking it with full shape inference, or not at all.
FileStatus exportOnnx(const Model &model, llvm::StringRef path,
                      const ExportOptions &options);

/// Writes `step.forwardModel` with the parameters and statistics that
/// `newValues` holds by name; others keep their old bytes.
FileStatus saveForwardModel(const Model &step, const WeightStore &newValues,
                            llvm::StringRef path, mlir::MLIRContext &context);

} // namespace lowtide

#endif // LOWTIDE_FRONTEND_MODEL_H
