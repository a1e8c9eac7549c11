//===- OpsetDowngrade.cpp - A written model to an older opset -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The graph and the body of each function go through the converter one by one,
// large tensors as inputs. The converter can't take Split down, so splits
// travel in a domain of their own, which it leaves alone, and are spelled for
// the target afterwards from the sizes of their results.
//
// Tested by test/Frontend/opsets.py.
//
//===----------------------------------------------------------------------===//

#include "OpsetDowngrade.h"

#include "GraphCheck.h"
#include "OpsetUpgrade.h"
#include "TensorData.h"

#include "onnx/defs/schema.h"

namespace lowtide::frontend {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

namespace {

constexpr const char *heldDomain = "lowtide.held";

struct HeldNode {
  NodeProto node;
  /// Of a Split's results.
  std::vector<int64_t> sizes;
};

/// The extent of each result along the split's axis; empty when unknown.
std::vector<int64_t> splitSizes(const ModelProto &model,
                                const NodeProto &node) {
  int64_t axis = 0;
  for (const AttributeProto &attribute : node.attribute())
    if (attribute.name() == "axis")
      axis = attribute.i();
  llvm::StringMap<const ::onnx::TypeProto *> types;
  for (const auto &info : model.graph().value_info())
    types[info.name()] = &info.type();
  for (const auto &info : model.graph().output())
    types[info.name()] = &info.type();
  std::vector<int64_t> sizes;
  for (const std::string &output : node.output()) {
    auto it = types.find(output);
    if (it == types.end())
      return {};
    const auto &shape = it->second->tensor_type().shape();
    int64_t index = axis < 0 ? axis + shape.dim_size() : axis;
    if (index < 0 || index >= shape.dim_size() ||
        !shape.dim(index).has_dim_value())
      return {};
    sizes.push_back(shape.dim(index).dim_value());
  }
  return sizes;
}

/// Whether the op was spelled alike at `target`: the same attributes and no
/// more operands. What it means is then checked by the checker.
bool fitsOpset(const NodeProto &node, int64_t target) {
  const ::onnx::OpSchema *schema = ::onnx::OpSchemaRegistry::Schema(
      node.op_type(), static_cast<int>(target), "");
  if (!schema || schema->Deprecated() ||
      node.input_size() > schema->max_input() ||
      node.output_size() > schema->max_output())
    return false;
  return llvm::all_of(node.attribute(), [&](const AttributeProto &attribute) {
    return schema->attributes().count(attribute.name()) > 0;
  });
}

/// Moves nodes that the converter can't take down into a domain of their own.
FileStatus holdNodes(ModelProto &model, llvm::StringRef opType, int64_t target,
                     std::vector<HeldNode> &held,
                     const FileDiagnostics &diagnostics) {
  for (auto [i, node] :
       llvm::enumerate(*model.mutable_graph()->mutable_node())) {
    if (!node.domain().empty() || node.op_type() != opType)
      continue;
    HeldNode entry{node, {}};
    if (node.op_type() == "Split") {
      entry.sizes = splitSizes(model, node);
      if (entry.sizes.empty())
        return diagnostics.unsupported(
            describeNode(node, i) +
            " needs opset 18, since the sizes of its results are not known");
    } else if (!fitsOpset(node, target)) {
      return diagnostics.unsupported(describeNode(node, i) +
                                     " has no form at opset " +
                                     llvm::Twine(target));
    }
    node.set_domain(heldDomain);
    node.set_overload(std::to_string(held.size()));
    held.push_back(std::move(entry));
  }
  for (const auto &import : model.opset_import())
    if (import.domain() == heldDomain)
      return FileStatus::Ok;
  auto *import = model.add_opset_import();
  import->set_domain(heldDomain);
  import->set_version(1);
  return FileStatus::Ok;
}

/// A split with explicit sizes, as an input or, before 13, an attribute.
NodeProto spellSplit(GraphProto &graph, const HeldNode &split, int64_t target) {
  NodeProto spelled = split.node;
  while (spelled.input_size() > 1)
    spelled.mutable_input()->RemoveLast();
  spelled.clear_attribute();
  for (const AttributeProto &attribute : split.node.attribute())
    if (attribute.name() == "axis")
      *spelled.add_attribute() = attribute;
  if (target >= 13) {
    TensorProto &sizes = *graph.add_initializer();
    sizes.set_name(split.node.output(0) + ".split_sizes");
    sizes.set_data_type(TensorProto::INT64);
    sizes.add_dims(static_cast<int64_t>(split.sizes.size()));
    for (int64_t size : split.sizes)
      sizes.add_int64_data(size);
    spelled.add_input(sizes.name());
  } else {
    AttributeProto &sizes = *spelled.add_attribute();
    sizes.set_name("split");
    sizes.set_type(AttributeProto::INTS);
    for (int64_t size : split.sizes)
      sizes.add_ints(size);
  }
  return spelled;
}

void releaseNodes(ModelProto &model, const std::vector<HeldNode> &held,
                  int64_t target) {
  GraphProto &graph = *model.mutable_graph();
  for (NodeProto &node : *graph.mutable_node()) {
    if (node.domain() != heldDomain)
      continue;
    const HeldNode &entry = held[std::stoul(node.overload())];
    NodeProto spelled = entry.node.op_type() == "Split"
                            ? spellSplit(graph, entry, target)
                            : entry.node;
    // The name and the metadata are those that conversion restored.
    spelled.set_name(node.name());
    *spelled.mutable_metadata_props() = node.metadata_props();
    node = spelled;
  }
  auto *imports = model.mutable_opset_import();
  imports->erase(std::remove_if(imports->begin(), imports->end(),
                                [](const auto &import) {
                                  return import.domain() == heldDomain;
                                }),
                 imports->end());
}

/// References become inputs while the converter works.
class HiddenReferences {
public:
  explicit HiddenReferences(ModelProto &model) : model(model) {
    GraphProto &graph = *model.mutable_graph();
    numInputs = graph.input_size();
    llvm::StringSet<> inputs;
    for (const auto &input : graph.input())
      inputs.insert(input.name());
    for (TensorProto &tensor : *graph.mutable_initializer()) {
      if (!isReference(tensor))
        continue;
      saved.push_back(tensor);
      if (inputs.contains(tensor.name()))
        continue;
      auto *input = graph.add_input();
      input->set_name(tensor.name());
      auto *type = input->mutable_type()->mutable_tensor_type();
      type->set_elem_type(tensor.data_type());
      type->mutable_shape();
      for (int64_t dim : tensor.dims())
        type->mutable_shape()->add_dim()->set_dim_value(dim);
    }
    auto *list = graph.mutable_initializer();
    list->erase(std::remove_if(list->begin(), list->end(), isReference),
                list->end());
  }
  ~HiddenReferences() {
    GraphProto &graph = *model.mutable_graph();
    while (graph.input_size() > numInputs)
      graph.mutable_input()->RemoveLast();
    std::vector<TensorProto> others(graph.initializer().begin(),
                                    graph.initializer().end());
    graph.clear_initializer();
    for (const TensorProto &tensor : saved)
      *graph.add_initializer() = tensor;
    for (const TensorProto &tensor : others)
      *graph.add_initializer() = tensor;
  }

private:
  ModelProto &model;
  int numInputs = 0;
  std::vector<TensorProto> saved;
};

/// What "No Adapter From Version $14 for Mul" or "... To Version $13 ..." say.
struct MissingAdapter {
  std::string opType;
  /// The opset that the op can still be brought to.
  int64_t from = 0;
};

std::optional<MissingAdapter> parseComplaint(llvm::StringRef complaint) {
  llvm::StringRef line = complaint.split('\n').first;
  auto [start, opType] = line.rsplit(" for ");
  MissingAdapter missing{opType.trim().str(), 0};
  if (!line.contains("No Adapter") ||
      start.rsplit('$').second.getAsInteger(10, missing.from))
    return std::nullopt;
  missing.from += start.contains("To Version");
  return missing;
}

FileStatus downgradeGraph(ModelProto &model, int64_t target,
                          const FileDiagnostics &diagnostics) {
  HiddenReferences hidden(model);
  std::vector<HeldNode> held;
  llvm::StringSet<> opTypes;
  if (target < 18) {
    opTypes.insert("Split");
    if (FileStatus s = holdNodes(model, "Split", target, held, diagnostics);
        s != FileStatus::Ok)
      return s;
  }
  while (true) {
    std::string complaint;
    FileStatus status = convertOpset(model, target, diagnostics, &complaint);
    if (status == FileStatus::Ok)
      break;
    if (complaint.empty())
      return status;
    std::optional<MissingAdapter> missing = parseComplaint(complaint);
    if (!missing || !opTypes.insert(missing->opType).second)
      return convertOpset(model, target, diagnostics);
    // As far as it goes, and by hand from there.
    if (missing->from < standardOpset(model) && missing->from > target)
      if (FileStatus s = convertOpset(model, missing->from, diagnostics);
          s != FileStatus::Ok)
        return s;
    if (FileStatus s =
            holdNodes(model, missing->opType, target, held, diagnostics);
        s != FileStatus::Ok)
      return s;
  }
  releaseNodes(model, held, target);
  return FileStatus::Ok;
}

FileStatus downgradeFunction(BodyFunctions::Function &function, int64_t target,
                             const FileDiagnostics &diagnostics) {
  ModelProto model;
  model.set_ir_version(irVersionFor(internalOpset));
  setStandardOpset(model, internalOpset);
  GraphProto &graph = *model.mutable_graph();
  graph.set_name(function.proto.name());
  for (auto [name, type] :
       llvm::zip(function.proto.input(), function.inputTypes)) {
    if (type.value_case() == ::onnx::TypeProto::VALUE_NOT_SET)
      continue;
    auto *input = graph.add_input();
    input->set_name(name);
    *input->mutable_type() = type;
  }
  *graph.mutable_node() = function.proto.node();
  for (const std::string &output : function.proto.output())
    graph.add_output()->set_name(output);
  if (FileStatus s = inferGraph(model, diagnostics); s != FileStatus::Ok)
    return s;
  if (FileStatus s = downgradeGraph(model, target, diagnostics);
      s != FileStatus::Ok)
    return s;
  // A function has no initializers: what
  // the conversion added are constants.
  ::google::protobuf::RepeatedPtrField<NodeProto> nodes;
  for (const TensorProto &tensor : model.graph().initializer()) {
    NodeProto &node = *nodes.Add();
    node.set_op_type("Constant");
    node.add_output(tensor.name());
    AttributeProto &value = *node.add_attribute();
    value.set_name("value");
    value.set_type(AttributeProto::TENSOR);
    *value.mutable_t() = tensor;
  }
  nodes.MergeFrom(model.graph().node());
  function.proto.mutable_node()->Swap(&nodes);
  function.proto.mutable_opset_import(0)->set_version(target);
  return FileStatus::Ok;
}

} // namespace

FileStatus downgradeModel(ModelProto &model, BodyFunctions &functions,
                          int64_t target, const FileDiagnostics &diagnostics) {
  if (target == internalOpset)
    return FileStatus::Ok;
  if (target > internalOpset || target < oldestOpset)
    return diagnostics.unsupported("opset " + llvm::Twine(target) +
                                   " is outside " + llvm::Twine(oldestOpset) +
                                   " to " + llvm::Twine(internalOpset));
  for (auto &entry : functions.functions())
    if (FileStatus s = downgradeFunction(entry.second, target, diagnostics);
        s != FileStatus::Ok)
      return s;
  return downgradeGraph(model, target, diagnostics);
}

} // namespace lowtide::frontend
