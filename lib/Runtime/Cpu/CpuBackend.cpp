//===- CpuBackend.cpp - The back end of the host's own processor ----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Picks a kernel for every call: a fast one when there is one that takes the
// call, else the plain loops. The choice depends on the call and the options
// only, so that plan and run agree.
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"
#include "Parallel.h"

#include "lowtide/Runtime/Arena.h"

#include <cstring>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {

class CpuKernel final : public PreparedKernel {
public:
  explicit CpuKernel(RunKernel run) : body(std::move(run)) {}
  std::string run(const KernelBuffers &buffers) override {
    return body(buffers);
  }

private:
  RunKernel body;
};

class CpuBackend final : public Backend {
public:
  explicit CpuBackend(const BackendOptions &options) : options(options) {
    context.threads = context.plannedThreads = std::max(1, options.threads);
    setPoolThreads(context.threads);
  }

  std::string_view name() const override { return "cpu"; }
  int64_t alignment() const override { return 64; }
  std::string whyUnsupported(const KernelCall &call) const override {
    return build(call).whyNot;
  }
  KernelNeeds needs(const KernelCall &call) const override {
    return build(call).needs;
  }
  std::unique_ptr<PreparedKernel> prepare(const KernelCall &call) override {
    KernelBuild built = build(call);
    if (built.compile)
      built.run = built.compile();
    if (!built.whyNot.empty() || !built.run)
      return nullptr;
    return std::make_unique<CpuKernel>(std::move(built.run));
  }

  void *allocate(int64_t bytes) override { return reserveGuarded(bytes); }
  void deallocate(void *memory, int64_t bytes) override {
    releaseGuarded(memory, bytes);
  }
  void copyToDevice(void *to, const void *from, int64_t bytes) override {
    copyOnDevice(to, from, bytes);
  }
  void copyToHost(void *to, const void *from, int64_t bytes) override {
    copyOnDevice(to, from, bytes);
  }
  void copyOnDevice(void *to, const void *from, int64_t bytes) override {
    if (bytes > 0)
      std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void synchronize() override {}
  bool isHostMemory() const override { return true; }
  void setPlannedThreads(int threads) override {
    context.plannedThreads = std::max(1, threads);
  }

private:
  KernelBuild build(const KernelCall &call) const;

  BackendOptions options;
  CpuContext context;
};

} // namespace

KernelBuild CpuBackend::build(const KernelCall &call) const {
  if (!options.reference)
    if (MakeKernel make = fastKernels().find(call.kernel))
      if (KernelBuild built = make(call, context); built.whyNot.empty())
        return built;
  if (MakeKernel make = referenceKernels().find(call.kernel))
    return make(call, context);
  return refuse("there is no kernel named " + call.kernel);
}

std::unique_ptr<Backend>
lowtide::runtime::createCpuBackend(const BackendOptions &options) {
  return std::make_unique<CpuBackend>(options);
}

std::vector<std::string> lowtide::runtime::cpuKernelNames(bool fast) {
  std::vector<std::string> names;
  for (const auto &[name, make] :
       (fast ? fastKernels() : referenceKernels()).all())
    names.push_back(name);
  return names;
}
