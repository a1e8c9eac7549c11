//===- PlanCodec.cpp - lowtide.plan, where everything lies ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
//   {"schema": "lowtide.plan/1",
//    "arena": {"space": "device", "bytes": 8192, "alignment": 64},
//    "offsets": {"x": 0, "h": 4096, ...},            value name -> byte offset
//    "workspaces": {"conv1": [6144, 512], ...},      node name -> offset, bytes
//    "updates": {"w.new": "w", ...}, "order": true, "tool": "lowtide 0.1.0",
//    ... what `plan.summary` holds: budget, peak, device, dims ...}
//
// A value takes the bytes of its type rounded up to the alignment, in the
// arena's space; `bytes` and `spaces` (value name -> ...) tell where it
// doesn't.
//
// Tested by test/Frontend/steps.py.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "StepMetadata.h"

#include "lowtide/Dialect/Plan/IR/Plan.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace lowtide::frontend {

namespace {

constexpr const char *ownKeys[] = {"schema",  "arena",  "offsets",
                                   "bytes",   "spaces", "workspaces",
                                   "updates", "order",  "tool"};

int64_t defaultBytes(Type type, int64_t alignment) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return 0;
  std::optional<int64_t> bytes =
      denseBytes(toDataType(ranked.getElementType()), ranked.getShape());
  if (!bytes || *bytes > INT64_MAX - alignment)
    return 0;
  return (*bytes + alignment - 1) / alignment * alignment;
}

class PlanEncoder {
public:
  PlanEncoder(func::FuncOp step, const FileNames &names)
      : step(step), names(names), builder(step.getContext()),
        arena(step->getAttrOfType<plan::ArenaAttr>("plan.arena")) {}

  std::string encode(std::string &error) {
    MLIRContext *context = step.getContext();
    NamedAttrList all;
    if (auto summary = step->getAttrOfType<DictionaryAttr>("plan.summary"))
      for (NamedAttribute entry : summary) {
        if (llvm::is_contained(ownKeys, entry.getName().getValue()))
          error = "plan.summary has the reserved key '" +
                  entry.getName().str() + "'";
        all.push_back(entry);
      }
    for (BlockArgument argument : step.getArguments())
      if (auto place = step.getArgAttrOfType<plan::PlaceAttr>(
              argument.getArgNumber(), "plan.place"))
        addPlace(argument, place, error);
    for (Operation &op : step.front())
      addOp(op, error);
    NamedAttrList updates;
    for (unsigned i = 0; i < step.getNumResults(); ++i) {
      auto name = step.getResultAttrOfType<StringAttr>(i, "onnx.name");
      auto update = step.getResultAttrOfType<StringAttr>(i, "train.updates");
      if (name && update)
        updates.set(name, update);
    }
    NamedAttrList arenaParts;
    arenaParts.set("space", builder.getStringAttr(arena.getSpace()));
    arenaParts.set("bytes", builder.getI64IntegerAttr(arena.getBytes()));
    arenaParts.set("alignment",
                   builder.getI64IntegerAttr(arena.getAlignment()));
    all.set("schema", builder.getStringAttr("lowtide.plan/1"));
    all.set("arena", arenaParts.getDictionary(context));
    all.set("offsets", offsets.getDictionary(context));
    if (!bytes.empty())
      all.set("bytes", bytes.getDictionary(context));
    if (!spaces.empty())
      all.set("spaces", spaces.getDictionary(context));
    all.set("workspaces", workspaces.getDictionary(context));
    all.set("updates", updates.getDictionary(context));
    all.set("tool", builder.getStringAttr("lowtide " LOWTIDE_VERSION));
    if (step->hasAttr("plan.order"))
      all.set("order", builder.getBoolAttr(true));
    std::optional<std::string> text =
        attributeToJson(all.getDictionary(context));
    if (!text)
      error = "plan.summary holds something that JSON has no form for";
    return text.value_or("");
  }

private:
  void addPlace(Value value, plan::PlaceAttr place, std::string &error) {
    std::string name = names.value(value);
    if (name.empty()) {
      error = "a planned value has no name in the file";
      return;
    }
    offsets.set(name, builder.getI64IntegerAttr(place.getOffset()));
    if (place.getBytes() != defaultBytes(value.getType(), arena.getAlignment()))
      bytes.set(name, builder.getI64IntegerAttr(place.getBytes()));
    if (place.getSpace() != arena.getSpace())
      spaces.set(name, builder.getStringAttr(place.getSpace()));
  }

  void addOp(Operation &op, std::string &error) {
    if (auto places = op.getAttrOfType<ArrayAttr>("plan.places"))
      for (auto [result, entry] : llvm::zip(op.getResults(), places))
        if (auto place = dyn_cast<plan::PlaceAttr>(entry);
            place && !isa<NoneType>(result.getType()))
          addPlace(result, place, error);
    auto place = op.getAttrOfType<plan::PlaceAttr>("plan.workspace");
    if (!place)
      return;
    std::string name = names.node(&op);
    if (name.empty()) {
      error = "an op with a workspace is no node of the file";
      return;
    }
    workspaces.set(
        name, builder.getI64ArrayAttr({place.getOffset(), place.getBytes()}));
  }

  func::FuncOp step;
  const FileNames &names;
  Builder builder;
  plan::ArenaAttr arena;
  NamedAttrList offsets, bytes, spaces, workspaces;
};

class PlanDecoder {
public:
  PlanDecoder(const llvm::json::Object &object, func::FuncOp step,
              const FileNames &names)
      : object(object), step(step), names(names), context(step.getContext()) {}

  std::string decode() {
    if (std::string error = decodeArena(); !error.empty())
      return error;
    offsets = object.getObject("offsets");
    workspaces = object.getObject("workspaces");
    if (!offsets || !workspaces)
      return "it lacks offsets or workspaces";
    for (BlockArgument argument : step.getArguments())
      if (Attribute place = placeOf(argument))
        step.setArgAttr(argument.getArgNumber(), "plan.place", place);
    for (Operation &op : step.front())
      decodeOp(op);
    if (!failure.empty())
      return failure;
    if (usedOffsets != offsets->size())
      return "it places a value that the graph doesn't have";
    if (usedWorkspaces != workspaces->size())
      return "it gives a workspace to a node that the graph doesn't have";
    NamedAttrList summary;
    for (const auto &entry : object)
      if (llvm::StringRef key(entry.first);
          !llvm::is_contained(ownKeys, key) && !key.empty())
        summary.set(key, attributeFromJson(context, entry.second));
    if (!summary.empty())
      step->setAttr("plan.summary", summary.getDictionary(context));
    if (object.getBoolean("order") == std::optional(true))
      step->setAttr("plan.order", UnitAttr::get(context));
    return "";
  }

private:
  std::string decodeArena() {
    const llvm::json::Object *parts = object.getObject("arena");
    if (!parts)
      return "it has no arena";
    std::optional<int64_t> bytes = parts->getInteger("bytes");
    std::optional<int64_t> alignment = parts->getInteger("alignment");
    std::optional<llvm::StringRef> space = parts->getString("space");
    if (!bytes || !alignment || !space || *bytes < 0 || *alignment <= 0 ||
        *alignment > (int64_t(1) << 30))
      return "its arena is malformed";
    arenaBytes = *bytes;
    arenaAlignment = *alignment;
    arenaSpace = space->str();
    step->setAttr(
        "plan.arena",
        plan::ArenaAttr::get(context, arenaSpace, arenaBytes, arenaAlignment));
    return "";
  }

  /// Null for a value without a place.
  Attribute placeOf(Value value) {
    std::string name = names.value(value);
    const llvm::json::Value *entry =
        name.empty() ? nullptr : offsets->get(name);
    if (!entry)
      return {};
    ++usedOffsets;
    std::optional<int64_t> offset = entry->getAsInteger();
    int64_t bytes = defaultBytes(value.getType(), arenaAlignment);
    std::string space = arenaSpace;
    if (const llvm::json::Object *other = object.getObject("bytes"))
      bytes = other->getInteger(name).value_or(bytes);
    if (const llvm::json::Object *other = object.getObject("spaces"))
      space = other->getString(name).value_or(space).str();
    return place(offset, bytes, space, name);
  }

  Attribute place(std::optional<int64_t> offset, int64_t bytes,
                  const std::string &space, const std::string &name) {
    if (!offset || *offset < 0 || bytes < 0 || bytes > INT64_MAX - *offset) {
      failure = "the place of '" + name + "' is malformed";
      return {};
    }
    return plan::PlaceAttr::get(context, space, *offset, bytes);
  }

  void decodeOp(Operation &op) {
    SmallVector<Attribute> places;
    bool any = false;
    for (OpResult result : op.getResults()) {
      Attribute place =
          isa<NoneType>(result.getType()) ? Attribute() : placeOf(result);
      any |= static_cast<bool>(place);
      places.push_back(place ? place : UnitAttr::get(context));
    }
    if (any)
      op.setAttr("plan.places", ArrayAttr::get(context, places));
    std::string node = names.node(&op);
    const llvm::json::Value *entry =
        node.empty() ? nullptr : workspaces->get(node);
    if (!entry)
      return;
    ++usedWorkspaces;
    const llvm::json::Array *range = entry->getAsArray();
    if (!range || range->size() != 2 || !(*range)[0].getAsInteger() ||
        !(*range)[1].getAsInteger()) {
      failure = "the workspace of '" + node + "' is malformed";
      return;
    }
    if (Attribute where = place((*range)[0].getAsInteger(),
                                *(*range)[1].getAsInteger(), arenaSpace, node))
      op.setAttr("plan.workspace", where);
  }

  const llvm::json::Object &object;
  func::FuncOp step;
  const FileNames &names;
  MLIRContext *context;
  const llvm::json::Object *offsets = nullptr, *workspaces = nullptr;
  int64_t arenaBytes = 0, arenaAlignment = 1;
  std::string arenaSpace, failure;
  size_t usedOffsets = 0, usedWorkspaces = 0;
};

} // namespace

std::string encodePlan(func::FuncOp step, const FileNames &names,
                       std::string &error) {
  return PlanEncoder(step, names).encode(error);
}

std::string decodePlan(llvm::StringRef json, func::FuncOp step,
                       const FileNames &names) {
  std::optional<llvm::json::Value> value = parseJson(json);
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    return "it is not a JSON object";
  if (object->getString("schema") != std::optional("lowtide.plan/1"))
    return "its schema is not lowtide.plan/1";
  return PlanDecoder(*object, step, names).decode();
}

} // namespace lowtide::frontend
