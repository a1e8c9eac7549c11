//===- FuzzFrontend.cpp - Damaged models must not hurt --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
//   lowtide-fuzz-frontend RUNS FOLDER MODEL...
//
// Changes a few bytes of each model in turn, RUNS times in all, and reads the
// result; FOLDER takes the damaged file, which stays there when reading it ends
// the process. What is read is written again now and then.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Onnx/IR/Onnx.h"
#include "lowtide/Dialect/Plan/IR/Plan.h"
#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Frontend/Model.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/MemoryBuffer.h"

#include <fstream>
#include <random>

using namespace mlir;

static void damage(std::string &bytes, std::mt19937 &random) {
  int changes = 1 + random() % 2;
  for (int i = 0; i < changes && !bytes.empty(); ++i) {
    size_t at = random() % bytes.size();
    switch (random() % 12) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes[at] ^= 1 << random() % 8;
      break;
    case 2:
      bytes.erase(at, 1 + random() % 8);
      break;
    case 3:
      bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 16));
      break;
    default:
      // Small numbers are where the structure is.
      bytes[at] = static_cast<char>(random() % 32);
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  int runs = std::stoi(argv[1]);
  std::string folder = argv[2];
  std::vector<std::string> models;
  for (int i = 3; i < argc; ++i)
    if (auto buffer = llvm::MemoryBuffer::getFile(argv[i]))
      models.push_back((*buffer)->getBuffer().str());
  DialectRegistry registry;
  registry.insert<func::FuncDialect, lowtide::onnx::OnnxDialect,
                  lowtide::train::TrainDialect, lowtide::plan::PlanDialect>();
  std::mt19937 random(12345);
  int good = 0, silent = 0;
  for (int run = 0; run < runs; ++run) {
    std::string bytes = models[run % models.size()];
    damage(bytes, random);
    std::string path = folder + "/damaged.onnx";
    std::ofstream(path, std::ios::binary) << bytes;
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    int errors = 0;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return success();
    });
    lowtide::Model model;
    auto status = lowtide::importOnnx(path, context, model);
    if (status != lowtide::FileStatus::Ok) {
      silent += errors == 0;
      continue;
    }
    ++good;
    lowtide::ExportOptions options;
    options.keepOpset = run % 2;
    lowtide::exportOnnx(model, folder + "/written.onnx", options);
  }
  llvm::outs() << runs << " damaged files, " << good << " still read, "
               << silent << " refused without a word\n";
  return silent ? 1 : 0;
}
