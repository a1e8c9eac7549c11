//===- OpsetUpgrade.h - From one opset to another ---------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The ONNX library's inliner and version converter, with what they lose or
// can't do put right: node names and metadata, functions, the IR version,
// batch normalisation with five outputs, splits on the way down.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_OPSETUPGRADE_H
#define LOWTIDE_LIB_FRONTEND_OPSETUPGRADE_H

#include "Diagnostics.h"

#include "onnx/onnx_pb.h"

namespace lowtide::frontend {

/// The opset of the onnx dialect, and the oldest that is read.
constexpr int64_t internalOpset = 28;
constexpr int64_t oldestOpset = 7;

/// The domain of our own functions.
constexpr const char *trainDomain = "ai.lowtide";

/// The version of the standard domain that the model imports; 0 for none.
int64_t standardOpset(const ::onnx::ModelProto &model);
void setStandardOpset(::onnx::ModelProto &model, int64_t opset);

/// The least IR version for an opset of the standard domain.
int64_t irVersionFor(int64_t opset);

/// Spells the standard domain "" everywhere, also in subgraphs.
void normalizeDomains(::onnx::ModelProto &model);

/// Replaces calls of the model's own functions by their bodies, except those of
/// `trainDomain`, which are removed with their calls left.
FileStatus inlineFunctions(::onnx::ModelProto &model,
                           const FileDiagnostics &diagnostics);

/// Brings the main graph from its opset to `target`. Tensors are small: large
/// ones are graph inputs by now. With `complaint`, what the converter says
/// against it goes there instead of to the user, and the model stays as it was.
FileStatus convertOpset(::onnx::ModelProto &model, int64_t target,
                        const FileDiagnostics &diagnostics,
                        std::string *complaint = nullptr);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_OPSETUPGRADE_H
