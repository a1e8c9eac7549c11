//===- GraphCheck.h - Is this a graph at all? -------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What has to hold before anything else looks at a model: bounded nesting, one
// producer for each value, producers for all that is read, no cycle. The ONNX
// library assumes much of it and recurses on the rest.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_GRAPHCHECK_H
#define LOWTIDE_LIB_FRONTEND_GRAPHCHECK_H

#include "Diagnostics.h"

#include "onnx/onnx_pb.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <set>

namespace lowtide::frontend {

/// Graphs nested in attributes of nodes may be this deep.
constexpr int maximumDepth = 32;

/// "node 'conv1' (Conv)", or by index where it has no name.
std::string describeNode(const ::onnx::NodeProto &node, int index);

/// Checks nesting, names and producers; `model` isn't changed.
FileStatus checkGraphs(const ::onnx::ModelProto &model,
                       const FileDiagnostics &diagnostics);

/// Puts the nodes of every graph and function in an order in which producers
/// come first, with one warning where they weren't. A cycle is an error that
/// names its nodes. Sorted graphs stay as they are.
FileStatus sortNodes(::onnx::ModelProto &model,
                     const FileDiagnostics &diagnostics);

/// Names in the order in which they came.
using NameSet = llvm::SetVector<std::string, std::vector<std::string>,
                                std::set<std::string>>;

/// Names that the subgraphs of `node` read and don't define, in order of first
/// use. Nesting is bounded.
NameSet capturedNames(const ::onnx::NodeProto &node);

/// Every value name in `graph` and below.
void collectNames(const ::onnx::GraphProto &graph, llvm::StringSet<> &names);

/// Whether an attribute of the node holds a graph.
bool hasSubgraph(const ::onnx::NodeProto &node);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_GRAPHCHECK_H
