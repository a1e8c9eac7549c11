//===- ImportGraph.h - A prepared graph becomes a module --------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_IMPORTGRAPH_H
#define LOWTIDE_LIB_FRONTEND_IMPORTGRAPH_H

#include "Diagnostics.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include "onnx/onnx_pb.h"

namespace lowtide::frontend {

/// A model at the internal opset, checked, sorted, its large tensors lifted
/// out: each is a graph input now that stands behind the file's own.
struct PreparedModel {
  ::onnx::ModelProto proto;
  /// Lifted initializers and Constant nodes; their bytes are in the store.
  llvm::StringSet<> liftedInitializers;
  llvm::StringSet<> liftedConstants;
  /// Inputs of the file that an initializer of the same name gives a default.
  llvm::StringSet<> overridable;
  /// Types that the file declared for values inside the graph.
  llvm::StringMap<::onnx::TypeProto> declaredTypes;
  /// Opset and IR version of the file.
  int64_t fileOpset = 0;
  int64_t fileIrVersion = 0;
};

/// Builds `model.module`; `model.weights` has the lifted tensors' bytes.
FileStatus importGraph(const PreparedModel &prepared, Model &model,
                       const FileDiagnostics &diagnostics);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_IMPORTGRAPH_H
