//===- PrepareModel.h - From the file's graph to the internal one -*- C++ -===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_PREPAREMODEL_H
#define LOWTIDE_LIB_FRONTEND_PREPAREMODEL_H

#include "ImportGraph.h"

namespace lowtide::frontend {

/// Reads `path`; the message may be anything that protobuf accepts.
FileStatus readModelProto(llvm::StringRef path,
                          const FileDiagnostics &diagnostics,
                          ::onnx::ModelProto &proto);

/// Checks `prepared.proto`, takes its tensors out into `model.weights`, keeps
/// `model.source`, and brings the graph to the internal opset with all types
/// inferred.
FileStatus prepareModel(llvm::StringRef path,
                        const FileDiagnostics &diagnostics,
                        PreparedModel &prepared, Model &model);

/// Runs the library's checker on a model that may hold references. An empty
/// string when it has nothing to say.
std::string checkerComplaint(const ::onnx::ModelProto &proto);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_PREPAREMODEL_H
