//===- GenerateProblem.cpp - Problems of any size, from a seed ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The standard distributions differ between libraries, so numbers are drawn
// from the raw generator here.
//
// Tested by test/unit/Solver/GenerateProblemTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/GenerateProblem.h"

#include <algorithm>
#include <random>

using namespace lowtide;
using namespace lowtide::solver;

RematProblem solver::generateChain(int numLayers) {
  RematProblem problem;
  problem.name = "chain-" + std::to_string(numLayers);
  const int numOps = 2 * numLayers + 1;
  for (int i = 0; i < numOps; ++i) {
    RematOp op;
    bool isBackward = i > numLayers;
    op.name = (isBackward ? "backward" : "forward") +
              std::to_string(isBackward ? i - numLayers : i);
    op.cost = 1;
    if (i > 0)
      op.inputs.push_back(i - 1);
    if (int twin = 2 * numLayers - i; isBackward && twin != i - 1)
      op.inputs.push_back(twin);
    op.outputs.push_back(problem.addValue(op.name, 1));
    problem.order.push_back(problem.addOp(std::move(op)));
  }
  return problem;
}

namespace {
/// Builds the step of a transformer, forward and then backward.
class Transformer {
public:
  Transformer(int numOps, uint64_t seed) : numOps(numOps), random(seed) {}
  RematProblem build();

private:
  int add(const std::string &name, double flops, std::vector<int> inputs,
          int64_t units, bool recomputable = true) {
    return addBytes(name, flops, std::move(inputs), units * unit, recomputable);
  }
  int addBytes(const std::string &name, double flops, std::vector<int> inputs,
               int64_t bytes, bool recomputable);
  int64_t jitter(double amount);
  void forwardLayer(int layer);
  void backwardLayer(int layer);
  int matmulBackward(const std::string &name, int forwardValue, int gradient,
                     int input, int64_t inputUnits, double flops,
                     int64_t weightUnits);

  static constexpr int64_t unit = int64_t(1) << 20; ///< one activation
  static constexpr int64_t weightUnit = unit / 16;  ///< a square weight
  struct Layer {
    int input, norm1, qkv, scores, softmax, context, projection, add1;
    int norm2, up, gelu, down, add2;
  };
  int numOps;
  std::mt19937_64 random;
  RematProblem problem;
  std::vector<Layer> layers;
  std::vector<int> makerOf; ///< per value: its op
  int gradient = -1;
};
} // namespace

int64_t Transformer::jitter(double amount) {
  double unitDraw = double(random() >> 11) * 0x1p-53;
  return std::max<int64_t>(1, int64_t(amount * 1000 * (0.9 + 0.2 * unitDraw)));
}

/// Adds an op with one output; returns the value.
int Transformer::addBytes(const std::string &name, double flops,
                          std::vector<int> inputs, int64_t bytes,
                          bool recomputable) {
  RematOp op;
  op.name = name;
  op.cost = jitter(flops);
  op.inputs = std::move(inputs);
  op.recomputable = recomputable;
  int value = problem.addValue(name, bytes);
  op.outputs.push_back(value);
  makerOf.push_back(problem.addOp(std::move(op)));
  problem.order.push_back(makerOf.back());
  return value;
}

void Transformer::forwardLayer(int index) {
  std::string at = "layer" + std::to_string(index) + ".";
  Layer l;
  l.input = layers.empty() ? 0 : layers.back().add2;
  l.norm1 = add(at + "norm1", 1, {l.input}, 1);
  l.qkv = add(at + "qkv", 36, {l.norm1}, 3);
  l.scores = add(at + "scores", 6, {l.qkv}, 2);
  l.softmax = add(at + "softmax", 3, {l.scores}, 2);
  l.context = add(at + "context", 6, {l.softmax, l.qkv}, 1);
  l.projection = add(at + "projection", 12, {l.context}, 1);
  l.add1 = add(at + "add1", 1, {l.input, l.projection}, 1);
  l.norm2 = add(at + "norm2", 1, {l.add1}, 1);
  l.up = add(at + "up", 48, {l.norm2}, 4);
  l.gelu = add(at + "gelu", 4, {l.up}, 4);
  l.down = add(at + "down", 48, {l.gelu}, 1);
  l.add2 = add(at + "add2", 1, {l.add1, l.down}, 1);
  // An elementwise op may write into the operand it is the last to read.
  for (auto [from, to] :
       {std::pair{l.scores, l.softmax}, std::pair{l.projection, l.add1},
        std::pair{l.up, l.gelu}, std::pair{l.down, l.add2}})
    problem.inplace.push_back({makerOf[to], from, to});
  layers.push_back(l);
}

/// Gradients of a matrix product, and the update of its weight.
int Transformer::matmulBackward(const std::string &name, int forwardValue,
                                int gradientIn, int input, int64_t inputUnits,
                                double flops, int64_t weightUnits) {
  int weightGradient = addBytes(name + ".dW", flops, {gradientIn, input},
                                weightUnits * weightUnit, false);
  int result = add(name + ".dX", flops, {gradientIn}, inputUnits, false);
  int updated =
      add(name + ".update", double(weightUnits), {weightGradient}, 0, false);
  for (int reader : {makerOf[forwardValue], makerOf[result]})
    problem.after.push_back({reader, makerOf[updated]});
  problem.residentBytes += 3 * weightUnits * weightUnit;
  return result;
}

void Transformer::backwardLayer(int index) {
  const Layer &l = layers[index];
  std::string at = "layer" + std::to_string(index) + ".";
  int g = gradient;
  int gelu = matmulBackward(at + "down", l.down, g, l.gelu, 4, 48, 4);
  int up = add(at + "gelu.dX", 5, {gelu, l.up}, 4, false);
  problem.inplace.push_back({makerOf[up], gelu, up});
  int norm2 = matmulBackward(at + "up", l.up, up, l.norm2, 1, 48, 4);
  int normGradient = add(at + "norm2.dX", 2, {norm2, l.add1}, 1, false);
  problem.inplace.push_back({makerOf[normGradient], norm2, normGradient});
  int sum = add(at + "add1.dX", 1, {g, normGradient}, 1, false);
  problem.inplace.push_back({makerOf[sum], g, sum});
  int context =
      matmulBackward(at + "projection", l.projection, sum, l.context, 1, 12, 1);
  int softmax = add(at + "context.dP", 6, {context, l.qkv}, 2, false);
  int values = add(at + "context.dV", 6, {context, l.softmax}, 1, false);
  int scores = add(at + "softmax.dX", 4, {softmax, l.softmax}, 2, false);
  problem.inplace.push_back({makerOf[scores], softmax, scores});
  int qkv = add(at + "scores.dQKV", 12, {scores, values, l.qkv}, 3, false);
  int norm1 = matmulBackward(at + "qkv", l.qkv, qkv, l.norm1, 1, 36, 3);
  int inner = add(at + "norm1.dX", 2, {norm1, l.input}, 1, false);
  problem.inplace.push_back({makerOf[inner], norm1, inner});
  gradient = add(at + "input.dX", 1, {sum, inner}, 1, false);
  problem.inplace.push_back({makerOf[gradient], sum, gradient});
}

RematProblem Transformer::build() {
  constexpr int opsPerLayer = 12 + 21;
  int numLayers = std::max(1, (numOps - 4) / opsPerLayer);
  problem.name = "transformer-" + std::to_string(numOps);
  int embedded = add("embedding", 1, {}, 1);
  (void)embedded;
  for (int layer = 0; layer < numLayers; ++layer)
    forwardLayer(layer);
  int logits = add("logits", 200, {layers.back().add2}, 8);
  int loss = add("loss.dX", 10, {logits}, 8, false);
  problem.inplace.push_back({makerOf[loss], logits, loss});
  gradient =
      matmulBackward("head", logits, loss, layers.back().add2, 1, 200, 8);
  for (int layer = numLayers - 1; layer >= 0; --layer)
    backwardLayer(layer);
  return std::move(problem);
}

RematProblem solver::generateTransformer(int numOps, uint64_t seed) {
  return Transformer(numOps, seed).build();
}

RematProblem solver::generateRandom(int numOps, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](int count) { return int(random() % uint64_t(count)); };
  RematProblem problem;
  problem.name = "random-" + std::to_string(numOps);
  // Layers of about sqrt(n) ops; most inputs come from the layer before, some
  // from far back.
  int width = 1;
  while (width * width < numOps)
    ++width;
  for (int i = 0; i < numOps; ++i) {
    RematOp op;
    op.name = "op" + std::to_string(i);
    op.cost = 1 + below(1000);
    int layerStart = i / width * width;
    for (int k = below(3) + 1; k > 0 && layerStart > 0; --k) {
      bool isFar = below(6) == 0;
      int from = isFar ? below(layerStart) : layerStart - width + below(width);
      if (std::find(op.inputs.begin(), op.inputs.end(), from) ==
          op.inputs.end())
        op.inputs.push_back(from);
    }
    op.outputs.push_back(problem.addValue(op.name, 100 * (1 + below(50))));
    problem.order.push_back(problem.addOp(std::move(op)));
  }
  return problem;
}
