//===- TrainDialect.cpp - The train dialect -------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Train.h"

using namespace mlir;
using namespace lowtide::train;

#include "lowtide/Dialect/Train/IR/TrainDialect.cpp.inc"

#define GET_OP_CLASSES
#include "lowtide/Dialect/Train/IR/TrainOps.cpp.inc"

void TrainDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "lowtide/Dialect/Train/IR/TrainOps.cpp.inc"
      >();
}
