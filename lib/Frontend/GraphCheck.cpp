//===- GraphCheck.cpp - Is this a graph at all? ---------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A scope is a graph's own names; a name is looked up in its graph and then in
// the graphs around it. Scopes are checked depth first with a list of open
// graphs, and their depth is bounded before anything recurses.
//
// Tested by test/Frontend/malformed.py.
//
//===----------------------------------------------------------------------===//

#include "GraphCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace lowtide::frontend {

using llvm::StringRef;
using llvm::Twine;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

std::string describeNode(const NodeProto &node, int index) {
  std::string name = node.name().empty() ? "#" + std::to_string(index)
                                         : "'" + node.name() + "'";
  std::string domain = node.domain().empty() || node.domain() == "ai.onnx"
                           ? ""
                           : node.domain() + ".";
  return "node " + name + " (" + domain + node.op_type() + ")";
}

bool hasSubgraph(const NodeProto &node) {
  return llvm::any_of(node.attribute(), [](const AttributeProto &attribute) {
    return attribute.has_g() || attribute.graphs_size() > 0;
  });
}

template <typename Visit>
static void forEachSubgraph(const NodeProto &node, Visit visit) {
  for (const AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      visit(attribute.g());
    for (const GraphProto &graph : attribute.graphs())
      visit(graph);
  }
}

//===----------------------------------------------------------------------===//
// Depth and names
//===----------------------------------------------------------------------===//

namespace {

struct Scope {
  llvm::StringSet<> names;
  const Scope *parent = nullptr;

  bool has(StringRef name) const {
    for (const Scope *scope = this; scope; scope = scope->parent)
      if (scope->names.contains(name))
        return true;
    return false;
  }
};

class GraphChecker {
public:
  explicit GraphChecker(const FileDiagnostics &diagnostics)
      : diagnostics(diagnostics) {}

  FileStatus graph(const GraphProto &graph, const Scope *parent,
                   StringRef where) {
    Scope scope;
    scope.parent = parent;
    for (const auto &input : graph.input()) {
      if (input.name().empty())
        return diagnostics.badModel(where + ": an input without a name");
      for (const auto &dim : input.type().tensor_type().shape().dim())
        if (dim.dim_value() < 0)
          return diagnostics.badModel(
              where + ": input '" + input.name() +
              "' has the negative dimension " + Twine(dim.dim_value()) +
              "; one that isn't known has a name instead");
      if (FileStatus s = define(scope, input.name(), where);
          s != FileStatus::Ok)
        return s;
    }
    // An initializer may stand for an input of the same name.
    llvm::StringSet<> initializers;
    for (const auto &tensor : graph.initializer())
      if (FileStatus s = initializer(tensor.name(), initializers, scope, where);
          s != FileStatus::Ok)
        return s;
    for (const auto &tensor : graph.sparse_initializer())
      if (FileStatus s =
              initializer(tensor.values().name(), initializers, scope, where);
          s != FileStatus::Ok)
        return s;
    if (FileStatus s = nodes(graph.node(), scope, where); s != FileStatus::Ok)
      return s;
    for (const auto &output : graph.output())
      if (!scope.has(output.name()))
        return diagnostics.badModel(where + ": output '" + output.name() +
                                    "' has no producer");
    return FileStatus::Ok;
  }

  FileStatus function(const ::onnx::FunctionProto &function) {
    Scope scope;
    std::string where =
        "function '" + function.domain() + "." + function.name() + "'";
    for (const std::string &input : function.input())
      if (FileStatus s = define(scope, input, where); s != FileStatus::Ok)
        return s;
    if (FileStatus s = nodes(function.node(), scope, where);
        s != FileStatus::Ok)
      return s;
    for (const std::string &output : function.output())
      if (!scope.has(output))
        return diagnostics.badModel(where + ": output '" + output +
                                    "' has no producer");
    return FileStatus::Ok;
  }

private:
  using Nodes = ::google::protobuf::RepeatedPtrField<NodeProto>;

  FileStatus define(Scope &scope, StringRef name, StringRef where) {
    if (scope.parent && scope.parent->has(name))
      return diagnostics.badModel(where + ": value '" + name +
                                  "' has the name of one outside");
    if (!scope.names.insert(name).second)
      return diagnostics.badModel(where + ": value '" + name +
                                  "' is defined twice");
    return FileStatus::Ok;
  }

  FileStatus initializer(StringRef name, llvm::StringSet<> &initializers,
                         Scope &scope, StringRef where) {
    if (name.empty())
      return diagnostics.badModel(where + ": an initializer without a name");
    if (!initializers.insert(name).second)
      return diagnostics.badModel(where + ": initializer '" + name +
                                  "' is defined twice");
    if (scope.names.contains(name))
      return FileStatus::Ok;
    return define(scope, name, where);
  }

  /// All names first: order is looked at later.
  FileStatus nodes(const Nodes &list, Scope &scope, StringRef where) {
    for (auto [i, node] : llvm::enumerate(list)) {
      if (node.op_type().empty())
        return diagnostics.badModel(where + ": " + describeNode(node, i) +
                                    " has no op type");
      llvm::StringSet<> attributes;
      for (const AttributeProto &attribute : node.attribute())
        if (!attributes.insert(attribute.name()).second)
          return diagnostics.badModel(where + ": " + describeNode(node, i) +
                                      " has attribute '" + attribute.name() +
                                      "' twice");
      for (const std::string &output : node.output())
        if (!output.empty())
          if (FileStatus s = define(scope, output, describeNode(node, i));
              s != FileStatus::Ok)
            return s;
    }
    for (auto [i, node] : llvm::enumerate(list)) {
      std::string what = describeNode(node, i);
      for (const std::string &input : node.input())
        if (!input.empty() && !scope.has(input))
          return diagnostics.badModel(where + ": " + what + " reads '" + input +
                                      "', which has no producer");
      FileStatus status = FileStatus::Ok;
      forEachSubgraph(node, [&](const GraphProto &inner) {
        if (status == FileStatus::Ok)
          status = graph(inner, &scope, what);
      });
      if (status != FileStatus::Ok)
        return status;
    }
    return FileStatus::Ok;
  }

  const FileDiagnostics &diagnostics;
};

/// The deepest nesting, counted without recursion.
int nestingDepth(const ::onnx::ModelProto &model) {
  llvm::SmallVector<std::pair<const NodeProto *, int>> pending;
  for (const NodeProto &node : model.graph().node())
    if (hasSubgraph(node))
      pending.emplace_back(&node, 1);
  for (const auto &function : model.functions())
    for (const NodeProto &node : function.node())
      if (hasSubgraph(node))
        pending.emplace_back(&node, 1);
  int deepest = 0;
  while (!pending.empty()) {
    auto [node, depth] = pending.pop_back_val();
    deepest = std::max(deepest, depth);
    forEachSubgraph(*node, [&, depth = depth](const GraphProto &graph) {
      for (const NodeProto &inner : graph.node())
        if (hasSubgraph(inner))
          pending.emplace_back(&inner, depth + 1);
    });
  }
  return deepest;
}

} // namespace

FileStatus checkGraphs(const ::onnx::ModelProto &model,
                       const FileDiagnostics &diagnostics) {
  int depth = nestingDepth(model);
  if (depth > maximumDepth)
    return diagnostics.badModel("graphs are nested " + Twine(depth) +
                                " deep, which is more than " +
                                Twine(maximumDepth));
  GraphChecker checker(diagnostics);
  if (FileStatus s = checker.graph(model.graph(), nullptr, "graph");
      s != FileStatus::Ok)
    return s;
  for (const auto &function : model.functions())
    if (FileStatus s = checker.function(function); s != FileStatus::Ok)
      return s;
  return FileStatus::Ok;
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

static void collectCaptures(const GraphProto &graph, NameSet &captures) {
  llvm::StringSet<> own;
  for (const auto &input : graph.input())
    own.insert(input.name());
  for (const auto &tensor : graph.initializer())
    own.insert(tensor.name());
  for (const auto &tensor : graph.sparse_initializer())
    own.insert(tensor.values().name());
  for (const NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      own.insert(output);
  auto read = [&](const std::string &name) {
    if (!name.empty() && !own.contains(name))
      captures.insert(name);
  };
  for (const NodeProto &node : graph.node()) {
    for (const std::string &input : node.input())
      read(input);
    for (const std::string &name : capturedNames(node))
      read(name);
  }
  for (const auto &output : graph.output())
    read(output.name());
}

NameSet capturedNames(const NodeProto &node) {
  NameSet captures;
  forEachSubgraph(
      node, [&](const GraphProto &graph) { collectCaptures(graph, captures); });
  return captures;
}

void collectNames(const GraphProto &graph, llvm::StringSet<> &names) {
  llvm::SmallVector<const GraphProto *> pending = {&graph};
  while (!pending.empty()) {
    const GraphProto *next = pending.pop_back_val();
    for (const auto &input : next->input())
      names.insert(input.name());
    for (const auto &tensor : next->initializer())
      names.insert(tensor.name());
    for (const auto &tensor : next->sparse_initializer())
      names.insert(tensor.values().name());
    for (const NodeProto &node : next->node()) {
      for (const std::string &input : node.input())
        names.insert(input);
      for (const std::string &output : node.output())
        names.insert(output);
      forEachSubgraph(
          node, [&](const GraphProto &inner) { pending.push_back(&inner); });
    }
  }
}

} // namespace lowtide::frontend
