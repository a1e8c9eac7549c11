//===- ExecutorTest.cpp - Plans run in the memory they promised -----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "PlanHarness.h"

#include "lowtide/Runtime/AllocationCounter.h"
#include "lowtide/Runtime/Executor.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <numeric>

using namespace lowtide::runtime;
using namespace lowtide::runtime::test;

static std::string textOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

template <typename T>
static std::span<const std::byte> bytesOf(const T &data) {
  return std::as_bytes(std::span(data));
}

template <typename T>
static std::vector<T> readOutput(Executor &executor, const char *name,
                                 size_t count) {
  std::vector<T> values(count);
  const std::string error = textOf(
      executor.readOutput(name, std::as_writable_bytes(std::span(values))));
  INFO(error);
  CHECK(error.empty());
  return values;
}

static std::unique_ptr<Executor> makeExecutor(const ExecPlan &plan,
                                              Backend &backend) {
  ExecutorOptions options;
  options.checkMemory = true;
  auto executor = Executor::create(plan, backend, options);
  if (!executor)
    FAIL(llvm::toString(executor.takeError()));
  return std::move(*executor);
}

static std::vector<float> counting(size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST_CASE("a chain runs in place and peaks as planned") {
  PlanMaker p;
  const BufferId x = p.input("x", {16}, 0);
  const BufferId a = p.buffer("a", {16}, 0);
  const BufferId v = p.view("v", {4, 4}, a);
  const BufferId b = p.buffer("b", {4, 4}, 64);
  p.step("onnx.Neg", {x}, {a});
  p.viewStep(a, v);
  p.step("onnx.Add", {v, v}, {b});
  p.output("y", b);
  auto backend = createCpuBackend({});
  auto executor = makeExecutor(p.finish(), *backend);
  const std::vector<float> values = counting(16);
  CHECK(textOf(executor->setInput("x", bytesOf(values))) == "");
  for (int step = 0; step < 3; ++step) {
    // x's place is reused within a step, yet every step sees it.
    CHECK(textOf(executor->run()) == "");
    const auto y = readOutput<float>(*executor, "y", 16);
    for (size_t i = 0; i < 16; ++i)
      CHECK(y[i] == -2 * values[i]);
  }
  CHECK(executor->timeline().measuredPeakBytes == 128);
  CHECK(executor->timeline().runSeconds.size() == 3);
}

TEST_CASE("updates stay in place from step to step") {
  PlanMaker p;
  const BufferId w = p.input("w", {16}, 0, true);
  const BufferId g = p.input("g", {16}, 64);
  const BufferId n = p.buffer("n", {16}, 0);
  Step &update = p.step("train.sgd_update", {w, g}, {n});
  update.call.attributes = {{"lr", 0.5}, {"weight_decay", 0.0}};
  p.output("w.new", n, "w");
  auto backend = createCpuBackend({});
  auto executor = makeExecutor(p.finish(), *backend);
  const std::vector<float> zeros(16, 0.0f), ones(16, 1.0f);
  CHECK(textOf(executor->setInput("w", bytesOf(zeros))) == "");
  CHECK(textOf(executor->setInput("g", bytesOf(ones))) == "");
  for (int step = 0; step < 4; ++step)
    CHECK(textOf(executor->run()) == "");
  CHECK(readOutput<float>(*executor, "w.new", 16)[7] == -2.0f);
  std::vector<float> now(16);
  CHECK(textOf(executor->readInput(
            "w", std::as_writable_bytes(std::span(now)))) == "");
  CHECK(now[7] == -2.0f);
}

TEST_CASE("an update elsewhere is copied behind the step") {
  PlanMaker p;
  const BufferId w = p.input("w", {16}, 0, true);
  const BufferId n = p.buffer("n", {16}, 64);
  p.step("onnx.Neg", {w}, {n});
  p.output("w.new", n, "w");
  auto backend = createCpuBackend({});
  auto executor = makeExecutor(p.finish(), *backend);
  CHECK(textOf(executor->setInput("w", bytesOf(counting(16)))) == "");
  CHECK(textOf(executor->run()) == "");
  CHECK(textOf(executor->run()) == "");
  CHECK(readOutput<float>(*executor, "w.new", 16)[3] == 4.0f);
}

/// Gather rows of a table, then add them to a state in place.
static ExecPlan gatherPlan() {
  PlanMaker p;
  const BufferId table = p.input("table", {4, 16}, 0, true);
  const BufferId ids = p.input("ids", {1}, 256, false, DataType::Int64);
  const BufferId state = p.input("state", {1, 16}, 320, true);
  const BufferId row = p.buffer("row", {1, 16}, 384);
  const BufferId sum = p.buffer("sum", {1, 16}, 320);
  p.step("onnx.Gather", {table, ids}, {row});
  p.step("onnx.Add", {state, row}, {sum});
  p.output("state.new", sum, "state");
  return p.finish();
}

TEST_CASE("a refused run says why and leaves the next one right") {
  auto backend = createCpuBackend({});
  auto executor = makeExecutor(gatherPlan(), *backend);
  const std::vector<float> zeros(16, 0.0f);
  CHECK(textOf(executor->setInput("table", bytesOf(counting(64)))) == "");
  CHECK(textOf(executor->setInput("state", bytesOf(zeros))) == "");
  std::vector<int64_t> ids = {4};
  CHECK(textOf(executor->setInput("ids", bytesOf(ids))) == "");
  CHECK(textOf(executor->run()) ==
        "'node0' (onnx.Gather): index 4 at element 0 is out of range for an "
        "axis of 4");
  ids = {-1};
  CHECK(textOf(executor->setInput("ids", bytesOf(ids))) == "");
  CHECK(textOf(executor->run()) == "");
  CHECK(readOutput<float>(*executor, "state.new", 16)[0] == 49.0f);
}

TEST_CASE("a run refused after an update asks for the inputs again") {
  PlanMaker p;
  const BufferId state = p.input("state", {16}, 0, true);
  const BufferId table = p.input("table", {4, 16}, 64, true);
  const BufferId ids = p.input("ids", {1}, 320, false, DataType::Int64);
  const BufferId next = p.buffer("next", {16}, 0);
  const BufferId row = p.buffer("row", {1, 16}, 384);
  p.step("onnx.Neg", {state}, {next});
  p.step("onnx.Gather", {table, ids}, {row});
  p.output("state.new", next, "state");
  p.output("y", row);
  auto backend = createCpuBackend({});
  auto executor = makeExecutor(p.finish(), *backend);
  const std::vector<int64_t> bad = {9}, good = {0};
  CHECK(textOf(executor->setInput("ids", bytesOf(bad))) == "");
  CHECK(textOf(executor->run()) != "");
  CHECK(textOf(executor->setInput("ids", bytesOf(good))) == "");
  CHECK(textOf(executor->run()) ==
        "input 'state' was partly updated by a run that failed: set it again");
  CHECK(textOf(executor->setInput("state", bytesOf(counting(16)))) == "");
  CHECK(textOf(executor->run()) == "");
  CHECK(readOutput<float>(*executor, "state.new", 16)[0] == -1.0f);
}

TEST_CASE("plans that the kernels can't keep are refused") {
  auto backend = createCpuBackend({});
  PlanMaker p;
  const BufferId x = p.input("x", {8, 8}, 0);
  const BufferId y = p.buffer("y", {8, 8}, 0);
  p.step("onnx.Transpose", {x}, {y});
  p.output("y", y);
  auto executor = Executor::create(p.finish(), *backend);
  CHECK_FALSE(static_cast<bool>(executor));
  CHECK(llvm::toString(executor.takeError()) ==
        "'node0' (onnx.Transpose) can't write its result 0 over its operand "
        "0");

  PlanMaker q;
  const BufferId logits = q.input("x", {16, 4}, 0);
  const BufferId target = q.input("t", {16}, 256, false, DataType::Int64);
  const BufferId loss = q.buffer("loss", {}, 384);
  q.step("train.softmax_cross_entropy", {logits, target}, {loss});
  q.output("loss", loss);
  auto tight = Executor::create(q.finish(), *backend);
  CHECK_FALSE(static_cast<bool>(tight));
  CHECK(llvm::toString(tight.takeError()) ==
        "'node0' (train.softmax_cross_entropy) needs a workspace of 128 "
        "bytes, the plan gives 0");
}

TEST_CASE("a plan that promises more than it touches fails its run") {
  PlanMaker p;
  const BufferId x = p.input("x", {16}, 0);
  const BufferId y = p.buffer("y", {16}, 64);
  p.buffer("unused", {16}, 128);
  p.step("onnx.Neg", {x}, {y});
  p.output("y", y);
  auto backend = createCpuBackend({});
  auto executor = makeExecutor(p.finish(), *backend);
  CHECK(textOf(executor->run()) ==
        "measured peak is 128 bytes but the plan says 192");
}

TEST_CASE("wrong names and sizes are refused") {
  auto backend = createCpuBackend({});
  auto executor = makeExecutor(gatherPlan(), *backend);
  CHECK(textOf(executor->setInput("nobody", {})) ==
        "no input is named 'nobody'");
  CHECK(textOf(executor->setInput("ids", bytesOf(counting(1)))) ==
        "input 'ids' of type int64[1] takes 8 bytes, not 4");
  std::vector<float> values(16);
  CHECK(textOf(executor->readOutput(
            "state.new", std::as_writable_bytes(std::span(values)))) ==
        "output 'state.new' was read before a run");
}

TEST_CASE("own kernels allocate nothing") {
  if (!countsAllocations()) {
    WARN("this build doesn't count allocations");
    return;
  }
  const int64_t before = allocatedBytes();
  // Through a volatile pointer, or the compiler would drop the pair.
  void *volatile block = std::malloc(100);
  std::free(block);
  CHECK(allocatedBytes() - before >= 100);

  auto backend = createCpuBackend({2, false});
  auto executor = makeExecutor(gatherPlan(), *backend);
  CHECK(textOf(executor->run()) == "");
  CHECK(textOf(executor->run()) == "");
  CHECK(executor->timeline().countedAllocations);
  CHECK(executor->timeline().outsideArenaBytes == 0);
}
