//===- RunStep.cpp - A step with its inputs, run again and again ----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RunStep.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace lowtide;
using namespace lowtide::cli;
using runtime::DataType;

llvm::Expected<std::unique_ptr<StepRunner>>
StepRunner::create(runtime::ExecPlan plan, const std::vector<StepInput> &inputs,
                   int threads, bool checkMemory) {
  auto runner = std::make_unique<StepRunner>();
  runner->backend =
      runtime::createCpuBackend({.threads = threads, .reference = false});
  auto executor = runtime::Executor::create(std::move(plan), *runner->backend,
                                            {.checkMemory = checkMemory});
  if (!executor)
    return executor.takeError();
  runner->executor = std::move(*executor);
  for (const StepInput &input : inputs) {
    if (llvm::Error e = runner->executor->setInput(input.name, input.bytes))
      return std::move(e);
    if (input.role != "step" || input.bytes.size() != sizeof(int64_t))
      continue;
    Counter counter{input.name, 0};
    std::memcpy(&counter.first, input.bytes.data(), sizeof(int64_t));
    runner->counters.push_back(std::move(counter));
  }
  return runner;
}

llvm::Error StepRunner::run() {
  for (const Counter &counter : counters) {
    int64_t step = counter.first + numRuns;
    if (llvm::Error e = executor->setInput(
            counter.name, std::as_bytes(std::span<const int64_t>(&step, 1))))
      return e;
  }
  ++numRuns;
  return executor->run();
}

llvm::Expected<ArrayBytes> StepRunner::output(llvm::StringRef name) {
  for (const runtime::Port &port : plan().outputs) {
    if (port.name != name)
      continue;
    const runtime::Buffer &buffer = plan().buffers[port.buffer];
    ArrayBytes bytes(static_cast<size_t>(buffer.desc.bytes()));
    if (llvm::Error e = executor->readOutput(port.name, bytes))
      return std::move(e);
    return bytes;
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "no output is named '" + name + "'");
}

llvm::Expected<std::vector<NamedArray>> StepRunner::outputs() {
  std::vector<NamedArray> arrays;
  for (const runtime::Port &port : plan().outputs) {
    auto bytes = output(port.name);
    if (!bytes)
      return bytes.takeError();
    arrays.push_back(
        {port.name, plan().buffers[port.buffer].desc, std::move(*bytes)});
  }
  return arrays;
}

llvm::Expected<std::optional<double>> StepRunner::loss() {
  for (const runtime::Port &port : plan().outputs) {
    const runtime::TensorDesc &desc = plan().buffers[port.buffer].desc;
    bool isFloat =
        desc.type == DataType::Float32 || desc.type == DataType::Float64;
    if (port.name != "loss" || desc.numElements() != 1 || !isFloat)
      continue;
    auto bytes = output(port.name);
    if (!bytes)
      return bytes.takeError();
    if (desc.type == DataType::Float64) {
      double value;
      std::memcpy(&value, bytes->data(), sizeof value);
      return value;
    }
    float value;
    std::memcpy(&value, bytes->data(), sizeof value);
    return value;
  }
  return std::nullopt;
}

static std::string describeDifference(const std::string &name,
                                      const runtime::TensorDesc &desc,
                                      const ArrayBytes &a,
                                      const ArrayBytes &b) {
  size_t size = static_cast<size_t>(runtime::sizeInBytes(desc.type));
  size_t count = 0, first = 0;
  for (size_t i = 0; i + size <= a.size(); i += size)
    if (std::memcmp(a.data() + i, b.data() + i, size) != 0 && count++ == 0)
      first = i / size;
  return "'" + name + "' differs in " + std::to_string(count) + " of " +
         std::to_string(a.size() / size) + " elements, first at " +
         std::to_string(first);
}

llvm::Expected<std::string> cli::compareOutputs(StepRunner &planned,
                                                StepRunner &plain) {
  std::string text;
  int numShown = 0;
  constexpr int mostShown = 5;
  for (const runtime::Port &port : planned.plan().outputs) {
    auto a = planned.output(port.name);
    if (!a)
      return a.takeError();
    auto b = plain.output(port.name);
    if (!b)
      return b.takeError();
    if (*a == *b)
      continue;
    if (numShown++ < mostShown)
      text += (text.empty() ? "" : "; ") +
              describeDifference(
                  port.name, planned.plan().buffers[port.buffer].desc, *a, *b);
  }
  if (numShown > mostShown)
    text += "; " + std::to_string(numShown - mostShown) + " more outputs";
  return text;
}
