//===- InlineFunctions.cpp - Model-local functions into the graph ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The library's inliner does the work. Before it may, functions must not call
// themselves, and what the calls expand to is counted: ten functions that call
// each other ten times would be ten billion nodes.
//
// Tested by test/Frontend/functions.py.
//
//===----------------------------------------------------------------------===//

#include "GraphCheck.h"
#include "OpsetUpgrade.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include "onnx/checker.h"
#include "onnx/inliner/inliner.h"

namespace lowtide::frontend {

using llvm::Twine;
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;

namespace {

constexpr int64_t maximumNodes = 2'000'000;

using Nodes = ::google::protobuf::RepeatedPtrField<NodeProto>;

std::string keyOf(const std::string &domain, const std::string &name,
                  const std::string &overload) {
  return domain + '\0' + name + '\0' + overload;
}

template <typename Visit>
void forEachNode(const Nodes &nodes, Visit visit) {
  llvm::SmallVector<const Nodes *> pending = {&nodes};
  while (!pending.empty()) {
    const Nodes *next = pending.pop_back_val();
    for (const NodeProto &node : *next) {
      visit(node);
      for (const AttributeProto &attribute : node.attribute()) {
        if (attribute.has_g())
          pending.push_back(&attribute.g().node());
        for (const GraphProto &graph : attribute.graphs())
          pending.push_back(&graph.node());
      }
    }
  }
}

/// Nodes of the model once all calls are replaced, or -1 for too many. The
/// functions don't call themselves; a list takes the place of recursion.
int64_t countExpanded(const ModelProto &model) {
  llvm::StringMap<const FunctionProto *> functions;
  for (const FunctionProto &function : model.functions())
    functions[keyOf(function.domain(), function.name(), function.overload())] =
        &function;
  llvm::StringMap<int64_t> counts;
  auto count = [&](const Nodes &nodes, std::string &missing) {
    int64_t total = 0;
    forEachNode(nodes, [&](const NodeProto &node) {
      std::string key = keyOf(node.domain(), node.op_type(), node.overload());
      if (!functions.count(key)) {
        total = std::min(total + 1, maximumNodes + 1);
        return;
      }
      auto it = counts.find(key);
      if (it == counts.end())
        missing = key;
      else
        total = std::min(total + it->second, maximumNodes + 1);
    });
    return total;
  };
  std::vector<std::string> stack;
  while (true) {
    std::string missing;
    const Nodes &nodes =
        stack.empty() ? model.graph().node() : functions[stack.back()]->node();
    int64_t total = count(nodes, missing);
    if (!missing.empty()) {
      stack.push_back(missing);
      continue;
    }
    if (stack.empty())
      return total > maximumNodes ? -1 : total;
    counts[stack.back()] = total;
    stack.pop_back();
  }
}

} // namespace

FileStatus inlineFunctions(ModelProto &model,
                           const FileDiagnostics &diagnostics) {
  if (model.functions_size() == 0)
    return FileStatus::Ok;
  try {
    ::onnx::checker::check_function_call_cycles(model);
  } catch (const std::exception &error) {
    return diagnostics.badModel("functions call themselves: " +
                                Twine(error.what()));
  }
  auto *functions = model.mutable_functions();
  functions->erase(std::remove_if(functions->begin(), functions->end(),
                                  [](const FunctionProto &function) {
                                    return function.domain() == trainDomain;
                                  }),
                   functions->end());
  if (functions->empty())
    return FileStatus::Ok;
  if (countExpanded(model) < 0)
    return diagnostics.unsupported(
        "the model's functions expand to more than " + Twine(maximumNodes) +
        " nodes");
  // Names that the inliner makes up are prefixed; a node keeps the metadata of
  // the function's body.
  try {
    ::onnx::inliner::InlineLocalFunctions(model, /*convert_version=*/true);
  } catch (const std::exception &error) {
    return diagnostics.unsupported(
        "a model-local function cannot be inlined: " + Twine(error.what()));
  }
  return FileStatus::Ok;
}

} // namespace lowtide::frontend
