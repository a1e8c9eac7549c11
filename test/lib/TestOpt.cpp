//===- TestOpt.cpp - An optimizer driver for tests ------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Holds what tests need and users don't: passes that apply one rule or body.
//
//===----------------------------------------------------------------------===//

#include "TestRules.h"

#include "lowtide/Dialect/Onnx/IR/Onnx.h"
#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Rules/Cost.h"
#include "lowtide/Rules/Gradient.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, lowtide::onnx::OnnxDialect,
                  lowtide::train::TrainDialect>();
  lowtide::registerGradientRules(registry);
  lowtide::registerCostRules(registry);
  lowtide::test::registerRulePasses();
  lowtide::test::registerRunPass();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Lowtide test driver\n", registry));
}
