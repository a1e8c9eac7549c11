//===- KernelCases.cpp - One call or more for every kernel ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "KernelCases.h"

using namespace lowtide::runtime;
using namespace lowtide::runtime::test;

using Ints = std::vector<int64_t>;

/// Values in (0, 4): for logarithms, roots and variances.
static Tensor positive(DataType type, Shape shape, unsigned seed) {
  Tensor t = noise(type, std::move(shape), seed);
  const std::vector<double> values = t.values();
  for (size_t i = 0; i < values.size(); ++i)
    t.set(static_cast<int64_t>(i), values[i] + 2.1);
  return t;
}

static void addElementwise(DataType f, std::vector<Call> &cases) {
  const TensorDesc big{f, {3, 50}};
  for (const char *name :
       {"onnx.Relu",       "onnx.LeakyRelu", "onnx.Sigmoid",
        "onnx.Tanh",       "onnx.Softplus",  "onnx.Softsign",
        "onnx.Exp",        "onnx.Neg",       "onnx.Abs",
        "onnx.Erf",        "onnx.Gelu",      "onnx.HardSigmoid",
        "onnx.HardSwish",  "onnx.Elu",       "onnx.Selu",
        "onnx.Mish",       "onnx.Sin",       "onnx.Cos",
        "onnx.Sign",       "onnx.Floor",     "onnx.Ceil",
        "onnx.Round",      "onnx.Identity",  "onnx.Softmax",
        "onnx.LogSoftmax", "onnx.Dropout"})
    cases.push_back({name, {noise(f, {3, 50}, 1)}, {big}});
  for (const char *name : {"onnx.Log", "onnx.Sqrt", "onnx.Reciprocal"})
    cases.push_back({name, {positive(f, {3, 50}, 2)}, {big}});
  cases.push_back(
      {"onnx.Gelu", {noise(f, {3, 50}, 3)}, {big}, {{"approximate", "tanh"}}});
  for (const char *name : {"onnx.Add", "onnx.Sub", "onnx.Mul", "onnx.Max",
                           "onnx.Min", "onnx.Sum", "onnx.Mean", "onnx.PRelu"}) {
    cases.push_back(
        {name, {noise(f, {3, 50}, 4), noise(f, {3, 50}, 5)}, {big}});
    cases.push_back({name, {noise(f, {3, 50}, 4), noise(f, {50}, 5)}, {big}});
    cases.push_back({name, {noise(f, {3, 50}, 4), noise(f, {3, 1}, 5)}, {big}});
  }
  cases.push_back({"onnx.Sub", {noise(f, {}, 4), noise(f, {3, 50}, 5)}, {big}});
  cases.push_back(
      {"onnx.Div", {noise(f, {3, 50}, 4), positive(f, {3, 50}, 5)}, {big}});
  cases.push_back(
      {"onnx.Pow", {positive(f, {3, 50}, 4), noise(f, {3, 50}, 5)}, {big}});
  cases.push_back({"onnx.Sum",
                   {noise(f, {3, 50}, 4), noise(f, {50}, 5),
                    noise(f, {3, 50}, 6), noise(f, {}, 7)},
                   {big}});
  cases.push_back(
      {"onnx.Where",
       {bools({3, 1}, {1, 0, 1}), noise(f, {3, 50}, 4), noise(f, {3, 50}, 5)},
       {big}});
  cases.push_back(
      {"onnx.Clip",
       {noise(f, {3, 50}, 4), tensor(f, {}, {-0.5}), tensor(f, {}, {0.75})},
       {big}});
  cases.push_back({"onnx.Clip",
                   {noise(f, {3, 50}, 4), std::nullopt, tensor(f, {}, {0.75})},
                   {big}});
}

static void addGradients(DataType f, std::vector<Call> &cases) {
  const TensorDesc big{f, {3, 50}};
  for (const char *name :
       {"train.relu_grad", "train.leaky_relu_grad", "train.sigmoid_grad",
        "train.tanh_grad", "train.softplus_grad", "train.erf_grad",
        "train.gelu_grad", "train.elu_grad", "train.hard_sigmoid_grad",
        "train.hard_swish_grad", "train.softmax_grad",
        "train.log_softmax_grad"})
    cases.push_back(
        {name, {noise(f, {3, 50}, 6), noise(f, {3, 50}, 7)}, {big}});
  cases.push_back({"train.sqrt_grad",
                   {noise(f, {3, 50}, 6), positive(f, {3, 50}, 7)},
                   {big}});
  cases.push_back({"train.gelu_grad",
                   {noise(f, {3, 50}, 6), noise(f, {3, 50}, 7)},
                   {big},
                   {{"approximate", "tanh"}}});
  cases.push_back({"train.clip_grad",
                   {noise(f, {3, 50}, 6), noise(f, {3, 50}, 7),
                    tensor(f, {}, {-0.5}), tensor(f, {}, {0.75})},
                   {big}});
  cases.push_back(
      {"train.pow_grad_base",
       {noise(f, {3, 50}, 6), positive(f, {3, 50}, 7), tensor(f, {}, {3})},
       {big}});
  cases.push_back({"train.max_grad",
                   {noise(f, {3, 50}, 6), noise(f, {3, 50}, 7),
                    noise(f, {3, 50}, 7), noise(f, {3, 50}, 7)},
                   {big},
                   {{"index", int64_t(1)}}});
  cases.push_back(
      {"train.softmax_cross_entropy_grad",
       {tensor(f, {}, {1}), noise(f, {5, 30}, 8), indices({5}, 30, 9)},
       {TensorDesc{f, {5, 30}}}});
  cases.push_back({"train.softmax_cross_entropy_grad",
                   {tensor(f, {}, {2}), noise(f, {2, 7, 3}, 8),
                    indices({2, 3}, 7, 9), positive(f, {7}, 3)},
                   {TensorDesc{f, {2, 7, 3}}},
                   {{"ignore_index", int64_t(2)}}});
  cases.push_back(
      {"train.mse_grad",
       {tensor(f, {}, {1}), noise(f, {3, 50}, 8), noise(f, {3, 50}, 9)},
       {big}});
  cases.push_back({"train.gather_grad",
                   {noise(f, {6, 40}, 1), indices({6}, 4, 2)},
                   {TensorDesc{f, {4, 40}}}});
  cases.push_back({"train.gather_grad",
                   {noise(f, {3, 5, 2}, 1), indices({5}, 4, 2)},
                   {TensorDesc{f, {3, 4, 2}}},
                   {{"axis", int64_t(1)}}});
}

static void addUpdates(DataType f, std::vector<Call> &cases) {
  const TensorDesc d{f, {777}};
  const std::map<std::string, AttrValue> attributes = {
      {"lr", 0.1},    {"momentum", 0.9}, {"weight_decay", 0.01},
      {"beta1", 0.9}, {"beta2", 0.99},   {"epsilon", 1e-8}};
  cases.push_back({"train.sgd_update",
                   {noise(f, {777}, 1), noise(f, {777}, 2)},
                   {d},
                   attributes});
  cases.push_back({"train.sgd_momentum_update",
                   {noise(f, {777}, 1), noise(f, {777}, 2), noise(f, {777}, 3),
                    ints({}, {3})},
                   {d, d},
                   attributes});
  cases.push_back({"train.adamw_update",
                   {noise(f, {777}, 1), noise(f, {777}, 2), noise(f, {777}, 3),
                    positive(f, {777}, 4), ints({}, {3})},
                   {d, d, d},
                   attributes});
  cases.push_back({"train.running_update",
                   {noise(f, {7}, 1), noise(f, {7}, 2)},
                   {TensorDesc{f, {7}}},
                   {{"momentum", 0.9}}});
  for (const char *name : {"train.dropout", "train.dropout_grad"})
    cases.push_back({name,
                     {noise(f, {9001}, 1), ints({}, {7}), ints({}, {3})},
                     {TensorDesc{f, {9001}}},
                     {{"ratio", 0.3}, {"op_id", int64_t(5)}}});
}

static void addNorms(DataType f, std::vector<Call> &cases) {
  const TensorDesc x{f, {2, 6, 5, 3}}, c{f, {6}};
  const Tensor data = noise(f, x.shape, 1), dy = noise(f, x.shape, 2);
  cases.push_back({"onnx.BatchNormalization",
                   {data, noise(f, {6}, 2), noise(f, {6}, 3), noise(f, {6}, 4),
                    positive(f, {6}, 5)},
                   {x}});
  cases.push_back({"train.batch_norm",
                   {data, noise(f, {6}, 2), noise(f, {6}, 3)},
                   {x, c, c}});
  cases.push_back(
      {"train.batch_norm_grad",
       {dy, data, noise(f, {6}, 3), noise(f, {6}, 4), positive(f, {6}, 5)},
       {x, c, c}});
  const TensorDesc rows{f, {4, 30}}, r{f, {4, 1}}, h{f, {30}};
  cases.push_back({"train.layer_norm",
                   {noise(f, {4, 30}, 1), noise(f, {30}, 2), noise(f, {30}, 3)},
                   {rows, r, r}});
  cases.push_back(
      {"train.layer_norm_grad",
       {noise(f, {4, 30}, 1), noise(f, {4, 30}, 4), noise(f, {30}, 2),
        noise(f, {4, 1}, 3), positive(f, {4, 1}, 3)},
       {rows, h, h}});
  cases.push_back({"onnx.InstanceNormalization",
                   {data, noise(f, {6}, 2), noise(f, {6}, 3)},
                   {x}});
  cases.push_back({"onnx.GroupNormalization",
                   {data, noise(f, {6}, 2), noise(f, {6}, 3)},
                   {x},
                   {{"num_groups", int64_t(3)}}});
}

namespace {
struct ConvCase {
  Shape x, w, y;
  std::map<std::string, AttrValue> attributes;
};
} // namespace

static void addConvolutions(DataType f, std::vector<Call> &cases) {
  const std::vector<ConvCase> convolutions = {
      {{2, 3, 9, 8},
       {16, 3, 3, 3},
       {2, 16, 9, 8},
       {{"pads", Ints{1, 1, 1, 1}}}},
      {{2, 16, 7, 7}, {32, 16, 1, 1}, {2, 32, 4, 4}, {{"strides", Ints{2, 2}}}},
      {{1, 8, 9, 9},
       {8, 2, 3, 3},
       {1, 8, 6, 4},
       {{"group", int64_t(4)},
        {"strides", Ints{1, 2}},
        {"dilations", Ints{2, 1}},
        {"pads", Ints{1, 0, 0, 0}}}},
      {{2, 4, 11}, {5, 4, 3}, {2, 5, 5}, {{"strides", Ints{2}}}},
      {{1, 2, 4, 5, 6},
       {3, 2, 2, 2, 3},
       {1, 3, 3, 4, 6},
       {{"pads", Ints{0, 0, 1, 0, 0, 1}}}},
      {{2, 6, 5, 5},
       {6, 1, 3, 3},
       {2, 6, 5, 5},
       {{"group", int64_t(6)}, {"auto_pad", "SAME_UPPER"}}},
  };
  for (const ConvCase &c : convolutions) {
    const TensorDesc x{f, c.x}, w{f, c.w}, y{f, c.y};
    cases.push_back(
        {"onnx.Conv", {noise(f, c.x, 1), noise(f, c.w, 2)}, {y}, c.attributes});
    cases.push_back(
        {"onnx.Conv",
         {noise(f, c.x, 1), noise(f, c.w, 2), noise(f, {c.w[0]}, 3)},
         {y},
         c.attributes});
    cases.push_back({"train.conv_input_grad",
                     {noise(f, c.y, 4), noise(f, c.w, 2)},
                     {x},
                     c.attributes});
    cases.push_back({"train.conv_weight_grad",
                     {noise(f, c.y, 4), noise(f, c.x, 1)},
                     {w},
                     c.attributes});
  }
  cases.push_back(
      {"onnx.ConvTranspose",
       {noise(f, {2, 4, 5, 5}, 1), noise(f, {4, 3, 2, 2}, 2), noise(f, {3}, 3)},
       {TensorDesc{f, {2, 3, 10, 10}}},
       {{"strides", Ints{2, 2}}}});
}

static void addPools(DataType f, std::vector<Call> &cases) {
  const std::map<std::string, AttrValue> attributes = {
      {"kernel_shape", Ints{3, 2}},
      {"strides", Ints{2, 1}},
      {"pads", Ints{1, 0, 1, 1}}};
  const TensorDesc x{f, {2, 3, 7, 6}}, y{f, {2, 3, 4, 6}};
  cases.push_back({"onnx.MaxPool", {noise(f, x.shape, 1)}, {y}, attributes});
  cases.push_back({"train.max_pool_grad",
                   {noise(f, y.shape, 2), noise(f, x.shape, 1)},
                   {x},
                   attributes});
  for (int64_t counted : {0, 1}) {
    auto more = attributes;
    more["count_include_pad"] = counted;
    cases.push_back({"onnx.AveragePool", {noise(f, x.shape, 1)}, {y}, more});
    cases.push_back(
        {"train.average_pool_grad", {noise(f, y.shape, 1)}, {x}, more});
  }
  cases.push_back({"onnx.GlobalAveragePool",
                   {noise(f, x.shape, 1)},
                   {TensorDesc{f, {2, 3, 1, 1}}}});
  cases.push_back(
      {"onnx.LRN", {noise(f, x.shape, 1)}, {x}, {{"size", int64_t(3)}}});
  cases.push_back({"train.lrn_grad",
                   {noise(f, x.shape, 2), noise(f, x.shape, 1)},
                   {x},
                   {{"size", int64_t(3)}}});
}

static void addProducts(DataType f, std::vector<Call> &cases) {
  auto product = [&](Shape a, Shape b, Shape y) {
    cases.push_back(
        {"onnx.MatMul", {noise(f, a, 1), noise(f, b, 2)}, {TensorDesc{f, y}}});
  };
  product({5, 7}, {7, 3}, {5, 3});
  product({7}, {7, 3}, {3});
  product({5, 7}, {7}, {5});
  product({7}, {7}, {});
  product({2, 3, 5, 7}, {7, 4}, {2, 3, 5, 4});
  product({2, 3, 5, 7}, {2, 3, 7, 4}, {2, 3, 5, 4});
  product({2, 1, 5, 7}, {3, 7, 4}, {2, 3, 5, 4});
  product({5, 7}, {3, 7, 4}, {3, 5, 4});
  for (int64_t a : {0, 1})
    for (int64_t b : {0, 1}) {
      const Shape left = a ? Shape{7, 5} : Shape{5, 7};
      const Shape right = b ? Shape{3, 7} : Shape{7, 3};
      for (const Shape &addend : {Shape{3}, Shape{5, 1}})
        cases.push_back(
            {"onnx.Gemm",
             {noise(f, left, 1), noise(f, right, 2), noise(f, addend, 3)},
             {TensorDesc{f, {5, 3}}},
             {{"transA", a}, {"transB", b}}});
      cases.push_back({"onnx.Gemm",
                       {noise(f, left, 1), noise(f, right, 2)},
                       {TensorDesc{f, {5, 3}}},
                       {{"transA", a}, {"transB", b}, {"alpha", 0.5}}});
    }
}

static void addReductions(DataType f, std::vector<Call> &cases) {
  for (const char *name :
       {"onnx.ReduceSum", "onnx.ReduceMean", "onnx.ReduceMax", "onnx.ReduceMin",
        "onnx.ReduceL1", "onnx.ReduceL2", "onnx.ReduceSumSquare",
        "onnx.ReduceLogSumExp"}) {
    cases.push_back({name,
                     {noise(f, {3, 4, 10, 20}, 1), ints({3}, {0, 2, 3})},
                     {TensorDesc{f, {4}}}});
    cases.push_back({name,
                     {noise(f, {40, 300}, 1), ints({1}, {0})},
                     {TensorDesc{f, {300}}}});
    cases.push_back({name,
                     {noise(f, {5, 6, 7}, 1), ints({1}, {1})},
                     {TensorDesc{f, {5, 7}}}});
  }
  cases.push_back({"onnx.Transpose",
                   {noise(f, {2, 3, 170, 130}, 1)},
                   {TensorDesc{f, {2, 3, 130, 170}}},
                   {{"perm", Ints{0, 1, 3, 2}}}});
  cases.push_back({"onnx.Transpose",
                   {noise(f, {4, 3, 5, 2}, 1)},
                   {TensorDesc{f, {2, 4, 5, 3}}},
                   {{"perm", Ints{3, 0, 2, 1}}}});
  cases.push_back({"onnx.Transpose",
                   {noise(f, {2, 3, 4, 5}, 1)},
                   {TensorDesc{f, {2, 4, 3, 5}}},
                   {{"perm", Ints{0, 2, 1, 3}}}});
  cases.push_back({"train.softmax_cross_entropy",
                   {noise(f, {5, 30}, 1), indices({5}, 30, 2)},
                   {TensorDesc{f, {}}}});
  cases.push_back(
      {"onnx.SoftmaxCrossEntropyLoss",
       {noise(f, {2, 7, 3}, 1), indices({2, 3}, 7, 2), positive(f, {7}, 3)},
       {TensorDesc{f, {}}}});
  cases.push_back({"train.mse",
                   {noise(f, {3, 50}, 1), noise(f, {3, 50}, 2)},
                   {TensorDesc{f, {}}}});
}

std::vector<Call> test::kernelCases(DataType type) {
  std::vector<Call> cases;
  addElementwise(type, cases);
  addGradients(type, cases);
  addUpdates(type, cases);
  addNorms(type, cases);
  addConvolutions(type, cases);
  addPools(type, cases);
  addProducts(type, cases);
  addReductions(type, cases);
  return cases;
}
