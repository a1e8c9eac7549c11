//===- Executor.h - Runs a planned step -------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Runs an ExecPlan in one arena, any number of times. Updated inputs keep
// their new values from run to run; other inputs keep what `setInput` gave.
//
//   auto executor = Executor::create(plan, *backend);
//   executor->setInput("x", bytes);
//   executor->run();
//   executor->readOutput("loss", bytes);
//
// A run that a kernel refuses (an index out of range) leaves the updated
// inputs as they were when nothing was updated before that kernel; otherwise
// the next run asks for them to be set again.
//
// Tested by test/unit/Runtime/ExecutorTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RUNTIME_EXECUTOR_H
#define LOWTIDE_RUNTIME_EXECUTOR_H

#include "lowtide/Runtime/Arena.h"
#include "lowtide/Runtime/ExecPlan.h"
#include "lowtide/Runtime/Timeline.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <set>
#include <span>
#include <string_view>

namespace lowtide::runtime {

struct ExecutorOptions {
  /// Fill dead bytes, look at canaries. Costs one pass over memory per step.
  bool checkMemory = false;
};

class Executor {
public:
  /// Verifies the plan, asks the back end about every call, reserves the arena
  /// and prepares all kernels. Inputs start as zeros.
  static llvm::Expected<std::unique_ptr<Executor>>
  create(ExecPlan plan, Backend &backend, const ExecutorOptions &options = {});
  ~Executor();

  /// `bytes` must be as many as the input's type says.
  llvm::Error setInput(std::string_view name, std::span<const std::byte> bytes);
  /// One step. Fails when a kernel refuses a value, when a canary was
  /// overwritten or when measured and planned peak differ.
  llvm::Error run();
  /// Only after a run that succeeded.
  llvm::Error readOutput(std::string_view name, std::span<std::byte> bytes);
  /// The input's present value: the updated one after a run.
  llvm::Error readInput(std::string_view name, std::span<std::byte> bytes);

  const ExecPlan &execPlan() const { return plan; }
  const Timeline &timeline() const { return times; }

private:
  struct BoundStep;

  Executor(ExecPlan plan, Backend &backend, const ExecutorOptions &options);
  llvm::Error checkCalls();
  llvm::Error bind();
  void findLives();
  void loadInputs();
  llvm::Error runStep(size_t s);
  llvm::Error releaseAfter(size_t s);
  void copyUpdates();
  const Port *findInput(std::string_view name) const;
  std::byte *addressOf(BufferId id) const;

  ExecPlan plan;
  Backend &backend;
  Arena arena;
  Timeline times;
  std::vector<BoundStep> bound;
  /// Blocks that die behind each step, and first step that changes an updated
  /// input.
  std::vector<std::vector<BufferId>> dying;
  size_t firstUpdate;
  /// Host bytes of inputs whose place is reused during a step.
  std::vector<std::vector<std::byte>> hostInputs;
  /// Updated inputs that must be set before the next run.
  std::set<std::string, std::less<>> stale;
  bool ranOnce = false;
};

} // namespace lowtide::runtime

#endif // LOWTIDE_RUNTIME_EXECUTOR_H
