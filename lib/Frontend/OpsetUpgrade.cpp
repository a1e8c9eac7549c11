//===- OpsetUpgrade.cpp - From one opset to another -----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The converter keeps node names but drops what else a node carries, so every
// node travels under a name of its own that leads back to it. Nodes that an
// adapter made have no such name; they are found by what they write.
//
// Tested by test/Frontend/opsets.py.
//
//===----------------------------------------------------------------------===//

#include "OpsetUpgrade.h"

#include "GraphCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include "onnx/version_converter/convert.h"

namespace lowtide::frontend {

using llvm::StringRef;
using llvm::Twine;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;

int64_t standardOpset(const ModelProto &model) {
  for (const auto &import : model.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx")
      return import.version();
  return 0;
}

void setStandardOpset(ModelProto &model, int64_t opset) {
  for (auto &import : *model.mutable_opset_import())
    if (import.domain().empty()) {
      import.set_version(opset);
      return;
    }
  auto *import = model.add_opset_import();
  import->set_domain("");
  import->set_version(opset);
}

int64_t irVersionFor(int64_t opset) {
  // Node metadata and overloaded functions came with version 10.
  if (opset <= 22)
    return 10;
  if (opset == 23)
    return 11;
  if (opset == 24)
    return 12;
  return opset <= 27 ? 13 : 14;
}

/// Calls `visit` on every node of the main graph and of graphs inside it.
template <typename Visit>
static void forEachNode(GraphProto &graph, Visit visit) {
  llvm::SmallVector<GraphProto *> pending = {&graph};
  while (!pending.empty()) {
    GraphProto *next = pending.pop_back_val();
    for (NodeProto &node : *next->mutable_node()) {
      visit(node);
      for (AttributeProto &attribute : *node.mutable_attribute()) {
        if (attribute.has_g())
          pending.push_back(attribute.mutable_g());
        for (GraphProto &inner : *attribute.mutable_graphs())
          pending.push_back(&inner);
      }
    }
  }
}

void normalizeDomains(ModelProto &model) {
  auto normalize = [](NodeProto &node) {
    if (node.domain() == "ai.onnx")
      node.clear_domain();
  };
  forEachNode(*model.mutable_graph(), normalize);
  for (auto &function : *model.mutable_functions()) {
    GraphProto body;
    body.mutable_node()->Swap(function.mutable_node());
    forEachNode(body, normalize);
    body.mutable_node()->Swap(function.mutable_node());
    for (auto &import : *function.mutable_opset_import())
      if (import.domain() == "ai.onnx")
        import.set_domain("");
  }
  for (auto &import : *model.mutable_opset_import())
    if (import.domain() == "ai.onnx")
      import.set_domain("");
}

//===----------------------------------------------------------------------===//
// Five outputs of batch normalization
//===----------------------------------------------------------------------===//

namespace {

/// What a batch normalization of opset 7 or 9 wrote besides its result. More
/// than one output meant training; the fourth and fifth were scratch.
struct OldBatchNorm {
  std::string mean, variance;
};

/// Takes the extra outputs off; the converter refuses them.
FileStatus trimBatchNorms(ModelProto &model,
                          llvm::StringMap<OldBatchNorm> &trimmed,
                          const FileDiagnostics &diagnostics) {
  if (standardOpset(model) >= 14)
    return FileStatus::Ok;
  llvm::StringSet<> read;
  forEachNode(*model.mutable_graph(), [&](const NodeProto &node) {
    for (const std::string &input : node.input())
      read.insert(input);
  });
  for (const auto &output : model.graph().output())
    read.insert(output.name());
  for (auto [i, node] :
       llvm::enumerate(*model.mutable_graph()->mutable_node())) {
    if (node.op_type() != "BatchNormalization" || !node.domain().empty() ||
        node.output_size() <= 1)
      continue;
    for (int k = 3; k < node.output_size(); ++k)
      if (!node.output(k).empty() && read.contains(node.output(k)))
        return diagnostics.unsupported(
            describeNode(node, i) + ": output '" + node.output(k) +
            "' (statistics saved by an old batch normalization) is read, and "
            "no newer opset has it");
    trimmed[node.output(0)] = {node.output(1),
                               node.output_size() > 2 ? node.output(2) : ""};
    while (node.output_size() > 1)
      node.mutable_output()->RemoveLast();
  }
  return FileStatus::Ok;
}

void restoreBatchNorms(ModelProto &model,
                       const llvm::StringMap<OldBatchNorm> &trimmed) {
  for (NodeProto &node : *model.mutable_graph()->mutable_node()) {
    if (node.op_type() != "BatchNormalization" || node.output_size() != 1)
      continue;
    auto it = trimmed.find(node.output(0));
    if (it == trimmed.end())
      continue;
    node.add_output(it->second.mean);
    node.add_output(it->second.variance);
    AttributeProto *training = node.add_attribute();
    training->set_name("training_mode");
    training->set_type(AttributeProto::INT);
    training->set_i(1);
  }
}

//===----------------------------------------------------------------------===//
// Names and metadata
//===----------------------------------------------------------------------===//

/// Puts nodes under names of their own and back.
class NodeIdentities {
public:
  explicit NodeIdentities(ModelProto &model) {
    forEachNode(*model.mutable_graph(), [&](NodeProto &node) {
      std::string key = "lowtide.node." + std::to_string(saved.size());
      byKey[key] = saved.size();
      for (const std::string &output : node.output())
        if (!output.empty())
          byOutput[output] = saved.size();
      saved.emplace_back();
      saved.back().set_name(node.name());
      saved.back().set_doc_string(node.doc_string());
      saved.back().mutable_metadata_props()->Swap(
          node.mutable_metadata_props());
      node.set_name(key);
    });
  }

  void restore(ModelProto &model) const {
    forEachNode(*model.mutable_graph(), [&](NodeProto &node) {
      size_t index = saved.size();
      if (auto it = byKey.find(node.name()); it != byKey.end())
        index = it->second;
      else if (node.output_size() > 0)
        if (auto out = byOutput.find(node.output(0)); out != byOutput.end())
          index = out->second;
      node.clear_name();
      if (index == saved.size())
        return;
      node.set_name(saved[index].name());
      if (!saved[index].doc_string().empty())
        node.set_doc_string(saved[index].doc_string());
      *node.mutable_metadata_props() = saved[index].metadata_props();
    });
  }

private:
  std::vector<NodeProto> saved;
  llvm::StringMap<size_t> byKey, byOutput;
};

/// A model of one node, whose reads are inputs or, where known, initializers.
ModelProto modelOfNode(const ModelProto &model, const NodeProto &node) {
  ModelProto single;
  single.set_ir_version(model.ir_version());
  *single.mutable_opset_import() = model.opset_import();
  GraphProto *graph = single.mutable_graph();
  graph->set_name("node");
  *graph->add_node() = node;
  llvm::StringSet<> seen;
  for (const std::string &input : node.input()) {
    if (input.empty() || !seen.insert(input).second)
      continue;
    bool isInitializer = false;
    for (const auto &tensor : model.graph().initializer())
      if (tensor.name() == input) {
        *graph->add_initializer() = tensor;
        isInitializer = true;
      }
    if (isInitializer && model.ir_version() >= 4)
      continue;
    auto *info = graph->add_input();
    info->set_name(input);
    info->mutable_type()->mutable_tensor_type()->set_elem_type(
        ::onnx::TensorProto::FLOAT);
  }
  for (const std::string &output : node.output())
    if (!output.empty())
      graph->add_output()->set_name(output);
  return single;
}

/// The library's messages end in lines about its own source.
std::string firstLine(StringRef message) {
  StringRef line = message.split('\n').first;
  // "convert.h:120: lookup: Assertion `cond` failed: text"
  size_t at = line.find(" failed: ");
  return (at == StringRef::npos ? line : line.substr(at + 9)).rtrim().str();
}

/// Whether the converter says the same of the node by itself.
bool isCulprit(const ModelProto &model, const NodeProto &node, int64_t target,
               StringRef message) {
  try {
    ::onnx::version_conversion::ConvertVersion(modelOfNode(model, node),
                                               static_cast<int>(target));
  } catch (const std::exception &error) {
    return firstLine(error.what()) == firstLine(message);
  }
  return false;
}

/// The converter's message rarely says which node it gave up on, and not always
/// of which op: first those that it names are tried, then one of each op.
std::string findCulprit(const ModelProto &model, int64_t target,
                        StringRef message) {
  llvm::StringSet<> tried;
  int tries = 0;
  for (bool named : {true, false})
    for (auto [i, node] : llvm::enumerate(model.graph().node())) {
      if (!node.domain().empty() || message.contains(node.op_type()) != named)
        continue;
      if (named ? ++tries > 50 : !tried.insert(node.op_type()).second)
        continue;
      if (isCulprit(model, node, target, message))
        return describeNode(node, i);
    }
  return "a node";
}

} // namespace

FileStatus convertOpset(ModelProto &model, int64_t target,
                        const FileDiagnostics &diagnostics,
                        std::string *complaint) {
  int64_t opset = standardOpset(model);
  if (opset == 0) {
    setStandardOpset(model, target);
    opset = target;
  }
  if (opset == target) {
    model.set_ir_version(irVersionFor(target));
    return FileStatus::Ok;
  }
  ModelProto frame = model;
  llvm::StringMap<OldBatchNorm> trimmed;
  if (FileStatus s = trimBatchNorms(frame, trimmed, diagnostics);
      s != FileStatus::Ok)
    return s;
  NodeIdentities identities(frame);
  ModelProto converted;
  std::string failure;
  try {
    converted = ::onnx::version_conversion::ConvertVersion(
        frame, static_cast<int>(target));
  } catch (const std::exception &error) {
    failure = error.what();
  }
  if (!failure.empty() && complaint) {
    *complaint = failure;
    return FileStatus::Unsupported;
  }
  if (!failure.empty())
    return diagnostics.unsupported(findCulprit(model, target, failure) +
                                   " cannot be converted from opset " +
                                   Twine(opset) + " to " + Twine(target) +
                                   ": " + firstLine(failure));
  identities.restore(converted);
  if (target >= 14)
    restoreBatchNorms(converted, trimmed);
  // Only the nodes are new; the rest of the model stays as it was.
  model.mutable_graph()->mutable_node()->Swap(
      converted.mutable_graph()->mutable_node());
  model.mutable_graph()->mutable_initializer()->Swap(
      converted.mutable_graph()->mutable_initializer());
  model.mutable_graph()->clear_value_info();
  setStandardOpset(model, target);
  model.set_ir_version(irVersionFor(target));
  return FileStatus::Ok;
}

} // namespace lowtide::frontend
