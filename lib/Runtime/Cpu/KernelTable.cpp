//===- KernelTable.cpp - Kernels by name ----------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

using namespace lowtide::runtime::cpu;

static KernelTable makeReferenceKernels() {
  KernelTable table;
  addUnaryKernels(table);
  addBinaryKernels(table);
  addSelectKernels(table);
  addCastKernels(table);
  addShapeKernels(table);
  addPadKernels(table);
  addJoinKernels(table);
  addGatherKernels(table);
  addScatterKernels(table);
  addGenerateKernels(table);
  addReduceKernels(table);
  addSoftmaxKernels(table);
  addConvKernels(table);
  addPoolKernels(table);
  addNormKernels(table);
  addNormGradKernels(table);
  addMatMulKernels(table);
  addLossKernels(table);
  addResizeKernels(table);
  addUnaryGradKernels(table);
  addIndexGradKernels(table);
  addRandomKernels(table);
  addUpdateKernels(table);
  return table;
}

static KernelTable makeFastKernels() {
  KernelTable table;
  addFastConvKernels(table);
  addFastPoolKernels(table);
  addFastTransposeKernels(table);
  addFastElementwiseKernels(table);
  addFastMatMulKernels(table);
  return table;
}

const KernelTable &lowtide::runtime::cpu::referenceKernels() {
  static const KernelTable table = makeReferenceKernels();
  return table;
}

const KernelTable &lowtide::runtime::cpu::fastKernels() {
  static const KernelTable table = makeFastKernels();
  return table;
}
