//===- StepCodec.cpp - lowtide.step, the roles of a step's values ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
//   {"schema": "lowtide.step/1",
//    "roles": {"x": "input", "w": "parameter", ...},      inputs, initializers
//    "updates": {"w.new": "w", ...},                      output -> input
//    "loss": "loss",
//    "function": {"train.options": {...}, ...}}           other attributes
//
// Tested by test/Frontend/steps.py.
//
//===----------------------------------------------------------------------===//

#include "StepMetadata.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace lowtide::frontend {

static constexpr const char *roleNames[] = {
    "input", "parameter", "constant", "statistic",
    "state", "target",    "seed",     "step"};

std::string encodeStep(func::FuncOp step) {
  Builder builder(step.getContext());
  NamedAttrList roles, updates, function, all;
  for (unsigned i = 0; i < step.getNumArguments(); ++i) {
    auto name = step.getArgAttrOfType<StringAttr>(i, "onnx.name");
    auto role = step.getArgAttrOfType<StringAttr>(i, "train.role");
    if (name && role && !name.getValue().empty())
      roles.set(name, role);
  }
  bool hasLoss = false;
  for (unsigned i = 0; i < step.getNumResults(); ++i) {
    auto name = step.getResultAttrOfType<StringAttr>(i, "onnx.name");
    auto update = step.getResultAttrOfType<StringAttr>(i, "train.updates");
    if (name && update)
      updates.set(name, update);
    hasLoss |= name && name.getValue() == "loss";
  }
  for (NamedAttribute attribute : step->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name.starts_with("train.") && name != "train.step" &&
        attributeToJson(attribute.getValue()))
      function.push_back(attribute);
  }
  MLIRContext *context = step.getContext();
  all.set("schema", builder.getStringAttr("lowtide.step/1"));
  all.set("roles", roles.getDictionary(context));
  all.set("updates", updates.getDictionary(context));
  if (hasLoss)
    all.set("loss", builder.getStringAttr("loss"));
  if (!function.empty())
    all.set("function", function.getDictionary(context));
  return *attributeToJson(all.getDictionary(context));
}

static std::string decodeRoles(const llvm::json::Object &roles,
                               func::FuncOp step) {
  size_t used = 0;
  for (unsigned i = 0; i < step.getNumArguments(); ++i) {
    auto name = step.getArgAttrOfType<StringAttr>(i, "onnx.name");
    std::optional<llvm::StringRef> role = roles.getString(name.getValue());
    if (!role)
      continue;
    if (!llvm::is_contained(roleNames, *role))
      return ("'" + *role + "' is no role of an input").str();
    step.setArgAttr(i, "train.role", StringAttr::get(step.getContext(), *role));
    ++used;
  }
  if (used != roles.size())
    return "it gives a role to a value that the graph has no input of";
  return "";
}

std::string decodeStep(llvm::StringRef json, func::FuncOp step) {
  std::optional<llvm::json::Value> value = parseJson(json);
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    return "it is not a JSON object";
  if (object->getString("schema") != std::optional("lowtide.step/1"))
    return "its schema is not lowtide.step/1";
  MLIRContext *context = step.getContext();
  step->setAttr("train.step", UnitAttr::get(context));
  if (const llvm::json::Object *roles = object->getObject("roles"))
    if (std::string error = decodeRoles(*roles, step); !error.empty())
      return error;
  llvm::StringSet<> inputs;
  for (unsigned i = 0; i < step.getNumArguments(); ++i)
    inputs.insert(step.getArgAttrOfType<StringAttr>(i, "onnx.name").getValue());
  if (const llvm::json::Object *updates = object->getObject("updates"))
    for (unsigned i = 0; i < step.getNumResults(); ++i) {
      auto name = step.getResultAttrOfType<StringAttr>(i, "onnx.name");
      std::optional<llvm::StringRef> update =
          updates->getString(name.getValue());
      if (!update)
        continue;
      if (!inputs.contains(*update))
        return ("output '" + name.getValue() + "' replaces '" + *update +
                "', which is no input")
            .str();
      step.setResultAttr(i, "train.updates", StringAttr::get(context, *update));
    }
  if (const llvm::json::Object *function = object->getObject("function"))
    for (const auto &entry : *function)
      if (llvm::StringRef name(entry.first);
          name.starts_with("train.") && name != "train.step")
        step->setAttr(name, attributeFromJson(context, entry.second));
  return "";
}

} // namespace lowtide::frontend
