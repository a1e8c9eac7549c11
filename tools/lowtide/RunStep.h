//===- RunStep.h - A step with its inputs, run again and again --*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_RUNSTEP_H
#define LOWTIDE_TOOLS_LOWTIDE_RUNSTEP_H

#include "Inputs.h"

#include "lowtide/Runtime/Executor.h"

namespace lowtide::cli {

class StepRunner {
public:
  /// Prepares the kernels and sets every input.
  static llvm::Expected<std::unique_ptr<StepRunner>>
  create(runtime::ExecPlan plan, const std::vector<StepInput> &inputs,
         int threads, bool checkMemory);

  /// One step. Inputs of the role `step` get the number of the step, added to
  /// what they were given.
  llvm::Error run();
  llvm::Expected<ArrayBytes> output(llvm::StringRef name);
  llvm::Expected<std::vector<NamedArray>> outputs();
  /// The scalar output `loss`, if there is one.
  llvm::Expected<std::optional<double>> loss();

  const runtime::ExecPlan &plan() const { return executor->execPlan(); }
  const runtime::Timeline &timeline() const { return executor->timeline(); }

private:
  struct Counter {
    std::string name;
    int64_t first;
  };

  std::unique_ptr<runtime::Backend> backend;
  std::unique_ptr<runtime::Executor> executor;
  std::vector<Counter> counters;
  int64_t numRuns = 0;
};

/// Where two runs of one step differ, as a sentence; empty when every output is
/// equal bit for bit.
llvm::Expected<std::string> compareOutputs(StepRunner &planned,
                                           StepRunner &plain);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_RUNSTEP_H
