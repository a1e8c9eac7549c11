//===- ModelSummary.cpp - What is in a model, as plain data ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ModelSummary.h"

#include "lowtide/Analysis/KernelCalls.h"
#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Runtime/Backend.h"
#include "lowtide/Transforms/Shapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace lowtide;
using namespace lowtide::cli;
using namespace mlir;

static std::string typeText(Type type, ArrayAttr dims) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return "?";
  auto dataType = toDataType(tensor.getElementType());
  std::string text;
  if (dataType) {
    text = std::string(runtime::toString(*dataType));
  } else {
    llvm::raw_string_ostream os(text);
    os << tensor.getElementType();
  }
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return text + "[...]";
  text += "[";
  for (int64_t i = 0; i < ranked.getRank(); ++i) {
    text += i == 0 ? "" : ",";
    StringAttr name;
    if (dims && static_cast<size_t>(i) < dims.size())
      name = dyn_cast<StringAttr>(dims[i]);
    if (!ranked.isDynamicDim(i))
      text += std::to_string(ranked.getDimSize(i));
    else
      text += name && !name.empty() ? name.str() : "?";
  }
  return text + "]";
}

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

/// The op as the file calls it.
static std::string opText(Operation *op) {
  if (auto type = op->getAttrOfType<StringAttr>("op_type")) {
    auto domain = op->getAttrOfType<StringAttr>("domain");
    return domain && !domain.empty() ? domain.str() + "." + type.str()
                                     : type.str();
  }
  StringRef name = op->getName().getStringRef();
  return name.starts_with("onnx.") ? op->getName().stripDialect().str()
                                   : name.str();
}

static bool isGraphNode(Operation &op) {
  return op.getName().getStringRef() != "onnx.None";
}

/// Floating values that depend on a floating initializer and that a floating
/// output depends on: what training has to differentiate through.
static llvm::DenseSet<Value> findTrainedPath(func::FuncOp function) {
  llvm::DenseSet<Value> active, path;
  Block &body = function.getBody().front();
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), "onnx.initializer") &&
        isFloatTensor(argument.getType()))
      active.insert(argument);
  for (Operation &op : body.without_terminator())
    if (llvm::any_of(op.getOperands(),
                     [&](Value v) { return active.contains(v); }))
      for (Value result : op.getResults())
        if (isFloatTensor(result.getType()))
          active.insert(result);
  for (Value value : body.getTerminator()->getOperands())
    if (active.contains(value))
      path.insert(value);
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (llvm::any_of(op.getResults(),
                     [&](Value v) { return path.contains(v); }))
      for (Value operand : op.getOperands())
        if (active.contains(operand))
          path.insert(operand);
  return path;
}

static void findProblems(func::FuncOp function, ModelSummary &summary) {
  llvm::DenseSet<Value> path = findTrainedPath(function);
  llvm::StringSet<> kernels;
  for (const std::string &name : runtime::cpuKernelNames(/*fast=*/false))
    kernels.insert(name);
  bool isStep = function->hasAttr("train.step");
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!isGraphNode(op) || op.hasTrait<OpTrait::ConstantLike>())
      continue;
    bool onPath = llvm::any_of(op.getResults(),
                               [&](Value v) { return path.contains(v); });
    if (onPath && !isStep && !isa<GradientOpInterface>(op) &&
        !isa<TrainingFormOpInterface>(op))
      summary.withoutGradient.push_back(
          {getNodeName(&op).str(), opText(&op), "no gradient rule"});
    auto kernel = dyn_cast<KernelOpInterface>(op);
    bool isView = kernel && kernel.getViewedOperand();
    if (!isView && !kernels.contains(op.getName().getStringRef()))
      summary.withoutKernel.push_back(
          {getNodeName(&op).str(), opText(&op), "no kernel"});
  }
}

static void addPorts(func::FuncOp function, ModelSummary &summary) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto dims = function.getArgAttrOfType<ArrayAttr>(i, "onnx.dims");
    auto role = function.getArgAttrOfType<StringAttr>(i, "train.role");
    if (!function.getArgAttr(i, "onnx.initializer")) {
      summary.inputs.push_back({getValueName(argument),
                                typeText(argument.getType(), dims),
                                role ? role.str() : ""});
      continue;
    }
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !isStaticTensor(type) || !isFloatTensor(type) ||
        (role && role.getValue() != "parameter"))
      continue;
    ++summary.numParameters;
    summary.numElements += type.getNumElements();
    summary.parameterBytes += toTensorDesc(type).bytes();
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, "onnx.name");
    auto dims = function.getResultAttrOfType<ArrayAttr>(i, "onnx.dims");
    summary.outputs.push_back(
        {name ? name.str() : "",
         typeText(function.getFunctionType().getResult(i), dims), ""});
  }
}

ModelSummary cli::summarize(const Model &model) {
  ModelSummary summary;
  func::FuncOp function = getMain(model);
  summary.form = isPlanned(model) ? "planned step"
                 : isStep(model)  ? "training step"
                                  : "forward model";
  ModuleOp module = *model.module;
  if (auto attrs = module->getAttrOfType<DictionaryAttr>("onnx.model")) {
    if (auto version = attrs.getAs<IntegerAttr>("ir_version"))
      summary.irVersion = version.getInt();
    if (auto opset = attrs.getAs<IntegerAttr>("opset"))
      summary.opset = opset.getInt();
    if (auto name = attrs.getAs<StringAttr>("producer_name"))
      summary.producer = name.str();
    if (auto version = attrs.getAs<StringAttr>("producer_version"))
      summary.producer += " " + version.str();
  }
  addPorts(function, summary);
  for (const std::string &name : getUnboundDimensions(function))
    summary.unboundDimensions.push_back(name);
  for (Operation &op : function.getBody().front().without_terminator())
    if (isGraphNode(op))
      ++summary.countByOp[opText(&op)];
  findProblems(function, summary);
  return summary;
}
