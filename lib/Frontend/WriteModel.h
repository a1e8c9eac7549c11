//===- WriteModel.h - Model files, whole or not at all ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_WRITEMODEL_H
#define LOWTIDE_LIB_FRONTEND_WRITEMODEL_H

#include "Diagnostics.h"

#include "onnx/onnx_pb.h"

namespace lowtide::frontend {

/// Writes `proto` to `path` with the bytes that its references name in
/// `weights`, in `path`.data when `external` or when the file would pass
/// 1.5 GB. Both files appear after the written model passed the checker with
/// full shape inference; on failure older ones stay as they were.
FileStatus writeModel(::onnx::ModelProto &proto, const WeightStore &weights,
                      bool external, llvm::StringRef path,
                      const FileDiagnostics &diagnostics);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_WRITEMODEL_H
