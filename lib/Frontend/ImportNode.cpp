//===- ImportNode.cpp - A node becomes an op ------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// An op that the dialect defines gets the operands, results and attributes of
// the specification at the internal opset, absent ones included. All others,
// and nodes that a defined op can't hold, are carried as `onnx.Custom`.
//
// Types: our own inference on the operands' types, made more precise by what
// the ONNX library inferred and, last, by what the file declares. Where a
// declaration contradicts inference, inference wins with a warning.
//
// Tested by test/Frontend.
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "GraphCheck.h"
#include "NodeAttributes.h"
#include "OpsetUpgrade.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "onnx/defs/schema.h"

using namespace mlir;

namespace lowtide::frontend {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::OpSchema;

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

/// Operands, and for each result whether it is left out: as many as the
/// specification has, for an op of ours as many as the node has.
void GraphImporter::collectValues(const NodeProto &node,
                                  SmallVectorImpl<Value> &operands,
                                  SmallVectorImpl<bool> &absent) {
  for (const std::string &input : node.input())
    operands.push_back(lookup(input));
  for (const std::string &output : node.output())
    absent.push_back(output.empty());
  const OpSchema *schema =
      node.domain() == trainDomain
          ? nullptr
          : ::onnx::OpSchemaRegistry::Schema(node.op_type(), internalOpset, "");
  if (!schema)
    return;
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

/// Null, with `complaint` set, when the dialect's op can't hold the node.
Operation *GraphImporter::createDefined(const NodeProto &node) {
  bool isTrain = node.domain() == trainDomain;
  OperationName name((isTrain ? "train." : "onnx.") + node.op_type(), context);
  std::optional<NamedAttrList> attributes = definedAttributes(node, name);
  if (!attributes)
    return nullptr;

  SmallVector<Value> operands;
  SmallVector<bool> absent;
  collectValues(node, operands, absent);
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
                   node.op_type() != "Constant" && !hasSubgraph(node);
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

} // namespace lowtide::frontend
