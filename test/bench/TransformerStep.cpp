//===- TransformerStep.cpp - Buffers of a planned training step -----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The step is written as a list of ops that define and use named values; the
// lifetimes follow from the list, as in a compiler: from the first op that
// writes a value to the last one that reads it before it is written again.
//
//===----------------------------------------------------------------------===//

#include "TransformerStep.h"

#include "llvm/ADT/StringMap.h"

#include <random>

using namespace lowtide;
using namespace lowtide::bench;

namespace {
class StepWriter {
public:
  explicit StepWriter(const TransformerStepShape &shape)
      : shape(shape), random(shape.seed + 7) {}

  solver::PackingProblem write();

private:
  struct Value {
    int64_t bytes, first, last;
  };
  using Names = std::initializer_list<const char *>;

  void resident(const std::string &name, int64_t bytes);
  /// Runs an op of the current layer: reads and writes its values, uses
  /// workspace. Names that start with '@' belong to the whole step.
  void op(Names reads, Names writes, int64_t workspaceBytes = 0);
  void forward(bool keepsAll, bool isRecompute);
  void backward();
  void gradient(const char *activation, const char *grad, const char *weight,
                const char *out);
  std::string full(llvm::StringRef name) const;
  void close(llvm::StringRef name);
  int64_t bytesOf(llvm::StringRef name) const;
  void chooseLayer(int32_t index);

  const TransformerStepShape &shape;
  std::mt19937_64 random;
  solver::PackingProblem problem;
  llvm::StringMap<Value> alive;
  int64_t now = 0, residentEnd = 0;
  int32_t layer = 0, microBatch = 0;
  std::vector<int64_t> widths, tokens;
};
} // namespace

static constexpr int64_t kHeads = 12;

void StepWriter::resident(const std::string &name, int64_t bytes) {
  int32_t index = solver::addBuffer(problem, name, 0, INT32_MAX, bytes, 64);
  problem.buffers[index].pinnedOffsetBytes = residentEnd;
  residentEnd += (bytes + 63) / 64 * 64;
}

std::string StepWriter::full(llvm::StringRef name) const {
  if (name.consume_front("@"))
    return name.str();
  return std::to_string(layer) + "." + name.str();
}

/// float32 bytes by the kind of a value, which its name begins with.
int64_t StepWriter::bytesOf(llvm::StringRef name) const {
  int64_t width = widths[layer], rows = tokens[layer];
  name.consume_front("@");
  if (name.starts_with("stat"))
    return 8 * rows;
  if (name.starts_with("att"))
    return 4 * kHeads * rows * 128;
  if (name.starts_with("mlp"))
    return 16 * rows * width;
  if (name.starts_with("dw4"))
    return 16 * width * width;
  if (name.starts_with("dw"))
    return 4 * width * width;
  return 4 * rows * width;
}

void StepWriter::close(llvm::StringRef name) {
  auto it = alive.find(name);
  if (it == alive.end())
    return;
  const Value &v = it->second;
  solver::addBuffer(problem, name, v.first, v.last + 1, v.bytes, 64);
  alive.erase(it);
}

void StepWriter::op(Names reads, Names writes, int64_t workspaceBytes) {
  for (const char *name : reads)
    if (auto it = alive.find(full(name)); it != alive.end())
      it->second.last = now;
  for (const char *name : writes) {
    close(full(name));
    alive[full(name)] = {bytesOf(name), now, now};
  }
  if (workspaceBytes)
    solver::addBuffer(problem, "workspace." + std::to_string(now), now, now + 1,
                      workspaceBytes, 64);
  ++now;
}

void StepWriter::forward(bool keepsAll, bool isRecompute) {
  int64_t scratch = 64 * (1 + widths[layer] / 4) * 16;
  op({"x"}, {"norm1", "stat1"});
  op({"norm1"}, {"q"}, scratch);
  op({"norm1"}, {"k"}, scratch);
  op({"norm1"}, {"v"}, scratch);
  op({"q", "k"}, {"att.scores"}, scratch);
  op({"att.scores"}, {"att.soft"});
  op({"att.soft", "v"}, {"context"}, scratch);
  op({"context"}, {"projected"}, scratch);
  op({"projected", "x"}, {"middle"});
  op({"middle"}, {"norm2", "stat2"});
  op({"norm2"}, {"mlp.up"}, scratch);
  op({"mlp.up"}, {"mlp.act"});
  op({"mlp.act"}, {"down"}, scratch);
  if (isRecompute)
    return;
  // The output of a layer is the input of the next one.
  ++layer;
  if (layer == shape.layers)
    widths.push_back(widths.back()), tokens.push_back(tokens.back());
  std::string next = full("x");
  --layer;
  op({"down", "middle"}, {});
  alive[next] = {bytesOf("x"), now - 1, now - 1};
  if (keepsAll)
    return;
  for (const char *name : {"norm1", "q", "k", "v", "att.scores", "att.soft",
                           "context", "projected", "middle", "norm2", "mlp.up",
                           "mlp.act", "down", "stat1", "stat2"})
    close(full(name));
}

/// dX and dW of a product; the weight is updated as soon as both are there.
void StepWriter::gradient(const char *activation, const char *grad,
                          const char *weight, const char *out) {
  int64_t scratch = 64 * (1 + widths[layer] / 4) * 16;
  op({activation, grad}, {weight}, scratch);
  op({grad}, {out}, scratch);
  op({weight}, {});
  close(full(weight));
}

void StepWriter::backward() {
  gradient("mlp.act", "@grad", "dw4.down", "mlp.grad");
  op({"mlp.up", "mlp.grad"}, {"mlp.gradin"});
  gradient("norm2", "mlp.gradin", "dw4.up", "gnorm2");
  op({"middle", "gnorm2", "stat2", "@grad"}, {"gmiddle"});
  gradient("context", "gmiddle", "dw.proj", "gcontext");
  op({"att.soft", "gcontext"}, {"gv"});
  op({"v", "gcontext"}, {"att.grad"});
  op({"att.soft", "att.grad"}, {"att.gradin"});
  op({"k", "att.gradin"}, {"gq"});
  op({"q", "att.gradin"}, {"gk"});
  gradient("norm1", "gq", "dw.q", "gn.q");
  gradient("norm1", "gk", "dw.k", "gn.k");
  gradient("norm1", "gv", "dw.v", "gn.v");
  op({"gn.q", "gn.k"}, {"gn.qk"});
  op({"gn.qk", "gn.v"}, {"gn"});
  op({"x", "gn", "stat1", "gmiddle"}, {"@grad"});
}

void StepWriter::chooseLayer(int32_t index) {
  int64_t base = 256 + 64 * (int64_t(random() % 8));
  widths.push_back(index % 4 ? widths.back() : base);
  tokens.push_back(index % 4 ? tokens.back() : 128 + 32 * (random() % 4));
}

solver::PackingProblem StepWriter::write() {
  for (int32_t i = 0; i < shape.layers; ++i)
    chooseLayer(i);
  for (layer = 0; layer < shape.layers; ++layer)
    for (const char *weight : {"q", "k", "v", "proj", "4up", "4down"})
      for (const char *kind : {"", ".exp_avg", ".exp_avg_sq"})
        resident(full(weight) + kind, bytesOf(std::string("dw") + weight));
  for (microBatch = 0; microBatch < shape.microBatches; ++microBatch) {
    layer = 0;
    op({}, {"x"});
    for (layer = 0; layer < shape.layers; ++layer)
      forward(layer % shape.recomputeStride == shape.recomputeStride - 1,
              /*isRecompute=*/false);
    layer = shape.layers - 1;
    op({}, {"@grad"});
    for (layer = shape.layers - 1; layer >= 0; --layer) {
      if (layer % shape.recomputeStride != shape.recomputeStride - 1)
        forward(/*keepsAll=*/true, /*isRecompute=*/true);
      backward();
      std::vector<std::string> mine;
      for (auto &entry : alive)
        if (entry.first().starts_with(std::to_string(layer) + "."))
          mine.push_back(entry.first().str());
      std::sort(mine.begin(), mine.end());
      for (const std::string &name : mine)
        close(name);
    }
  }
  std::vector<std::string> rest;
  for (auto &entry : alive)
    rest.push_back(entry.first().str());
  std::sort(rest.begin(), rest.end());
  for (const std::string &name : rest)
    close(name);
  for (solver::PackingBuffer &b : problem.buffers)
    if (b.lifetime.front().upper == INT32_MAX)
      b.lifetime.front().upper = now;
  return std::move(problem);
}

solver::PackingProblem
bench::makeTransformerStep(const TransformerStepShape &shape) {
  return StepWriter(shape).write();
}
