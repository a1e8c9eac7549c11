//===- KernelHarness.cpp - Runs one kernel on small tensors ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <algorithm>
#include <cstring>

using namespace lowtide::runtime;
using namespace lowtide::runtime::test;

template <typename F>
static void withType(DataType type, F f) {
  switch (type) {
  case DataType::Float32:
    return f(float());
  case DataType::Float64:
    return f(double());
  case DataType::Int32:
    return f(int32_t());
  case DataType::Int64:
    return f(int64_t());
  default:
    return f(uint8_t());
  }
}

std::vector<double> Tensor::values() const {
  std::vector<double> result;
  withType(desc.type, [&](auto zero) {
    for (int64_t i = 0; i < desc.numElements(); ++i) {
      std::memcpy(&zero, bytes.data() + i * sizeof(zero), sizeof(zero));
      result.push_back(static_cast<double>(zero));
    }
  });
  return result;
}

void Tensor::set(int64_t i, double value) {
  withType(desc.type, [&](auto zero) {
    zero = static_cast<decltype(zero)>(value);
    std::memcpy(bytes.data() + i * sizeof(zero), &zero, sizeof(zero));
  });
}

Tensor test::tensor(DataType type, Shape shape,
                    const std::vector<double> &values) {
  Tensor t{{type, std::move(shape)}, {}};
  t.bytes.resize(static_cast<size_t>(t.desc.bytes()));
  for (size_t i = 0; i < values.size(); ++i)
    t.set(static_cast<int64_t>(i), values[i]);
  return t;
}

Tensor test::floats(Shape shape, const std::vector<double> &values) {
  return tensor(DataType::Float32, std::move(shape), values);
}
Tensor test::doubles(Shape shape, const std::vector<double> &values) {
  return tensor(DataType::Float64, std::move(shape), values);
}
Tensor test::ints(Shape shape, const std::vector<double> &values) {
  return tensor(DataType::Int64, std::move(shape), values);
}
Tensor test::bools(Shape shape, const std::vector<double> &values) {
  return tensor(DataType::Bool, std::move(shape), values);
}

static uint32_t nextRandom(uint32_t &state) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

Tensor test::noise(DataType type, Shape shape, unsigned seed) {
  Tensor t = tensor(type, std::move(shape), {});
  uint32_t state = seed * 2654435761u + 1;
  for (int64_t i = 0; i < t.desc.numElements(); ++i)
    t.set(i, static_cast<double>(nextRandom(state) % 256) / 64.0 - 2.0);
  return t;
}

Tensor test::indices(Shape shape, int64_t limit, unsigned seed) {
  Tensor t = ints(std::move(shape), {});
  uint32_t state = seed * 2654435761u + 1;
  for (int64_t i = 0; i < t.desc.numElements(); ++i)
    t.set(i, static_cast<double>(nextRandom(state) % limit));
  return t;
}

KernelCall Call::kernelCall() const {
  KernelCall call;
  call.kernel = kernel;
  call.results = results;
  call.attributes = attributes;
  for (const auto &operand : operands) {
    if (!operand) {
      call.operands.push_back(std::nullopt);
      continue;
    }
    KernelOperand described;
    described.desc = operand->desc;
    described.constant =
        std::make_shared<const std::vector<std::byte>>(operand->bytes);
    call.operands.push_back(described);
  }
  return call;
}

namespace {
/// Device memory that is given back at the end.
class Buffers {
public:
  explicit Buffers(Backend &backend) : backend(backend) {}
  ~Buffers() {
    for (auto [memory, bytes] : blocks)
      backend.deallocate(memory, bytes);
  }
  void *get(int64_t bytes) {
    void *memory = backend.allocate(std::max<int64_t>(bytes, 1));
    std::memset(memory, 0xCB, static_cast<size_t>(bytes));
    blocks.push_back({memory, std::max<int64_t>(bytes, 1)});
    return memory;
  }

private:
  Backend &backend;
  std::vector<std::pair<void *, int64_t>> blocks;
};
} // namespace

Outcome test::run(const Call &call, const BackendOptions &options,
                  std::optional<Donation> donation) {
  Outcome outcome;
  const std::unique_ptr<Backend> backend = createCpuBackend(options);
  KernelCall described = call.kernelCall();
  outcome.error = backend->whyUnsupported(described);
  if (!outcome.error.empty())
    return outcome;
  outcome.needs = backend->needs(described);
  for (unsigned operand : outcome.needs.hostOperands)
    described.operands[operand]->isHost = true;
  const std::unique_ptr<PreparedKernel> kernel = backend->prepare(described);
  if (!kernel) {
    outcome.error = "preparation failed";
    return outcome;
  }
  Buffers buffers(*backend);
  std::vector<const void *> operands;
  std::vector<void *> results;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    operands.push_back(nullptr);
    if (!call.operands[i] || described.operands[i]->isHost)
      continue;
    const std::vector<std::byte> &bytes = call.operands[i]->bytes;
    void *memory = buffers.get(static_cast<int64_t>(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), static_cast<std::byte *>(memory));
    operands[i] = memory;
  }
  for (size_t i = 0; i < call.results.size(); ++i) {
    results.push_back(nullptr);
    if (!call.results[i])
      continue;
    if (donation && donation->result == i)
      results[i] = const_cast<void *>(operands[donation->operand]);
    else
      results[i] = buffers.get(call.results[i]->bytes());
  }
  void *workspace = outcome.needs.workspaceBytes == 0
                        ? nullptr
                        : buffers.get(outcome.needs.workspaceBytes);
  outcome.error = kernel->run({operands, results, workspace});
  for (size_t i = 0; i < call.results.size(); ++i) {
    outcome.results.emplace_back();
    if (!call.results[i])
      continue;
    const auto *from = static_cast<const std::byte *>(results[i]);
    outcome.results[i].desc = *call.results[i];
    outcome.results[i].bytes.assign(from, from + call.results[i]->bytes());
  }
  return outcome;
}
