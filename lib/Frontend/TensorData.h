//===- TensorData.h - Bytes of tensors in a model file ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Takes the bytes of large tensors out of a ModelProto, so that what the ONNX
// library works on is small, and gives them back when a file is written.
//
// A tensor without its bytes is a *reference*: stored externally at location
// `lowtide:weight`, its key the name of an entry of the weight store. No file
// ever holds one. External data is mapped, never read; the file that it names
// must lie in the model's folder.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_TENSORDATA_H
#define LOWTIDE_LIB_FRONTEND_TENSORDATA_H

#include "Diagnostics.h"
#include "ElementTypes.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace lowtide::frontend {

/// Tensors of at most this many bytes stay where they are.
constexpr int64_t inlineTensorBytes = 64 * 1024;

/// Maps the files that external tensors of one model lie in.
class ExternalFiles {
public:
  explicit ExternalFiles(llvm::StringRef modelPath);
  /// The bytes of `tensor`, which holds `bytes` of them.
  FileStatus find(const ::onnx::TensorProto &tensor, llvm::StringRef what,
                  int64_t bytes, const FileDiagnostics &diagnostics,
                  WeightStore::Entry &entry);

private:
  using Mapping = std::shared_ptr<const void>;
  struct File {
    llvm::ArrayRef<char> bytes;
    Mapping owner;
  };
  FileStatus open(llvm::StringRef location, llvm::StringRef what,
                  const FileDiagnostics &diagnostics, File &file);

  std::string directory;
  std::string resolvedDirectory;
  llvm::StringMap<File> files;
  bool warnedOfKeys = false;
};

/// Checks type, dimensions and the amount of data of a tensor.
FileStatus checkTensor(const ::onnx::TensorProto &tensor, llvm::StringRef what,
                       const FileDiagnostics &diagnostics);

/// The tensor's bytes, dense and little-endian, from whichever field holds
/// them. The tensor passed `checkTensor`, isn't external and has no strings.
std::vector<char> denseData(const ::onnx::TensorProto &tensor);

bool isReference(const ::onnx::TensorProto &tensor);
llvm::StringRef referenceName(const ::onnx::TensorProto &tensor);
void makeReference(::onnx::TensorProto &tensor, llvm::StringRef name);

/// Where a tensor stands.
struct TensorSite {
  /// For messages: the initializer, or the node and the attribute.
  std::string what;
  bool isMainInitializer = false;
  /// The value that a Constant node of the main graph gives, else empty.
  std::string constant;
};

/// Calls `visit` on every tensor below `model` (initializers, attributes,
/// subgraphs, functions) until one isn't Ok.
using TensorVisitor =
    llvm::function_ref<FileStatus(::onnx::TensorProto &, const TensorSite &)>;
FileStatus forEachTensor(::onnx::ModelProto &model, TensorVisitor visit);
/// The same below one node.
FileStatus forEachTensor(::onnx::NodeProto &node, TensorVisitor visit);

/// Checks all tensors and moves the bytes of initializers and of large tensors
/// elsewhere to `weights`. Small integers, booleans and scalars stay. Sets
/// `external` when any tensor was stored outside the file.
FileStatus detachTensors(::onnx::ModelProto &model, llvm::StringRef path,
                         const FileDiagnostics &diagnostics,
                         WeightStore &weights, bool &external);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_TENSORDATA_H
