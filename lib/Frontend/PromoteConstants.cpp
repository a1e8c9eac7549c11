//===- PromoteConstants.cpp - Constants that are to be trained ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Frontend/PromoteConstants.h"
#include "lowtide/Dialect/Onnx/IR/Onnx.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/GlobPattern.h"

using namespace mlir;

namespace lowtide {

/// The first value name of an op, or "".
static StringRef valueName(Operation &op) {
  auto names = op.getAttrOfType<ArrayAttr>("onnx.outputs");
  if (!names || names.empty())
    return "";
  auto name = dyn_cast<StringAttr>(names[0]);
  return name ? name.getValue() : "";
}

/// The constant that the op makes as elements of its result's type; null for
/// other ops and for shapes that aren't known.
static DenseElementsAttr constantValue(Operation &op) {
  auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!type || !type.hasStaticShape() || !isa<FloatType>(type.getElementType()))
    return nullptr;
  if (auto constant = dyn_cast<onnx::ConstantOp>(op))
    return dyn_cast<DenseElementsAttr>(constant.getValue());
  auto filled = dyn_cast<onnx::ConstantOfShapeOp>(op);
  if (!filled)
    return nullptr;
  // A splat takes no memory here, whatever the shape.
  auto value = dyn_cast_or_null<DenseElementsAttr>(filled.getValueAttr());
  if (!value)
    return DenseElementsAttr::get(
        type, FloatAttr::get(type.getElementType(), 0.0).getValue());
  return DenseElementsAttr::get(type, *value.getValues<APFloat>().begin());
}

/// The elements as dense bytes.
static std::vector<char> denseBytes(DenseElementsAttr value) {
  ArrayRef<char> raw = value.getRawData();
  if (!value.isSplat())
    return std::vector<char>(raw.begin(), raw.end());
  std::vector<char> bytes;
  bytes.reserve(raw.size() * value.getNumElements());
  for (int64_t i = 0; i < value.getNumElements(); ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

static LogicalResult promote(Model &model, func::FuncOp function,
                             Operation &op) {
  constexpr int64_t mostElements = int64_t(1) << 31;
  std::string name = valueName(op).str();
  DenseElementsAttr value = constantValue(op);
  if (!value || value.getNumElements() > mostElements)
    return op.emitOpError() << "'" << name
                            << "' can't be trained: its shape isn't known or "
                               "is too large";
  auto type = cast<RankedTensorType>(value.getType());
  model.weights.set(name, type, denseBytes(value));
  Builder builder(op.getContext());
  NamedAttrList attrs;
  attrs.set("onnx.name", builder.getStringAttr(name));
  attrs.set("onnx.initializer", builder.getUnitAttr());
  unsigned index = function.getNumArguments();
  function.insertArgument(index, type, attrs.getDictionary(op.getContext()),
                          op.getLoc());
  op.getResult(0).replaceAllUsesWith(function.getArgument(index));
  op.erase();
  return success();
}

LogicalResult promoteConstants(Model &model,
                               const std::vector<std::string> &patterns) {
  std::vector<llvm::GlobPattern> globs;
  for (const std::string &text : patterns)
    if (auto glob = llvm::GlobPattern::create(text))
      globs.push_back(std::move(*glob));
    else
      llvm::consumeError(glob.takeError()); // buildStep says what is wrong.
  auto function = model.module->lookupSymbol<func::FuncOp>("main");
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (!isa<onnx::ConstantOp, onnx::ConstantOfShapeOp>(op))
      continue;
    auto type = dyn_cast<TensorType>(op.getResult(0).getType());
    StringRef name = valueName(op);
    bool isNamed = !name.empty() && type &&
                   isa<FloatType>(type.getElementType()) &&
                   llvm::any_of(globs, [&](const llvm::GlobPattern &glob) {
                     return glob.match(name);
                   });
    if (isNamed && failed(promote(model, function, op)))
      return failure();
  }
  return success();
}

} // namespace lowtide
