//===- OpsetDowngrade.h - A written model to an older opset -----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_OPSETDOWNGRADE_H
#define LOWTIDE_LIB_FRONTEND_OPSETDOWNGRADE_H

#include "Diagnostics.h"
#include "ExportNode.h"

namespace lowtide::frontend {

/// Brings a graph and its functions from the internal opset to `target`.
FileStatus downgradeModel(::onnx::ModelProto &model, BodyFunctions &functions,
                          int64_t target, const FileDiagnostics &diagnostics);

/// Adds types of inner values and outputs.
FileStatus inferGraph(::onnx::ModelProto &model,
                      const FileDiagnostics &diagnostics);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_OPSETDOWNGRADE_H
