//===- ExportNode.cpp - Ops become nodes ----------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// An op of `onnx` is the node of its name, an op of `train` a call of domain
// `ai.lowtide`, `onnx.Custom` the node that it carries. Attributes that have
// their default value aren't written.
//
//===----------------------------------------------------------------------===//

#include "ExportNode.h"

#include "GraphCheck.h"
#include "NodeAttributes.h"
#include "OpsetUpgrade.h"

#include "mlir/IR/BuiltinTypes.h"

#include "onnx/defs/schema.h"

using namespace mlir;

namespace lowtide::frontend {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::OpSchema;

static void writeValues(Operation *op, NameOf nameOf, size_t numOperands,
                        bool trim, NodeProto &node) {
  for (Value operand : op->getOperands().take_front(numOperands))
    node.add_input(isa<NoneType>(operand.getType()) ? "" : nameOf(operand));
  for (Value result : op->getResults())
    node.add_output(isa<NoneType>(result.getType()) ? "" : nameOf(result));
  if (!trim)
    return;
  while (node.input_size() > 0 && node.input(node.input_size() - 1).empty())
    node.mutable_input()->RemoveLast();
  while (node.output_size() > 1 && node.output(node.output_size() - 1).empty())
    node.mutable_output()->RemoveLast();
}

//===----------------------------------------------------------------------===//
// Carried nodes
//===----------------------------------------------------------------------===//

/// Renames what `graph` reads from outside.
static void renameCaptures(GraphProto &graph,
                           const std::map<std::string, std::string> &renamed) {
  auto rename = [&](std::string &name) {
    if (auto it = renamed.find(name); it != renamed.end())
      name = it->second;
  };
  for (NodeProto &node : *graph.mutable_node()) {
    for (std::string &input : *node.mutable_input())
      rename(input);
    for (AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        renameCaptures(*attribute.mutable_g(), renamed);
      for (GraphProto &inner : *attribute.mutable_graphs())
        renameCaptures(inner, renamed);
    }
  }
  // A captured value may be handed out as it is.
  for (auto &output : *graph.mutable_output())
    rename(*output.mutable_name());
}

static std::string writeCustom(Operation *op, NameOf nameOf, NodeProto &node) {
  auto text = op->getAttrOfType<StringAttr>("node");
  auto captures = op->getAttrOfType<ArrayAttr>("captures");
  size_t numCaptures = captures ? captures.size() : 0;
  if (!text || !node.ParseFromArray(text.data(), text.size()) ||
      numCaptures > op->getNumOperands())
    return "the node that it carries is damaged";
  size_t numInputs = op->getNumOperands() - numCaptures;
  std::map<std::string, std::string> renamed;
  for (size_t i = 0; i < numCaptures; ++i) {
    std::string old = cast<StringAttr>(captures[i]).str();
    std::string now = nameOf(op->getOperand(numInputs + i));
    if (old != now)
      renamed[old] = now;
  }
  if (!renamed.empty())
    for (AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        renameCaptures(*attribute.mutable_g(), renamed);
      for (GraphProto &inner : *attribute.mutable_graphs())
        renameCaptures(inner, renamed);
    }
  writeValues(op, nameOf, numInputs, /*trim=*/false, node);
  return "";
}

//===----------------------------------------------------------------------===//
// Ops of the dialects
//===----------------------------------------------------------------------===//

static bool isDefault(const OpSchema *schema, const AttributeProto &attribute) {
  if (!schema)
    return false;
  auto it = schema->attributes().find(attribute.name());
  if (it == schema->attributes().end() || it->second.required)
    return false;
  AttributeProto fallback = it->second.default_value;
  if (fallback.type() == AttributeProto::UNDEFINED)
    return false;
  fallback.set_name(attribute.name());
  return fallback.SerializeAsString() == attribute.SerializeAsString();
}

std::string writeNode(Operation *op, NameOf nameOf, NodeProto &node) {
  StringRef kind = op->getName().getStringRef();
  if (kind == "onnx.Custom")
    return writeCustom(op, nameOf, node);
  bool isTrain = kind.starts_with("train.");
  if (!isTrain && !kind.starts_with("onnx."))
    return "an op of another dialect cannot be exported";
  node.set_op_type(op->getName().stripDialect().str());
  const OpSchema *schema = nullptr;
  if (isTrain)
    node.set_domain(trainDomain);
  else
    schema =
        ::onnx::OpSchemaRegistry::Schema(node.op_type(), internalOpset, "");
  writeValues(op, nameOf, op->getNumOperands(), /*trim=*/!isTrain, node);
  for (StringAttr name : op->getName().getAttributeNames()) {
    std::optional<Attribute> value = op->getInherentAttr(name);
    if (!value || !*value)
      continue;
    AttributeProto attribute;
    if (!toAttributeProto(name, *value, attribute))
      return ("attribute '" + name.getValue() + "' has no form in a file")
          .str();
    if (!isDefault(schema, attribute))
      *node.add_attribute() = attribute;
  }
  return "";
}

} // namespace lowtide::frontend
