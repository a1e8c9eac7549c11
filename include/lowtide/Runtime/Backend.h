//===- Backend.h - What a device must offer ---------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A back end owns the kernels of one kind of device. It is asked three things,
// in this order: does it support a call, what does the call need (at plan
// time), and prepare it (before the first step). A prepared kernel then runs
// any number of times and allocates nothing.
//
// Nothing here assumes a CPU: pointers are device pointers, and memory comes
// from `allocate`, `copyToDevice` and `copyToHost`.
//
// Tested by test/unit/Runtime/ExecutorTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RUNTIME_BACKEND_H
#define LOWTIDE_RUNTIME_BACKEND_H

#include "lowtide/Runtime/KernelCall.h"

#include <memory>
#include <span>
#include <string>

namespace lowtide::runtime {

/// Values that change from step to step and that kernels may read. Random
/// kernels key their counter with the values of their seed and step operands,
/// so nothing of the sort is here.
struct KernelBuffers {
  /// One device pointer per operand, null where absent or host-only.
  std::span<const void *const> operands;
  /// One device pointer per result, null where absent.
  std::span<void *const> results;
  /// `KernelNeeds::workspaceBytes` bytes, aligned; null when that is 0.
  void *workspace = nullptr;
};

class PreparedKernel {
public:
  virtual ~PreparedKernel() = default;
  /// Runs to completion (CPU) or enqueues (devices with streams). Returns an
  /// error message for a value the kernel must refuse (an index out of range),
  /// an empty string otherwise. Must not allocate.
  virtual std::string run(const KernelBuffers &buffers) = 0;
};

/// How kernels are picked. `reference` takes the plain loops for every call:
/// they are the oracle that the fast kernels are tested against.
struct BackendOptions {
  int threads = 1;
  bool reference = false;
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// Alignment in bytes of every buffer and workspace.
  virtual int64_t alignment() const = 0;
  /// Why the call can't run here, or an empty string when it can.
  virtual std::string whyUnsupported(const KernelCall &call) const = 0;
  /// Requires a supported call. The same call and options give the same needs.
  virtual KernelNeeds needs(const KernelCall &call) const = 0;
  /// Requires a supported call.
  virtual std::unique_ptr<PreparedKernel> prepare(const KernelCall &call) = 0;

  /// `bytes` of device memory, aligned to at least `alignment()`, or null.
  virtual void *allocate(int64_t bytes) = 0;
  virtual void deallocate(void *memory, int64_t bytes) = 0;
  virtual void copyToDevice(void *to, const void *from, int64_t bytes) = 0;
  virtual void copyToHost(void *to, const void *from, int64_t bytes) = 0;
  /// Between two ranges of device memory that don't overlap.
  virtual void copyOnDevice(void *to, const void *from, int64_t bytes) = 0;
  virtual void synchronize() = 0;
  /// Whether the host may touch device memory: then the executor can fill and
  /// check freed ranges.
  virtual bool isHostMemory() const = 0;
  /// Tells what `threads` of the plan was, so that kernels with a workspace
  /// sized for it keep to it. Called once, before any `prepare`.
  virtual void setPlannedThreads(int threads) = 0;
};

/// The CPU back end; never null.
std::unique_ptr<Backend> createCpuBackend(const BackendOptions &options);

/// Names of the CPU's kernels, sorted: the plain loops, or the faster ones that
/// take some of the same calls.
std::vector<std::string> cpuKernelNames(bool fast);

} // namespace lowtide::runtime

#endif // LOWTIDE_RUNTIME_BACKEND_H
