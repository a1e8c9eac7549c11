//===- ImportGraph.cpp - A prepared graph becomes a module ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One function, one op for each node. An op that the dialect defines gets the
// operands, results and attributes of the specification at the internal opset,
// absent ones included. All others, and nodes that a defined op can't hold, are
// carried as `onnx.Custom`.
//
// Types: our own inference on the operands' types, made more precise by what
// the ONNX library inferred and, last, by what the file declares. Where a
// declaration contradicts inference, inference wins with a warning.
//
// Tested by test/Frontend.
//
//===----------------------------------------------------------------------===//

#include "ImportGraph.h"

#include "ElementTypes.h"
#include "GraphCheck.h"
#include "NodeAttributes.h"
#include "OpsetUpgrade.h"
#include "TensorData.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "onnx/defs/schema.h"

using namespace mlir;

namespace lowtide::frontend {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::OpSchema;
using ::onnx::TensorProto;

namespace {

/// The more precise of two types that may both be right; nothing when they
/// can't.
std::optional<Type> mergeTypes(Type a, Type b) {
  if (!b || a == b)
    return a;
  auto left = dyn_cast<TensorType>(a), right = dyn_cast<TensorType>(b);
  if (!left || !right)
    return std::nullopt;
  Type element = left.getElementType();
  if (isa<OpaqueType>(element))
    element = right.getElementType();
  else if (!isa<OpaqueType>(right.getElementType()) &&
           right.getElementType() != element)
    return std::nullopt;
  if (!left.hasRank() || !right.hasRank()) {
    if (TensorType ranked = left.hasRank() ? left : right; ranked.hasRank())
      return RankedTensorType::get(ranked.getShape(), element);
    return UnrankedTensorType::get(element);
  }
  if (left.getRank() != right.getRank())
    return std::nullopt;
  SmallVector<int64_t> dims(left.getShape());
  for (auto [dim, other] : llvm::zip(dims, right.getShape())) {
    if (ShapedType::isDynamic(dim))
      dim = other;
    else if (!ShapedType::isDynamic(other) && other != dim)
      return std::nullopt;
  }
  return RankedTensorType::get(dims, element);
}

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

class GraphImporter {
public:
  GraphImporter(const PreparedModel &prepared, Model &model,
                const FileDiagnostics &diagnostics)
      : prepared(prepared), graph(prepared.proto.graph()), model(model),
        diagnostics(diagnostics), context(diagnostics.context()),
        builder(context) {}

  FileStatus run();

private:
  FileStatus createFunction();
  FileStatus addArgument(const ::onnx::ValueInfoProto &input);
  FileStatus addInitializers();
  FileStatus addNode(const NodeProto &node, int index);
  FileStatus addResults();
  void setModelAttributes();

  Operation *createDefined(const NodeProto &node);
  FileStatus createCustom(const NodeProto &node, int index);
  Operation *createConstant(Location location, DenseElementsAttr value,
                            StringRef name);
  std::optional<NamedAttrList> definedAttributes(const NodeProto &node,
                                                 OperationName name);
  FileStatus checkTypes(Operation *op, const NodeProto &node, int index);
  void finishOp(Operation *op, const NodeProto &node);

  Type fileType(StringRef name) const;
  Type declaredType(StringRef name) const;
  Value none();
  Value lookup(StringRef name) {
    return name.empty() ? none() : values.lookup(name);
  }
  ArrayAttr strings(ArrayRef<std::string> list) {
    SmallVector<Attribute> attributes;
    for (const std::string &text : list)
      attributes.push_back(builder.getStringAttr(text));
    return builder.getArrayAttr(attributes);
  }
  ArrayAttr dimNames(const ::onnx::TypeProto &type);
  Location nodeLocation(const NodeProto &node) {
    if (node.name().empty())
      return builder.getUnknownLoc();
    return NameLoc::get(builder.getStringAttr(node.name()));
  }

  const PreparedModel &prepared;
  const ::onnx::GraphProto &graph;
  Model &model;
  const FileDiagnostics &diagnostics;
  MLIRContext *context;
  OpBuilder builder;
  func::FuncOp function;
  Value noneValue;
  llvm::StringMap<Value> values;
  llvm::StringMap<const ::onnx::TypeProto *> inferredTypes;
  /// What the dialect said against a node that it defines.
  std::string complaint;
};

} // namespace

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

/// Sizes must stay countable: a file of a few bytes can ask for any shape.
FileStatus GraphImporter::checkTypes(Operation *op, const NodeProto &node,
                                     int index) {
  for (Type type : op->getResultTypes()) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (!ranked || !ranked.hasStaticShape())
      continue;
    std::optional<int64_t> count = elementCount(ranked.getShape());
    if (!count || *count > INT64_MAX / 16)
      return diagnostics.badModel(describeNode(node, index) + ": result of " +
                                  typeText(type) + " is too large");
  }
  return FileStatus::Ok;
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
// Nodes
//===----------------------------------------------------------------------===//

std::optional<NamedAttrList>
GraphImporter::definedAttributes(const NodeProto &node, OperationName name) {
  NamedAttrList attributes;
  bool isTrain = node.domain() == trainDomain;
  for (const AttributeProto &attribute : node.attribute()) {
    if (!llvm::is_contained(name.getAttributeNames(), attribute.name())) {
      complaint = "attribute '" + attribute.name() + "' is not known";
      return std::nullopt;
    }
    Attribute value = toAttribute(context, attribute, isTrain);
    if (!isTrain && node.op_type() == "Cast" && attribute.name() == "to") {
      Type to = toElementType(context, attribute.i());
      value = to ? TypeAttr::get(to) : Attribute();
    }
    if (!value) {
      complaint = "attribute '" + attribute.name() + "' cannot be held";
      return std::nullopt;
    }
    attributes.set(attribute.name(), value);
  }
  return attributes;
}

/// Null, with `complaint` set, when the dialect's op can't hold the node.
Operation *GraphImporter::createDefined(const NodeProto &node) {
  bool isTrain = node.domain() == trainDomain;
  OperationName name((isTrain ? "train." : "onnx.") + node.op_type(), context);
  std::optional<NamedAttrList> attributes = definedAttributes(node, name);
  if (!attributes)
    return nullptr;

  SmallVector<Value> operands;
  for (const std::string &input : node.input())
    operands.push_back(lookup(input));
  SmallVector<bool> absent;
  for (const std::string &output : node.output())
    absent.push_back(output.empty());
  if (!isTrain) {
    const OpSchema *schema =
        ::onnx::OpSchemaRegistry::Schema(node.op_type(), internalOpset, "");
    if (!schema)
      return nullptr;
    for (size_t i = operands.size(); i < schema->inputs().size(); ++i)
      if (schema->inputs()[i].GetOption() == OpSchema::Optional)
        operands.push_back(none());
    for (auto [i, isAbsent] : llvm::enumerate(absent))
      if (i >= schema->outputs().size() ||
          schema->outputs()[i].GetOption() != OpSchema::Optional)
        isAbsent = false;
    for (size_t i = absent.size(); i < schema->outputs().size(); ++i)
      if (schema->outputs()[i].GetOption() == OpSchema::Optional)
        absent.push_back(true);
  }

  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (complaint.empty())
      complaint = diagnostic.str();
    return success();
  });
  Location location = nodeLocation(node);
  auto *infer = name.getInterface<InferTypeOpInterface>();
  SmallVector<Type> types;
  if (!infer ||
      failed(infer->inferReturnTypes(context, location, operands,
                                     attributes->getDictionary(context),
                                     OpaqueProperties(nullptr), {}, types)))
    return nullptr;
  if (types.size() != absent.size()) {
    complaint = "has " + std::to_string(absent.size()) +
                " outputs where inference finds " +
                std::to_string(types.size());
    return nullptr;
  }
  for (auto [i, type] : llvm::enumerate(types)) {
    if (absent[i]) {
      type = builder.getNoneType();
      continue;
    }
    if (i < static_cast<size_t>(node.output_size()))
      if (auto merged = mergeTypes(type, fileType(node.output(i))))
        type = *merged;
  }
  OperationState state(location, name, operands, types, attributes->getAttrs());
  Operation *op = builder.create(state);
  bool kept = llvm::all_of(*attributes, [&](NamedAttribute attribute) {
    return op->getAttr(attribute.getName()) == attribute.getValue();
  });
  if (!kept && complaint.empty())
    complaint = "an attribute has another type than it should";
  if (!kept || failed(name.verifyInvariants(op))) {
    op->erase();
    return nullptr;
  }
  return op;
}

FileStatus GraphImporter::createCustom(const NodeProto &node, int index) {
  SmallVector<Value> operands;
  for (const std::string &input : node.input())
    operands.push_back(lookup(input));
  NameSet captured = capturedNames(node);
  for (const std::string &name : captured)
    operands.push_back(lookup(name));
  SmallVector<Type> types;
  for (const std::string &output : node.output()) {
    Type type = output.empty() ? Type(builder.getNoneType()) : fileType(output);
    types.push_back(type ? type : unknownValueType(context));
  }
  // A tensor that nobody inferred, as of a string constant.
  if (node.op_type() == "Constant" && node.output_size() == 1)
    for (const AttributeProto &attribute : node.attribute())
      if (attribute.has_t()) {
        SmallVector<int64_t> dims(attribute.t().dims().begin(),
                                  attribute.t().dims().end());
        types[0] = RankedTensorType::get(
            dims, toElementType(context, attribute.t().data_type()));
      }
  NodeProto bare = node;
  bare.clear_input();
  bare.clear_output();
  bare.clear_name();
  bare.clear_metadata_props();
  OperationState state(nodeLocation(node), "onnx.Custom", operands, types);
  state.addAttribute("op_type", builder.getStringAttr(node.op_type()));
  state.addAttribute("domain", builder.getStringAttr(node.domain()));
  state.addAttribute("node", builder.getStringAttr(bare.SerializeAsString()));
  state.addAttribute("captures", strings(captured.getArrayRef()));
  Operation *op = builder.create(state);
  finishOp(op, node);
  return checkTypes(op, node, index);
}

void GraphImporter::finishOp(Operation *op, const NodeProto &node) {
  std::vector<std::string> names(node.output().begin(), node.output().end());
  names.resize(op->getNumResults());
  op->setAttr("onnx.outputs", strings(names));
  for (auto [name, result] : llvm::zip(names, op->getResults()))
    if (!name.empty() && !isa<NoneType>(result.getType()))
      values[name] = result;
  NamedAttrList metadata;
  for (const auto &entry : node.metadata_props())
    if (!entry.key().empty())
      metadata.set(entry.key(), builder.getStringAttr(entry.value()));
  if (!metadata.empty())
    op->setAttr("onnx.metadata", metadata.getDictionary(context));
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Type declared = declaredType(names[i]);
    if (!declared)
      continue;
    if (auto merged = mergeTypes(result.getType(), declared))
      result.setType(*merged);
    else
      diagnostics.warn("value '" + names[i] + "' is declared as " +
                       typeText(declared) + " but is " +
                       typeText(result.getType()));
  }
}

FileStatus GraphImporter::addNode(const NodeProto &node, int index) {
  if (node.domain().empty() && node.op_type() == "Constant" &&
      node.output_size() == 1)
    if (DenseElementsAttr value = constantValue(context, node)) {
      Operation *op = createConstant(nodeLocation(node), value, node.output(0));
      finishOp(op, node);
      return FileStatus::Ok;
    }
  bool isTrain = node.domain() == trainDomain;
  OperationName name((isTrain ? "train." : "onnx.") + node.op_type(), context);
  bool isDefined = (isTrain || node.domain().empty()) && name.isRegistered() &&
                   node.op_type() != "Custom" && node.op_type() != "None" &&
                   !hasSubgraph(node);
  complaint.clear();
  if (isDefined) {
    if (Operation *op = createDefined(node)) {
      finishOp(op, node);
      return checkTypes(op, node, index);
    }
    if (isTrain)
      return diagnostics.badModel(describeNode(node, index) + ": " + complaint);
    diagnostics.warn(describeNode(node, index) +
                     " is carried without being understood: " + complaint);
  } else if (isTrain) {
    return diagnostics.unsupported(describeNode(node, index) +
                                   " is not an op of this version");
  }
  return createCustom(node, index);
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
