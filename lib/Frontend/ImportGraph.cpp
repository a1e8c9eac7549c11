//===- ImportGraph.cpp - A prepared graph becomes a module ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One function: its arguments are the graph's inputs and initializers, its ops
// the nodes (ImportNode.cpp), its results the graph's outputs.
//
// Tested by test/Frontend.
//
//===----------------------------------------------------------------------===//

#include "ImportGraph.h"

#include "GraphImporter.h"
#include "NodeAttributes.h"
#include "OpsetUpgrade.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace lowtide::frontend {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type GraphImporter::fileType(StringRef name) const {
  auto it = inferredTypes.find(name);
  if (it == inferredTypes.end())
    return {};
  Type type = toValueType(context, *it->second);
  return type == unknownValueType(context) ? Type() : type;
}

Type GraphImporter::declaredType(StringRef name) const {
  auto it = prepared.declaredTypes.find(name);
  if (it == prepared.declaredTypes.end())
    return {};
  Type type = toValueType(context, it->second);
  return type == unknownValueType(context) ? Type() : type;
}

ArrayAttr GraphImporter::dimNames(const ::onnx::TypeProto &type) {
  std::vector<std::string> names;
  bool any = false;
  if (type.has_tensor_type())
    for (const auto &dim : type.tensor_type().shape().dim()) {
      names.push_back(dimensionSymbol(dim));
      any |= !names.back().empty();
    }
  return any ? strings(names) : ArrayAttr();
}

//===----------------------------------------------------------------------===//
// Function, arguments, constants
//===----------------------------------------------------------------------===//

FileStatus GraphImporter::createFunction() {
  model.module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToStart(model.module->getBody());
  function = builder.create<func::FuncOp>(builder.getUnknownLoc(), "main",
                                          builder.getFunctionType({}, {}));
  function.addEntryBlock();
  for (const auto &info : graph.value_info())
    inferredTypes[info.name()] = &info.type();
  for (const auto &info : graph.output())
    inferredTypes[info.name()] = &info.type();
  for (const auto &input : graph.input())
    if (FileStatus s = addArgument(input); s != FileStatus::Ok)
      return s;
  builder.setInsertionPointToEnd(&function.front());
  return FileStatus::Ok;
}

FileStatus GraphImporter::addArgument(const ::onnx::ValueInfoProto &input) {
  const std::string &name = input.name();
  bool isConstant = prepared.liftedConstants.contains(name);
  bool isInitializer = isConstant || prepared.liftedInitializers.contains(name);
  bool isInput = !isInitializer || prepared.overridable.contains(name);
  Type type = toValueType(context, input.type());
  if (const WeightStore::Entry *entry = model.weights.find(name);
      entry && isInitializer) {
    std::optional<Type> merged = mergeTypes(entry->type, type);
    if (!merged)
      return diagnostics.badModel(
          "initializer '" + name + "' is " + typeText(entry->type) +
          " but the input of that name is " + typeText(type));
    type = *merged;
  }
  if (type == unknownValueType(context))
    return diagnostics.badModel("input '" + name + "' has no element type");
  unsigned index = function.getNumArguments();
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr("onnx.name", builder.getStringAttr(name))};
  auto flag = [&](StringRef attribute) {
    attributes.push_back(
        builder.getNamedAttr(attribute, builder.getUnitAttr()));
  };
  if (isInput)
    flag("onnx.input");
  if (isInitializer)
    flag("onnx.initializer");
  if (isConstant)
    flag("onnx.constant_node");
  if (ArrayAttr names = dimNames(input.type()))
    attributes.push_back(builder.getNamedAttr("onnx.dims", names));
  function.insertArgument(index, type, builder.getDictionaryAttr(attributes),
                          builder.getUnknownLoc());
  values[name] = function.getArgument(index);
  return FileStatus::Ok;
}

Value GraphImporter::none() {
  if (!noneValue) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function.front());
    OperationState state(builder.getUnknownLoc(), "onnx.None");
    state.addTypes(builder.getNoneType());
    noneValue = builder.create(state)->getResult(0);
  }
  return noneValue;
}

Operation *GraphImporter::createConstant(Location location,
                                         DenseElementsAttr value,
                                         StringRef name) {
  OperationState state(location, "onnx.Constant");
  state.addAttribute("value", value);
  state.addAttribute("onnx.outputs", strings({name.str()}));
  state.addTypes(value.getType());
  Operation *op = builder.create(state);
  values[name] = op->getResult(0);
  return op;
}

/// Small initializers that nobody may override are constants.
FileStatus GraphImporter::addInitializers() {
  for (const TensorProto &tensor : graph.initializer()) {
    if (values.count(tensor.name()))
      continue;
    if (DenseElementsAttr value = toElements(context, tensor)) {
      createConstant(builder.getUnknownLoc(), value, tensor.name())
          ->setAttr("onnx.initializer", builder.getUnitAttr());
      continue;
    }
    // Strings, for one: carried as the Constant node that they could be.
    NodeProto node;
    node.set_op_type("Constant");
    node.add_output(tensor.name());
    AttributeProto *value = node.add_attribute();
    value->set_name("value");
    value->set_type(AttributeProto::TENSOR);
    *value->mutable_t() = tensor;
    if (FileStatus s = createCustom(node, 0); s != FileStatus::Ok)
      return s;
    values[tensor.name()].getDefiningOp()->setAttr("onnx.initializer",
                                                   builder.getUnitAttr());
  }
  if (graph.sparse_initializer_size() > 0)
    return diagnostics.unsupported("sparse initializer '" +
                                   graph.sparse_initializer(0).values().name() +
                                   "'");
  return FileStatus::Ok;
}

//===----------------------------------------------------------------------===//
// Results and the module's attributes
//===----------------------------------------------------------------------===//

FileStatus GraphImporter::addResults() {
  SmallVector<Value> results;
  SmallVector<Type> types;
  for (const auto &output : graph.output()) {
    Value value = values.lookup(output.name());
    if (!value)
      return diagnostics.badModel("output '" + output.name() +
                                  "' has no producer");
    results.push_back(value);
    types.push_back(value.getType());
  }
  builder.create<func::ReturnOp>(builder.getUnknownLoc(), results);
  function.setFunctionType(
      builder.getFunctionType(function.front().getArgumentTypes(), types));
  for (auto [i, output] : llvm::enumerate(graph.output())) {
    function.setResultAttr(i, "onnx.name",
                           builder.getStringAttr(output.name()));
    ArrayAttr names;
    auto declared = prepared.declaredTypes.find(output.name());
    if (declared != prepared.declaredTypes.end())
      names = dimNames(declared->second);
    if (names)
      function.setResultAttr(i, "onnx.dims", names);
  }
  return FileStatus::Ok;
}

void GraphImporter::setModelAttributes() {
  const ::onnx::ModelProto &proto = prepared.proto;
  NamedAttrList imports, metadata, all;
  for (const auto &import : proto.opset_import())
    if (!import.domain().empty() && import.domain() != trainDomain)
      imports.set(import.domain(), builder.getI64IntegerAttr(import.version()));
  for (const auto &entry : proto.metadata_props())
    if (!entry.key().empty() && !StringRef(entry.key()).starts_with("lowtide."))
      metadata.set(entry.key(), builder.getStringAttr(entry.value()));
  auto text = [&](StringRef name, const std::string &value) {
    if (!value.empty())
      all.set(name, builder.getStringAttr(value));
  };
  all.set("ir_version", builder.getI64IntegerAttr(prepared.fileIrVersion));
  all.set("opset", builder.getI64IntegerAttr(prepared.fileOpset));
  all.set("opset_imports", imports.getDictionary(context));
  all.set("metadata", metadata.getDictionary(context));
  text("graph", graph.name());
  text("producer_name", proto.producer_name());
  text("producer_version", proto.producer_version());
  text("domain", proto.domain());
  text("doc_string", proto.doc_string());
  if (proto.model_version() != 0)
    all.set("model_version", builder.getI64IntegerAttr(proto.model_version()));
  (*model.module)->setAttr("onnx.model", all.getDictionary(context));
}

FileStatus GraphImporter::run() {
  if (FileStatus s = createFunction(); s != FileStatus::Ok)
    return s;
  if (FileStatus s = addInitializers(); s != FileStatus::Ok)
    return s;
  for (auto [i, node] : llvm::enumerate(graph.node()))
    if (FileStatus s = addNode(node, i); s != FileStatus::Ok)
      return s;
  if (FileStatus s = addResults(); s != FileStatus::Ok)
    return s;
  setModelAttributes();
  std::string message;
  bool valid = false;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (message.empty())
        message = diagnostic.str();
      return success();
    });
    valid = succeeded(verify(*model.module));
  }
  if (!valid)
    return diagnostics.badModel("the graph does not verify: " + message);
  return FileStatus::Ok;
}

FileStatus importGraph(const PreparedModel &prepared, Model &model,
                       const FileDiagnostics &diagnostics) {
  return GraphImporter(prepared, model, diagnostics).run();
}

} // namespace lowtide::frontend
