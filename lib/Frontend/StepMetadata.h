//===- StepMetadata.h - What a step file says of itself ---------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Model metadata of a step (docs/Files.md has the formats):
//   lowtide.step      JSON: roles of inputs, updates, loss, options
//   lowtide.plan      JSON: the plan, offsets by value name
//   lowtide.forward   the forward model, compressed, base64
// and node metadata `lowtide.phase` and `lowtide.recompute_of`.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_STEPMETADATA_H
#define LOWTIDE_LIB_FRONTEND_STEPMETADATA_H

#include "Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include "onnx/onnx_pb.h"

namespace lowtide::frontend {

constexpr const char *stepKey = "lowtide.step";
constexpr const char *planKey = "lowtide.plan";
constexpr const char *forwardKey = "lowtide.forward";

/// Names that values and nodes have in the file, from export or import.
struct FileNames {
  /// Empty for a value that the file doesn't name.
  llvm::function_ref<std::string(mlir::Value)> value;
  /// Empty for an op that is no node.
  llvm::function_ref<std::string(mlir::Operation *)> node;
};

/// Adds the metadata of the step to `proto`; nothing where `model` is no step.
FileStatus writeStepMetadata(const Model &model, const FileNames &names,
                             ::onnx::ModelProto &proto,
                             const FileDiagnostics &diagnostics);
/// Restores what `writeStepMetadata` wrote onto the imported module.
FileStatus readStepMetadata(const ::onnx::ModelProto &proto, Model &model,
                            const FileDiagnostics &diagnostics);

// The parts, one file each.

std::string encodeStep(mlir::func::FuncOp step);
std::string decodeStep(llvm::StringRef json, mlir::func::FuncOp step);
std::string encodePlan(mlir::func::FuncOp step, const FileNames &names,
                       std::string &error);
/// The decoders return what is wrong, or an empty string.
std::string decodePlan(llvm::StringRef json, mlir::func::FuncOp step,
                       const FileNames &names);
std::string encodeForward(llvm::StringRef bytes);
bool decodeForward(llvm::StringRef text, std::string &bytes);

/// JSON of attributes: dictionaries, arrays, strings, booleans, i64, f64 and
/// unit (null) come back as they were. Null for any other attribute; nothing
/// for JSON that nests too deep.
std::optional<std::string> attributeToJson(mlir::Attribute attribute);
mlir::Attribute attributeFromJson(mlir::MLIRContext *context,
                                  const llvm::json::Value &value);
/// Parses JSON of bounded depth.
std::optional<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_STEPMETADATA_H
