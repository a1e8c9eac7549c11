//===- KernelTable.h - Kernels by name --------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A kernel is one function that looks at a call and answers everything at
// once: why it can't, or what it needs and how it runs. So the answers can't
// disagree. It is asked at plan time (for the needs) and again before the first
// step (for the code).
//
//   static KernelBuild makeRelu(const KernelCall &call, const CpuContext &cpu);
//   table.add("onnx.Relu", makeRelu);
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_KERNELTABLE_H
#define LOWTIDE_LIB_RUNTIME_CPU_KERNELTABLE_H

#include "lowtide/Runtime/Backend.h"

#include <functional>
#include <map>
#include <string>

namespace lowtide::runtime::cpu {

struct CpuContext {
  /// Threads that run the loops.
  int threads = 1;
  /// Threads that per-thread workspaces are sized for.
  int plannedThreads = 1;
};

using RunKernel = std::function<std::string(const KernelBuffers &)>;

struct KernelBuild {
  std::string whyNot; ///< Why the call isn't supported, else empty.
  KernelNeeds needs;
  RunKernel run;
  /// Makes `run` where that takes long; called once, before the first step.
  std::function<RunKernel()> compile;
};

/// A refusal.
inline KernelBuild refuse(std::string why) {
  KernelBuild build;
  build.whyNot = std::move(why);
  return build;
}

using MakeKernel = KernelBuild (*)(const KernelCall &, const CpuContext &);

class KernelTable {
public:
  void add(std::string name, MakeKernel make) {
    makers[std::move(name)] = make;
  }
  MakeKernel find(const std::string &name) const {
    auto it = makers.find(name);
    return it == makers.end() ? nullptr : it->second;
  }
  const std::map<std::string, MakeKernel> &all() const { return makers; }

private:
  std::map<std::string, MakeKernel> makers;
};

// One function per family file; the plain loops.
void addUnaryKernels(KernelTable &table);
void addBinaryKernels(KernelTable &table);
void addSelectKernels(KernelTable &table);
void addCastKernels(KernelTable &table);
void addShapeKernels(KernelTable &table);
void addPadKernels(KernelTable &table);
void addJoinKernels(KernelTable &table);
void addGatherKernels(KernelTable &table);
void addScatterKernels(KernelTable &table);
void addGenerateKernels(KernelTable &table);
void addResizeKernels(KernelTable &table);
void addReduceKernels(KernelTable &table);
void addSoftmaxKernels(KernelTable &table);
void addConvKernels(KernelTable &table);
void addPoolKernels(KernelTable &table);
void addNormKernels(KernelTable &table);
void addMatMulKernels(KernelTable &table);
void addLossKernels(KernelTable &table);
void addUnaryGradKernels(KernelTable &table);
void addNormGradKernels(KernelTable &table);
void addIndexGradKernels(KernelTable &table);
void addRandomKernels(KernelTable &table);
void addUpdateKernels(KernelTable &table);

// Faster ones for some calls; they refuse the others.
void addFastElementwiseKernels(KernelTable &table);
void addFastConvKernels(KernelTable &table);
void addFastPoolKernels(KernelTable &table);
void addFastMatMulKernels(KernelTable &table);
void addFastTransposeKernels(KernelTable &table);

/// The plain loops, and the table that is asked before them.
const KernelTable &referenceKernels();
const KernelTable &fastKernels();

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_KERNELTABLE_H
