//===- ExportOnnx.cpp - Write a model file --------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The module becomes a graph in op order. Initializers are references to the
// weight store until the file is written. A model that is still as it was read
// is written from the message that it was read from, so nothing is lost.
//
// Tested by test/Frontend.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "ExportNode.h"
#include "FileNamer.h"
#include "NodeAttributes.h"
#include "OpsetDowngrade.h"
#include "OpsetUpgrade.h"
#include "StepMetadata.h"
#include "TensorData.h"
#include "WriteModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace lowtide {

using namespace frontend;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

namespace {

class GraphExporter {
public:
  GraphExporter(const Model &model, func::FuncOp function,
                const FileDiagnostics &diagnostics)
      : model(model), function(function), diagnostics(diagnostics),
        isStep(function->hasAttr("train.step")), names(function, isStep),
        graph(*proto.mutable_graph()) {}

  FileStatus run(int64_t opset);
  ModelProto &result() { return proto; }

private:
  FileStatus addArguments();
  FileStatus addOp(Operation *op);
  void addNodeMetadata(Operation *op, NodeProto &node);
  FileStatus addResults();
  void addModelAttributes(int64_t opset);
  FileStatus addInitializer(StringRef name, StringRef weight, Type type);
  bool isInput(unsigned index);

  const Model &model;
  func::FuncOp function;
  const FileDiagnostics &diagnostics;
  bool isStep;
  FileNamer names;
  BodyFunctions functions;
  ModelProto proto;
  GraphProto &graph;
  llvm::StringSet<> usedDomains;
};

std::vector<std::string> dimNames(Attribute attribute) {
  std::vector<std::string> names;
  if (auto list = dyn_cast_or_null<ArrayAttr>(attribute))
    for (Attribute entry : list)
      names.push_back(isa<StringAttr>(entry) ? cast<StringAttr>(entry).str()
                                             : "");
  return names;
}

std::string nodeText(Operation *op) {
  StringRef name = nodeNameOf(op->getLoc());
  return (name.empty() ? "a node" : "node '" + name.str() + "'") + " (" +
         op->getName().stripDialect().str() + ")";
}

} // namespace

//===----------------------------------------------------------------------===//
// Inputs, outputs
//===----------------------------------------------------------------------===//

bool GraphExporter::isInput(unsigned index) {
  if (!function.getArgAttr(index, "onnx.initializer") ||
      function.getArgAttr(index, "onnx.input"))
    return true;
  // What a step replaces has to be an input; its initializer is the default.
  auto role = function.getArgAttrOfType<StringAttr>(index, "train.role");
  return role &&
         (role.getValue() == "parameter" || role.getValue() == "statistic");
}

FileStatus GraphExporter::addInitializer(StringRef name, StringRef weight,
                                         Type type) {
  const WeightStore::Entry *entry = model.weights.find(weight);
  if (!entry)
    return diagnostics.unsupported("initializer '" + weight +
                                   "' has no bytes in the weight store");
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || ranked.getElementType() != entry->type.getElementType())
    return diagnostics.unsupported("initializer '" + weight +
                                   "' has another type in the weight store");
  TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name.str());
  tensor.set_data_type(toDataType(entry->type.getElementType()));
  for (int64_t dim : entry->type.getShape())
    tensor.add_dims(dim);
  makeReference(tensor, weight);
  return FileStatus::Ok;
}

FileStatus GraphExporter::addArguments() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    std::string name = names.value(argument);
    if (isInput(index)) {
      auto *input = graph.add_input();
      input->set_name(name);
      if (!toTypeProto(argument.getType(),
                       dimNames(function.getArgAttr(index, "onnx.dims")),
                       *input->mutable_type()))
        return diagnostics.unsupported("input '" + name +
                                       "' has a type that no file can hold");
    }
    if (!function.getArgAttr(index, "onnx.initializer"))
      continue;
    auto weight = function.getArgAttrOfType<StringAttr>(index, "onnx.name");
    if (FileStatus s = addInitializer(name, weight ? weight.getValue() : name,
                                      argument.getType());
        s != FileStatus::Ok)
      return s;
  }
  return FileStatus::Ok;
}

FileStatus GraphExporter::addResults() {
  Operation *terminator = function.front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    std::string own = names.value(value);
    StringRef name = names.result(i);
    if (own != name) {
      NodeProto &node = *graph.add_node();
      node.set_op_type("Identity");
      node.add_input(own);
      node.add_output(name.str());
    }
    auto *output = graph.add_output();
    output->set_name(name.str());
    if (!toTypeProto(value.getType(),
                     dimNames(function.getResultAttr(i, "onnx.dims")),
                     *output->mutable_type()))
      return diagnostics.unsupported("output '" + name +
                                     "' has a type that no file can hold");
  }
  return FileStatus::Ok;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void GraphExporter::addNodeMetadata(Operation *op, NodeProto &node) {
  NamedAttrList metadata;
  if (auto own = op->getAttrOfType<DictionaryAttr>("onnx.metadata"))
    metadata = NamedAttrList(own);
  if (auto phase = op->getAttrOfType<StringAttr>("train.phase"))
    metadata.set("lowtide.phase", phase);
  if (auto original = op->getAttrOfType<StringAttr>("plan.recompute_of"))
    metadata.set("lowtide.recompute_of", original);
  for (NamedAttribute entry : metadata.getDictionary(op->getContext())) {
    auto text = dyn_cast<StringAttr>(entry.getValue());
    if (!text)
      continue;
    auto *out = node.add_metadata_props();
    out->set_key(entry.getName().str());
    out->set_value(text.str());
  }
}

FileStatus GraphExporter::addOp(Operation *op) {
  StringRef kind = op->getName().getStringRef();
  if (kind == "onnx.None")
    return FileStatus::Ok;
  NodeProto node;
  auto nameOf = [&](Value value) { return names.value(value); };
  if (std::string error = writeNode(op, nameOf, node); !error.empty())
    return diagnostics.unsupported(nodeText(op) + ": " + error);
  if (op->hasAttr("onnx.initializer") && node.attribute_size() == 1 &&
      node.attribute(0).has_t()) {
    TensorProto &tensor = *graph.add_initializer();
    tensor = node.attribute(0).t();
    tensor.set_name(node.output(0));
    return FileStatus::Ok;
  }
  if (node.domain() == trainDomain)
    if (std::string error = functions.overloadFor(op, *node.mutable_overload());
        !error.empty())
      return diagnostics.unsupported(nodeText(op) + ": " + error);
  usedDomains.insert(node.domain());
  if (std::string name = names.node(op); !name.empty())
    node.set_name(name);
  addNodeMetadata(op, node);
  for (auto [name, result] : llvm::zip(node.output(), op->getResults())) {
    if (name.empty() || isa<NoneType>(result.getType()))
      continue;
    ::onnx::TypeProto type;
    if (!llvm::is_contained(function.front().getTerminator()->getOperands(),
                            result) &&
        toTypeProto(result.getType(), {}, type)) {
      auto *info = graph.add_value_info();
      info->set_name(name);
      *info->mutable_type() = type;
    }
  }
  *graph.add_node() = std::move(node);
  return FileStatus::Ok;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

void GraphExporter::addModelAttributes(int64_t opset) {
  auto attributes =
      (*model.module)->getAttrOfType<DictionaryAttr>("onnx.model");
  auto text = [&](StringRef name) {
    auto value = attributes ? attributes.getAs<StringAttr>(name) : StringAttr();
    return value ? value.str() : "";
  };
  graph.set_name(text("graph").empty() ? "graph" : text("graph"));
  proto.set_ir_version(irVersionFor(opset));
  setStandardOpset(proto, internalOpset);
  proto.set_producer_name("lowtide");
  proto.set_producer_version(LOWTIDE_VERSION);
  if (!text("domain").empty())
    proto.set_domain(text("domain"));
  if (!text("doc_string").empty())
    proto.set_doc_string(text("doc_string"));
  if (!attributes)
    return;
  if (auto version = attributes.getAs<IntegerAttr>("model_version"))
    proto.set_model_version(version.getInt());
  if (auto imports = attributes.getAs<DictionaryAttr>("opset_imports"))
    for (NamedAttribute entry : imports) {
      auto *import = proto.add_opset_import();
      import->set_domain(entry.getName().str());
      import->set_version(cast<IntegerAttr>(entry.getValue()).getInt());
    }
  if (auto metadata = attributes.getAs<DictionaryAttr>("metadata"))
    for (NamedAttribute entry : metadata) {
      auto *out = proto.add_metadata_props();
      out->set_key(entry.getName().str());
      out->set_value(cast<StringAttr>(entry.getValue()).str());
    }
}

FileStatus GraphExporter::run(int64_t opset) {
  addModelAttributes(opset);
  if (FileStatus s = addArguments(); s != FileStatus::Ok)
    return s;
  for (Operation &op : function.front().without_terminator())
    if (FileStatus s = addOp(&op); s != FileStatus::Ok)
      return s;
  if (FileStatus s = addResults(); s != FileStatus::Ok)
    return s;
  auto valueName = [&](Value value) { return names.value(value); };
  auto nodeName = [&](Operation *op) { return names.node(op); };
  if (FileStatus s =
          writeStepMetadata(model, {valueName, nodeName}, proto, diagnostics);
      s != FileStatus::Ok)
    return s;
  if (!functions.functions().empty()) {
    auto *import = proto.add_opset_import();
    import->set_domain(trainDomain);
    import->set_version(1);
  }
  if (FileStatus s = downgradeModel(proto, functions, opset, diagnostics);
      s != FileStatus::Ok)
    return s;
  for (auto &entry : functions.functions())
    *proto.add_functions() = entry.second.proto;
  return FileStatus::Ok;
}

FileStatus exportOnnx(const Model &model, StringRef path,
                      const ExportOptions &options) {
  ModuleOp module = *model.module;
  FileDiagnostics diagnostics(*module->getContext(), path);
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function || !function.getBody().hasOneBlock())
    return diagnostics.unsupported("the module has no graph @main");
  ModelProto proto;
  if (options.keepOpset && !model.source.empty() &&
      fingerprintOf(module) == model.sourceFingerprint) {
    proto.ParseFromString(model.source);
    return writeModel(proto, model.weights, model.hadExternalData, path,
                      diagnostics);
  }
  int64_t opset = options.opset.value_or(internalOpset);
  if (options.keepOpset)
    if (auto attributes = module->getAttrOfType<DictionaryAttr>("onnx.model"))
      if (auto own = attributes.getAs<IntegerAttr>("opset"))
        opset = own.getInt() ? own.getInt() : internalOpset;
  GraphExporter exporter(model, function, diagnostics);
  if (FileStatus s = exporter.run(opset); s != FileStatus::Ok)
    return s;
  return writeModel(exporter.result(), model.weights, model.hadExternalData,
                    path, diagnostics);
}

} // namespace lowtide
