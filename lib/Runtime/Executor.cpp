//===- Executor.cpp - Runs a planned step ---------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Runtime/Executor.h"
#include "lowtide/Runtime/AllocationCounter.h"

#include <algorithm>
#include <cassert>
#include <chrono>

using namespace lowtide::runtime;

struct Executor::BoundStep {
  std::unique_ptr<PreparedKernel> kernel; ///< Null for views.
  std::vector<const void *> operands;
  std::vector<void *> results;
  void *workspace = nullptr;
  bool replacesOperand = false;
};

double Timeline::medianRunSeconds() const {
  if (runSeconds.empty())
    return 0;
  std::vector<double> sorted = runSeconds;
  auto middle = sorted.begin() + sorted.size() / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

static llvm::Error error(const std::string &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

Executor::Executor(ExecPlan planned, Backend &backend,
                   const ExecutorOptions &options)
    : plan(std::move(planned)), backend(backend),
      arena(backend, plan.arenaBytes, options.checkMemory),
      dying(plan.steps.size()), firstUpdate(plan.steps.size()) {}

Executor::~Executor() = default;

std::byte *Executor::addressOf(BufferId id) const {
  return arena.at(plan.buffers[id].offsetBytes);
}

const Port *Executor::findInput(std::string_view name) const {
  for (const Port &port : plan.inputs)
    if (port.name == name)
      return &port;
  return nullptr;
}

llvm::Expected<std::unique_ptr<Executor>>
Executor::create(ExecPlan plan, Backend &backend,
                 const ExecutorOptions &options) {
  if (std::string text = verify(plan); !text.empty())
    return error("the plan is unsound: " + text);
  if (plan.alignmentBytes % backend.alignment() != 0)
    return error("the plan aligns to " + std::to_string(plan.alignmentBytes) +
                 " bytes, back end '" + std::string(backend.name()) +
                 "' needs " + std::to_string(backend.alignment()));
  backend.setPlannedThreads(plan.threads);
  std::unique_ptr<Executor> executor(
      new Executor(std::move(plan), backend, options));
  if (!executor->arena.isValid())
    return error("can't reserve " + std::to_string(executor->plan.arenaBytes) +
                 " bytes of memory for the step");
  if (llvm::Error e = executor->checkCalls())
    return e;
  if (llvm::Error e = executor->bind())
    return e;
  executor->findLives();
  return executor;
}

/// The plan's workspaces and donations against what the back end says today.
llvm::Error Executor::checkCalls() {
  for (const Step &step : plan.steps) {
    if (step.isView)
      continue;
    const std::string name = "'" + step.node + "' (" + step.call.kernel + ")";
    if (std::string why = backend.whyUnsupported(step.call); !why.empty())
      return error(name + " can't run: " + why);
    const KernelNeeds needs = backend.needs(step.call);
    if (step.workspaceBytes < needs.workspaceBytes)
      return error(name + " needs a workspace of " +
                   std::to_string(needs.workspaceBytes) +
                   " bytes, the plan gives " +
                   std::to_string(step.workspaceBytes));
    for (unsigned r = 0; r < step.results.size(); ++r)
      for (unsigned o = 0; o < step.operands.size(); ++o) {
        const BufferId result = step.results[r], operand = step.operands[o];
        if (result == noBuffer || operand == noBuffer ||
            plan.buffers[result].desc.bytes() == 0 ||
            plan.buffers[operand].desc.bytes() == 0 ||
            plan.buffers[result].offsetBytes !=
                plan.buffers[operand].offsetBytes)
          continue;
        // The same value may be several operands: one of them must be donated.
        const bool accepted = std::any_of(
            needs.donations.begin(), needs.donations.end(),
            [&](const Donation &d) {
              return d.result == r && d.operand < step.operands.size() &&
                     step.operands[d.operand] != noBuffer &&
                     plan.buffers[step.operands[d.operand]].offsetBytes ==
                         plan.buffers[operand].offsetBytes;
            });
        if (!accepted)
          return error(name + " can't write its result " + std::to_string(r) +
                       " over its operand " + std::to_string(o));
      }
  }
  return llvm::Error::success();
}

llvm::Error Executor::bind() {
  bound.resize(plan.steps.size());
  times.stepSeconds.resize(plan.steps.size());
  times.outsideAllocations.reserve(plan.steps.size());
  times.countedAllocations = countsAllocations();
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const Step &step = plan.steps[s];
    BoundStep &binding = bound[s];
    for (BufferId id : step.operands)
      binding.operands.push_back(id == noBuffer ? nullptr : addressOf(id));
    for (BufferId id : step.results)
      binding.results.push_back(id == noBuffer ? nullptr : addressOf(id));
    if (step.workspaceBytes > 0)
      binding.workspace = arena.at(step.workspaceOffsetBytes);
    if (step.isView)
      continue;
    binding.kernel = backend.prepare(step.call);
    if (!binding.kernel)
      return error("'" + step.node + "' (" + step.call.kernel +
                   ") could not be prepared");
  }
  arena.closeAll();
  for (const Buffer &buffer : plan.buffers)
    if (buffer.resident)
      arena.open(buffer.offsetBytes, buffer.desc.bytes());
  hostInputs.resize(plan.inputs.size());
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const Buffer &buffer = plan.buffers[plan.inputs[i].buffer];
    const std::vector<std::byte> zeros(buffer.desc.bytes());
    if (buffer.resident)
      backend.copyToDevice(addressOf(plan.inputs[i].buffer), zeros.data(),
                           buffer.desc.bytes());
    else
      hostInputs[i] = zeros;
  }
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].constant && plan.buffers[i].resident)
      backend.copyToDevice(addressOf(i), plan.buffers[i].constant->data(),
                           plan.buffers[i].desc.bytes());
  return llvm::Error::success();
}

/// Which blocks end where; a block that a donation replaces never closes, its
/// successor does.
void Executor::findLives() {
  const std::vector<Lifetime> lives = computeLifetimes(plan);
  const auto numSteps = static_cast<int32_t>(plan.steps.size());
  std::vector<bool> replaced(plan.buffers.size(), false);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const Step &step = plan.steps[s];
    for (BufferId result : step.results)
      for (BufferId operand : step.operands) {
        if (step.isView || result == noBuffer || operand == noBuffer ||
            plan.buffers[result].offsetBytes !=
                plan.buffers[operand].offsetBytes ||
            plan.buffers[operand].desc.bytes() == 0)
          continue;
        BufferId root = operand;
        while (plan.buffers[root].base != noBuffer)
          root = plan.buffers[root].base;
        replaced[root] = true;
        bound[s].replacesOperand = true;
        if (plan.buffers[root].resident)
          firstUpdate = std::min(firstUpdate, s);
      }
  }
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].base == noBuffer && !replaced[i] &&
        lives[i].end < numSteps && lives[i].end > 0)
      dying[lives[i].end - 1].push_back(static_cast<BufferId>(i));
}

llvm::Error Executor::setInput(std::string_view name,
                               std::span<const std::byte> bytes) {
  const Port *port = findInput(name);
  if (!port)
    return error("no input is named '" + std::string(name) + "'");
  const Buffer &buffer = plan.buffers[port->buffer];
  const auto given = static_cast<int64_t>(bytes.size());
  if (given != buffer.desc.bytes())
    return error("input '" + port->name + "' of type " + toString(buffer.desc) +
                 " takes " + std::to_string(buffer.desc.bytes()) +
                 " bytes, not " + std::to_string(given));
  if (buffer.resident)
    backend.copyToDevice(addressOf(port->buffer), bytes.data(), given);
  else
    hostInputs[port - plan.inputs.data()].assign(bytes.begin(), bytes.end());
  stale.erase(port->name);
  return llvm::Error::success();
}

/// Brings back the inputs and constants whose place the last run reused.
void Executor::loadInputs() {
  auto load = [&](BufferId id, const std::byte *from) {
    const Buffer &buffer = plan.buffers[id];
    arena.touch(buffer.offsetBytes, buffer.desc.bytes());
    if (buffer.resident)
      return;
    arena.open(buffer.offsetBytes, buffer.desc.bytes());
    backend.copyToDevice(addressOf(id), from, buffer.desc.bytes());
  };
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    load(plan.inputs[i].buffer, hostInputs[i].data());
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].constant)
      load(static_cast<BufferId>(i), plan.buffers[i].constant->data());
}

llvm::Error Executor::runStep(size_t s) {
  const Step &step = plan.steps[s];
  BoundStep &binding = bound[s];
  if (!binding.kernel)
    return llvm::Error::success();
  for (BufferId id : step.operands)
    if (id != noBuffer)
      arena.touch(plan.buffers[id].offsetBytes, plan.buffers[id].desc.bytes());
  for (BufferId id : step.results)
    if (id != noBuffer) {
      arena.touch(plan.buffers[id].offsetBytes, plan.buffers[id].desc.bytes());
      arena.open(plan.buffers[id].offsetBytes, plan.buffers[id].desc.bytes());
    }
  arena.touch(step.workspaceOffsetBytes, step.workspaceBytes);
  arena.open(step.workspaceOffsetBytes, step.workspaceBytes);
  const auto start = std::chrono::steady_clock::now();
  const int64_t before = allocatedBytes();
  const std::string text = binding.kernel->run(
      {binding.operands, binding.results, binding.workspace});
  const int64_t outside = allocatedBytes() - before;
  times.stepSeconds[s] = secondsSince(start);
  if (!text.empty())
    return error("'" + step.node + "' (" + step.call.kernel + "): " + text);
  if (outside != 0) {
    times.outsideArenaBytes += outside;
    times.outsideAllocations.push_back({static_cast<int32_t>(s), outside});
  }
  return releaseAfter(s);
}

llvm::Error Executor::releaseAfter(size_t s) {
  if (!arena.isChecked())
    return llvm::Error::success();
  const Step &step = plan.steps[s];
  bool intact = arena.close(step.workspaceOffsetBytes, step.workspaceBytes);
  for (BufferId id : dying[s])
    intact &= arena.close(plan.buffers[id].offsetBytes,
                          plan.buffers[id].desc.bytes());
  if (!intact)
    return error("something wrote past the end of a buffer that died at '" +
                 step.node + "' (" + step.call.kernel + ")");
  return llvm::Error::success();
}

void Executor::copyUpdates() {
  for (const Port &output : plan.outputs) {
    if (output.updates.empty())
      continue;
    const Port *input = findInput(output.updates);
    assert(input && "verify() looked the updated input up");
    std::byte *to = addressOf(input->buffer);
    const std::byte *from = addressOf(output.buffer);
    if (to != from)
      backend.copyOnDevice(to, from, plan.buffers[output.buffer].desc.bytes());
  }
}

llvm::Error Executor::run() {
  if (!stale.empty())
    return error("input '" + *stale.begin() +
                 "' was partly updated by a run that failed: set it again");
  times.outsideArenaBytes = 0;
  times.outsideAllocations.clear();
  arena.forgetTouched();
  loadInputs();
  ranOnce = true;
  const auto start = std::chrono::steady_clock::now();
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    llvm::Error e = runStep(s);
    if (!e)
      continue;
    backend.synchronize();
    if (s >= firstUpdate)
      for (const Port &output : plan.outputs)
        if (!output.updates.empty())
          stale.insert(output.updates);
    return e;
  }
  copyUpdates();
  backend.synchronize();
  times.runSeconds.push_back(secondsSince(start));
  times.measuredPeakBytes = arena.touchedBytes();
  if (times.measuredPeakBytes != plan.arenaBytes)
    return error("measured peak is " + std::to_string(times.measuredPeakBytes) +
                 " bytes but the plan says " + std::to_string(plan.arenaBytes));
  return llvm::Error::success();
}

llvm::Error Executor::readOutput(std::string_view name,
                                 std::span<std::byte> bytes) {
  for (const Port &port : plan.outputs) {
    if (port.name != name)
      continue;
    const int64_t size = plan.buffers[port.buffer].desc.bytes();
    if (size != static_cast<int64_t>(bytes.size()))
      return error("output '" + port.name + "' has " + std::to_string(size) +
                   " bytes");
    if (!ranOnce)
      return error("output '" + port.name + "' was read before a run");
    backend.copyToHost(bytes.data(), addressOf(port.buffer), size);
    return llvm::Error::success();
  }
  return error("no output is named '" + std::string(name) + "'");
}

llvm::Error Executor::readInput(std::string_view name,
                                std::span<std::byte> bytes) {
  const Port *port = findInput(name);
  if (!port)
    return error("no input is named '" + std::string(name) + "'");
  const Buffer &buffer = plan.buffers[port->buffer];
  if (buffer.desc.bytes() != static_cast<int64_t>(bytes.size()))
    return error("input '" + port->name + "' has " +
                 std::to_string(buffer.desc.bytes()) + " bytes");
  if (buffer.resident)
    backend.copyToHost(bytes.data(), addressOf(port->buffer),
                       buffer.desc.bytes());
  else
    std::copy(hostInputs[port - plan.inputs.data()].begin(),
              hostInputs[port - plan.inputs.data()].end(), bytes.begin());
  return llvm::Error::success();
}
