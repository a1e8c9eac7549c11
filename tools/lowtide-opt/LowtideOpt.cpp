//===- LowtideOpt.cpp - lowtide-opt: passes one by one --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// mlir-opt for our dialects. An input that ends in .onnx is imported first, an
// output that ends in .onnx exported:
//   lowtide-opt model.onnx                      the graph as MLIR
//   lowtide-opt model.onnx --canonicalize -o out.onnx
//   lowtide-opt model.onnx --lowtide-bind-dimensions="dims=N=8"
//
//===----------------------------------------------------------------------===//

#include "lowtide/Pipelines/Pipelines.h"
#include "lowtide/Transforms/Passes.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace lowtide;
using llvm::StringRef;

/// Our exit codes of interface errors, as in the tool `lowtide`.
static constexpr int inputOutput = 7, unsupported = 4;

static int printModule(mlir::ModuleOp module, StringRef path) {
  std::string message;
  auto file = mlir::openOutputFile(path, &message);
  if (!file) {
    llvm::errs() << message << "\n";
    return inputOutput;
  }
  module.print(file->os());
  file->os() << "\n";
  file->keep();
  return 0;
}

static int processOnnx(StringRef input, StringRef output,
                       const mlir::DialectRegistry &registry) {
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  Model model;
  FileStatus status = importOnnx(input, context, model);
  if (status != FileStatus::Ok)
    return static_cast<int>(status);
  mlir::PassManager passes(&context, mlir::ModuleOp::getOperationName(),
                           mlir::PassManager::Nesting::Implicit);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (mlir::failed(config.setupPassPipeline(passes)) ||
      mlir::failed(passes.run(*model.module)))
    return unsupported;
  if (output.ends_with(".onnx"))
    return static_cast<int>(exportOnnx(model, output, ExportOptions()));
  return printModule(*model.module, output);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  registerAll(registry);
  mlir::registerTransformsPasses();
  registerLowtidePasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Lowtide pass driver\n", registry);
  if (StringRef(input).ends_with(".onnx"))
    return processOnnx(input, output, registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
