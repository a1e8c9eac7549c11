//===- FileNamer.cpp - Names of values and nodes in a file ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "FileNamer.h"

#include "GraphCheck.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace lowtide::frontend {

StringRef nodeNameOf(Location location) {
  StringRef name;
  location->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part)) {
      name = named.getName();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return name;
}

FileNamer::FileNamer(func::FuncOp function, bool nameNodes)
    : function(function) {
  reserveInnerNames();
  nameArguments();
  nameResults();
  // Originals first, so that a recomputed copy never takes their names.
  nameOps(/*recomputed=*/false, nameNodes);
  nameOps(/*recomputed=*/true, nameNodes);
}

std::string FileNamer::value(Value value) const { return values.lookup(value); }

std::string FileNamer::node(Operation *op) const { return nodes.lookup(op); }

std::string FileNamer::unique(StringRef wanted, llvm::StringSet<> &used) {
  std::string name = wanted.str();
  while (!used.insert(name).second) {
    int &suffix = suffixes[wanted];
    suffix = suffix == 0 ? 2 : suffix + 1;
    name = (wanted + "__" + Twine(suffix)).str();
  }
  return name;
}

/// Names inside the subgraphs of carried nodes must not be shadowed.
void FileNamer::reserveInnerNames() {
  for (Operation &op : function.front()) {
    auto text = op.getAttrOfType<StringAttr>("node");
    auto captures = op.getAttrOfType<ArrayAttr>("captures");
    if (op.getName().getStringRef() != "onnx.Custom" || !text || !captures)
      continue;
    ::onnx::NodeProto node;
    if (!node.ParseFromArray(text.data(), text.size()) || !hasSubgraph(node))
      continue;
    ::onnx::GraphProto graph;
    *graph.add_node() = node;
    llvm::StringSet<> inner;
    collectNames(graph, inner);
    for (StringAttr name : captures.getAsRange<StringAttr>())
      inner.erase(name.getValue());
    for (const auto &name : inner)
      usedValues.insert(name.getKey());
  }
}

void FileNamer::nameArguments() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto name = function.getArgAttrOfType<StringAttr>(index, "onnx.name");
    std::string wanted =
        name && !name.empty() ? name.str() : "input_" + std::to_string(index);
    values[argument] = unique(wanted, usedValues);
  }
}

void FileNamer::nameResults() {
  auto *terminator = function.front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto attribute = function.getResultAttrOfType<StringAttr>(i, "onnx.name");
    std::string wanted = attribute && !attribute.empty()
                             ? attribute.str()
                             : "output_" + std::to_string(i);
    // An input that is an output under its own name is just that.
    if (isa<BlockArgument>(value) && values.lookup(value) == wanted &&
        !llvm::is_contained(results, wanted)) {
      results.push_back(wanted);
      continue;
    }
    results.push_back(unique(wanted, usedValues));
    if (isa<OpResult>(value) && !values.count(value))
      values[value] = results.back();
  }
}

void FileNamer::nameOps(bool recomputed, bool nameNodes) {
  for (Operation &op : function.front().without_terminator()) {
    StringRef kind = op.getName().getStringRef();
    if (op.hasAttr("plan.recompute_of") != recomputed || kind == "onnx.None")
      continue;
    StringRef name = nodeNameOf(op.getLoc());
    StringRef type = op.getName().stripDialect();
    if (kind == "onnx.Custom")
      type = op.getAttrOfType<StringAttr>("op_type");
    if (!op.hasAttr("onnx.initializer")) {
      if (!name.empty() || nameNodes)
        nodes[&op] = unique(name.empty() ? type : name, usedNodes);
    }
    auto outputs = op.getAttrOfType<ArrayAttr>("onnx.outputs");
    for (OpResult result : op.getResults()) {
      if (isa<NoneType>(result.getType()) || values.count(result))
        continue;
      unsigned index = result.getResultNumber();
      std::string wanted;
      if (outputs && index < outputs.size())
        wanted = cast<StringAttr>(outputs[index]).str();
      if (wanted.empty()) {
        wanted = (name.empty() ? type : name).str();
        wanted += "_out" + (index ? std::to_string(index) : "");
      }
      values[result] = unique(wanted, usedValues);
    }
  }
}

} // namespace lowtide::frontend
