//===- TestFrontend.cpp - Drive import and export from tests --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
//   lowtide-test-frontend IN [-o OUT.onnx] [--opset=N | --keep] [--print]
//                         [--forward=MODEL.onnx] [--save=MODEL.onnx]
//
// IN is an ONNX file, ONNX text (.onnxtext) or a module (.mlir), whose
// initializers are zeros. The exit code is that of the command line.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Onnx/IR/Onnx.h"
#include "lowtide/Dialect/Plan/IR/Plan.h"
#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Frontend/Model.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include "onnx/defs/parser.h"

#include <fstream>

using namespace mlir;

static std::string inputPath, outputPath, savePath, forwardPath;
static std::optional<int64_t> opset;
static bool keep = false, print = false;

static bool parseArguments(llvm::ArrayRef<char *> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    int64_t number = 0;
    if (argument == "-o" && i + 1 < arguments.size())
      outputPath = arguments[++i];
    else if (argument.consume_front("--save="))
      savePath = argument.str();
    else if (argument.consume_front("--forward="))
      forwardPath = argument.str();
    else if (argument.consume_front("--opset=") &&
             !argument.getAsInteger(10, number))
      opset = number;
    else if (argument == "--keep")
      keep = true;
    else if (argument == "--print")
      print = true;
    else if (!argument.starts_with("-") && inputPath.empty())
      inputPath = argument.str();
    else
      return false;
  }
  return !inputPath.empty();
}

/// ONNX text becomes a file beside the output that import can read.
static bool parseText(llvm::StringRef path, std::string &modelPath) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return false;
  ::onnx::ModelProto model;
  ::onnx::OnnxParser parser((*text)->getBufferStart());
  auto status = parser.Parse(model);
  if (!status.IsOK()) {
    llvm::errs() << status.ErrorMessage() << "\n";
    return false;
  }
  llvm::SmallString<128> name;
  if (llvm::sys::fs::createTemporaryFile("lowtide-test", "onnx", name))
    return false;
  std::ofstream out(name.c_str(), std::ios::binary);
  model.SerializeToOstream(&out);
  modelPath = name.str().str();
  return true;
}

static bool parseModule(llvm::StringRef path, MLIRContext &context,
                        lowtide::Model &model) {
  model.module = parseSourceFile<ModuleOp>(path, &context);
  if (!model.module)
    return false;
  auto function = model.module->lookupSymbol<func::FuncOp>("main");
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto name = function.getArgAttrOfType<StringAttr>(index, "onnx.name");
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!function.getArgAttr(index, "onnx.initializer") || !name || !type)
      continue;
    int64_t bytes =
        type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
    model.weights.set(name.getValue(), type, std::vector<char>(bytes));
  }
  return true;
}

int main(int argc, char **argv) {
  if (!parseArguments(llvm::ArrayRef(argv, argc).drop_front()))
    return 2;
  DialectRegistry registry;
  registry.insert<func::FuncDialect, lowtide::onnx::OnnxDialect,
                  lowtide::train::TrainDialect, lowtide::plan::PlanDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);

  lowtide::Model model;
  llvm::StringRef path = inputPath;
  if (path.ends_with(".mlir")) {
    if (!parseModule(path, context, model))
      return 2;
  } else {
    std::string modelPath = inputPath;
    if (path.ends_with(".onnxtext") && !parseText(path, modelPath))
      return 2;
    auto status = lowtide::importOnnx(modelPath, context, model);
    if (modelPath != inputPath)
      llvm::sys::fs::remove(modelPath);
    if (status != lowtide::FileStatus::Ok)
      return static_cast<int>(status);
  }
  if (!forwardPath.empty()) {
    lowtide::Model forward;
    auto status = lowtide::importOnnx(forwardPath, context, forward);
    if (status != lowtide::FileStatus::Ok)
      return static_cast<int>(status);
    model.forwardModel = forward.source;
    model.hadExternalData |= forward.hadExternalData;
    for (const auto &entry : forward.weights.entries())
      if (!model.weights.find(entry.first))
        model.weights.set(entry.first,
                          lowtide::WeightStore::Entry(entry.second));
  }
  if (print)
    model.module->print(llvm::outs(),
                        OpPrintingFlags().enableDebugInfo(true, true));
  if (!outputPath.empty()) {
    lowtide::ExportOptions options;
    options.opset = opset;
    options.keepOpset = keep;
    auto status = lowtide::exportOnnx(model, outputPath, options);
    if (status != lowtide::FileStatus::Ok)
      return static_cast<int>(status);
  }
  if (!savePath.empty())
    return static_cast<int>(
        lowtide::saveForwardModel(model, model.weights, savePath, context));
  return 0;
}
