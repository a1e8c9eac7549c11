//===- StepMetadata.cpp - What a step file says of itself -----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "StepMetadata.h"

#include "SaveForward.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"

using namespace mlir;

namespace lowtide::frontend {

static func::FuncOp mainFunction(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

//===----------------------------------------------------------------------===//
// The forward model
//===----------------------------------------------------------------------===//

/// A forward model has no weights, so more than this is no forward model.
static constexpr uint64_t maximumForwardBytes = uint64_t(1) << 30;

/// One letter for the format, the length, and the bytes, all in base64.
std::string encodeForward(StringRef bytes) {
  std::string out = "n" + std::to_string(bytes.size()) + ":";
  if (!llvm::compression::zlib::isAvailable())
    return llvm::encodeBase64(out + bytes.str());
  SmallVector<uint8_t> packed;
  llvm::compression::zlib::compress(llvm::arrayRefFromStringRef(bytes), packed);
  out[0] = 'z';
  return llvm::encodeBase64(out + llvm::toStringRef(packed).str());
}

bool decodeForward(StringRef text, std::string &bytes) {
  std::vector<char> raw;
  if (llvm::Error error = llvm::decodeBase64(text, raw)) {
    llvm::consumeError(std::move(error));
    return false;
  }
  StringRef rest(raw.data(), raw.size());
  if (rest.empty())
    return false;
  char format = rest.front();
  auto [lengthText, body] = rest.drop_front().split(':');
  uint64_t length = 0;
  if (lengthText.getAsInteger(10, length) || length > maximumForwardBytes)
    return false;
  if (format == 'n') {
    bytes = body.str();
    return bytes.size() == length;
  }
  // Deflate can't do better than about 1 : 1032.
  if (format != 'z' || !llvm::compression::zlib::isAvailable() ||
      length / 1100 > body.size())
    return false;
  SmallVector<uint8_t> plain;
  if (llvm::Error error = llvm::compression::zlib::decompress(
          llvm::arrayRefFromStringRef(body), plain, length)) {
    llvm::consumeError(std::move(error));
    return false;
  }
  bytes = llvm::toStringRef(plain).str();
  return bytes.size() == length;
}

//===----------------------------------------------------------------------===//
// Both ways
//===----------------------------------------------------------------------===//

static void setMetadata(::onnx::ModelProto &proto, StringRef key,
                        std::string value) {
  auto *entry = proto.add_metadata_props();
  entry->set_key(key.str());
  entry->set_value(std::move(value));
}

FileStatus writeStepMetadata(const Model &model, const FileNames &names,
                             ::onnx::ModelProto &proto,
                             const FileDiagnostics &diagnostics) {
  func::FuncOp step = mainFunction(*model.module);
  if (!step || !step->hasAttr("train.step"))
    return FileStatus::Ok;
  setMetadata(proto, stepKey, encodeStep(step));
  if (step->hasAttr("plan.arena")) {
    std::string error;
    std::string json = encodePlan(step, names, error);
    if (!error.empty())
      return diagnostics.unsupported("the plan cannot be written: " + error);
    setMetadata(proto, planKey, std::move(json));
  }
  if (model.forwardModel.empty())
    return FileStatus::Ok;
  llvm::StringSet<> weights;
  for (const auto &tensor : proto.graph().initializer())
    weights.insert(tensor.name());
  setMetadata(proto, forwardKey,
              encodeForward(completeForward(model, weights)));
  return FileStatus::Ok;
}

/// Node metadata under our keys becomes attributes.
static void readNodeMetadata(func::FuncOp step) {
  MLIRContext *context = step.getContext();
  for (Operation &op : step.front()) {
    auto metadata = op.getAttrOfType<DictionaryAttr>("onnx.metadata");
    if (!metadata)
      continue;
    NamedAttrList rest(metadata);
    if (Attribute phase = rest.erase("lowtide.phase"))
      op.setAttr("train.phase", phase);
    if (Attribute original = rest.erase("lowtide.recompute_of"))
      op.setAttr("plan.recompute_of", original);
    if (rest.empty())
      op.removeAttr("onnx.metadata");
    else
      op.setAttr("onnx.metadata", rest.getDictionary(context));
  }
}

FileStatus readStepMetadata(const ::onnx::ModelProto &proto, Model &model,
                            const FileDiagnostics &diagnostics) {
  const std::string *stepText = nullptr, *planText = nullptr,
                    *forwardText = nullptr;
  for (const auto &entry : proto.metadata_props()) {
    if (entry.key() == stepKey)
      stepText = &entry.value();
    else if (entry.key() == planKey)
      planText = &entry.value();
    else if (entry.key() == forwardKey)
      forwardText = &entry.value();
  }
  if (!stepText)
    return FileStatus::Ok;
  func::FuncOp step = mainFunction(*model.module);
  auto bad = [&](StringRef key, const std::string &error) {
    return diagnostics.badModel("metadata '" + key + "': " + error);
  };
  if (std::string error = decodeStep(*stepText, step); !error.empty())
    return bad(stepKey, error);
  readNodeMetadata(step);
  auto valueName = [&](Value value) -> std::string {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return step
          .getArgAttrOfType<StringAttr>(argument.getArgNumber(), "onnx.name")
          .str();
    auto result = cast<OpResult>(value);
    auto list = result.getOwner()->getAttrOfType<ArrayAttr>("onnx.outputs");
    if (!list || result.getResultNumber() >= list.size())
      return "";
    return cast<StringAttr>(list[result.getResultNumber()]).str();
  };
  auto nodeName = [](Operation *op) -> std::string {
    auto location = dyn_cast<NameLoc>(op->getLoc());
    return location ? location.getName().str() : "";
  };
  FileNames names{valueName, nodeName};
  if (planText)
    if (std::string error = decodePlan(*planText, step, names); !error.empty())
      return bad(planKey, error);
  if (forwardText && !decodeForward(*forwardText, model.forwardModel))
    return bad(forwardKey, "it cannot be decoded");
  return FileStatus::Ok;
}

} // namespace lowtide::frontend
