//===- KernelGradientTest.cpp - Gradients against central differences -----===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// For a forward call with results y and weights c, L = Σ c · y[0]. The gradient
// call is given c for dy and must give dL/dx for the operand under test, to
// 1e-6 of the largest entry, in float64.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::test;

using Ints = std::vector<int64_t>;
static constexpr DataType f64 = DataType::Float64;

static double weightedSum(const Call &forward, const Tensor &weights) {
  const Outcome outcome = run(forward, {1, true});
  REQUIRE(outcome.error == "");
  const std::vector<double> y = outcome.values(), c = weights.values();
  double sum = 0;
  for (size_t i = 0; i < y.size(); ++i)
    sum += c[i] * y[i];
  return sum;
}

/// Result `result` of `gradient` is dL/d(operand `operand` of `forward`).
static void checkGradient(Call forward, size_t operand, const Call &gradient,
                          size_t result, const Tensor &weights) {
  INFO(gradient.kernel << " result " << result);
  const Outcome outcome = run(gradient, {2, true});
  REQUIRE(outcome.error == "");
  const std::vector<double> found = outcome.values(result);
  const std::vector<double> x = forward.operands[operand]->values();
  REQUIRE(found.size() == x.size());
  std::vector<double> expected;
  double scale = 1e-3;
  for (size_t i = 0; i < x.size(); ++i) {
    const double h = 1e-5;
    forward.operands[operand]->set(i, x[i] + h);
    const double above = weightedSum(forward, weights);
    forward.operands[operand]->set(i, x[i] - h);
    const double below = weightedSum(forward, weights);
    forward.operands[operand]->set(i, x[i]);
    expected.push_back((above - below) / (2 * h));
    scale = std::max(scale, std::fabs(expected.back()));
  }
  for (size_t i = 0; i < x.size(); ++i) {
    INFO("element " << i);
    CHECK(std::fabs(found[i] - expected[i]) <= 1e-6 * scale);
  }
}

/// Away from kinks and ties: distinct values, none within 1e-3 of a quarter.
static Tensor generic(Shape shape, unsigned seed, double shift = 0) {
  Tensor t = noise(f64, std::move(shape), seed);
  const std::vector<double> values = t.values();
  for (size_t i = 0; i < values.size(); ++i)
    t.set(i, values[i] + 0.004 + 1e-5 * static_cast<double>(i) + shift);
  return t;
}

TEST_CASE("gradients of elementwise functions") {
  struct Case {
    const char *forward, *gradient;
    bool savesResult;
    double shift;
    std::map<std::string, AttrValue> attributes;
  };
  for (const Case &c : std::vector<Case>{
           {"onnx.Relu", "train.relu_grad", true, 0, {}},
           {"onnx.LeakyRelu",
            "train.leaky_relu_grad",
            false,
            0,
            {{"alpha", 0.1}}},
           {"onnx.Sigmoid", "train.sigmoid_grad", true, 0, {}},
           {"onnx.Tanh", "train.tanh_grad", true, 0, {}},
           {"onnx.Softplus", "train.softplus_grad", false, 0, {}},
           {"onnx.Erf", "train.erf_grad", false, 0, {}},
           {"onnx.Gelu", "train.gelu_grad", false, 0, {}},
           {"onnx.Gelu",
            "train.gelu_grad",
            false,
            0,
            {{"approximate", "tanh"}}},
           {"onnx.Sqrt", "train.sqrt_grad", true, 3, {}},
           {"onnx.HardSigmoid",
            "train.hard_sigmoid_grad",
            false,
            0,
            {{"alpha", 0.4}}},
           {"onnx.HardSwish", "train.hard_swish_grad", false, 0, {}},
           {"onnx.Elu", "train.elu_grad", false, 0, {{"alpha", 0.7}}},
           {"onnx.Softmax",
            "train.softmax_grad",
            true,
            0,
            {{"axis", int64_t(-1)}}},
           {"onnx.Softmax",
            "train.softmax_grad",
            true,
            0,
            {{"axis", int64_t(0)}}},
           {"onnx.LogSoftmax",
            "train.log_softmax_grad",
            true,
            0,
            {{"axis", int64_t(1)}}},
       })
    for (const Shape &shape : {Shape{4, 5}, Shape{2, 3, 4}}) {
      const Tensor x = generic(shape, 1, c.shift), dy = generic(shape, 2);
      const Call forward{c.forward, {x}, {x.desc}, c.attributes};
      const Tensor saved =
          c.savesResult ? run(forward, {1, true}).results[0] : x;
      checkGradient(forward, 0,
                    {c.gradient, {dy, saved}, {x.desc}, c.attributes}, 0, dy);
    }
}

TEST_CASE("gradients of clip, pow and max") {
  const Tensor x = generic({3, 4}, 1), dy = generic({3, 4}, 2);
  const Tensor low = doubles({}, {-0.5}), high = doubles({}, {0.75});
  checkGradient({"onnx.Clip", {x, low, high}, {x.desc}}, 0,
                {"train.clip_grad", {dy, x, low, high}, {x.desc}}, 0, dy);
  const Tensor base = generic({3, 4}, 3, 3), three = doubles({}, {3.5});
  checkGradient({"onnx.Pow", {base, three}, {x.desc}}, 0,
                {"train.pow_grad_base", {dy, base, three}, {x.desc}}, 0, dy);
  const Tensor other = generic({3, 4}, 4);
  const Call max{"onnx.Max", {x, other}, {x.desc}};
  const Tensor y = run(max, {1, true}).results[0];
  for (int64_t i : {0, 1})
    checkGradient(
        max, i, {"train.max_grad", {dy, y, x, other}, {x.desc}, {{"index", i}}},
        0, dy);
}

TEST_CASE("ties of max share the gradient") {
  const Tensor x = doubles({2}, {1, 2}), z = doubles({2}, {1, 3});
  const Call grad{"train.max_grad",
                  {doubles({2}, {6, 6}), z, x, z},
                  {x.desc},
                  {{"index", int64_t(0)}}};
  CHECK(run(grad).values() == std::vector<double>{3, 0});
}

TEST_CASE("gradients of convolutions") {
  struct Case {
    Shape x, w, y;
    std::map<std::string, AttrValue> attributes;
  };
  for (const Case &c : std::vector<Case>{
           {{2, 2, 5, 4},
            {3, 2, 3, 3},
            {2, 3, 5, 4},
            {{"pads", Ints{1, 1, 1, 1}}}},
           {{1, 4, 6, 5},
            {4, 2, 3, 2},
            {1, 4, 3, 2},
            {{"group", int64_t(2)},
             {"strides", Ints{2, 3}},
             {"dilations", Ints{1, 2}},
             {"pads", Ints{0, 1, 1, 0}}}},
           {{2, 2, 7}, {3, 2, 3}, {2, 3, 3}, {{"strides", Ints{2}}}},
           {{1, 1, 3, 4, 3}, {2, 1, 2, 2, 2}, {1, 2, 2, 3, 2}, {}},
       }) {
    const Tensor x = generic(c.x, 1), w = generic(c.w, 2), dy = generic(c.y, 3);
    const Call forward{"onnx.Conv", {x, w}, {dy.desc}, c.attributes};
    checkGradient(forward, 0,
                  {"train.conv_input_grad", {dy, w}, {x.desc}, c.attributes}, 0,
                  dy);
    checkGradient(forward, 1,
                  {"train.conv_weight_grad", {dy, x}, {w.desc}, c.attributes},
                  0, dy);
  }
}

TEST_CASE("gradients of pooling") {
  const std::map<std::string, AttrValue> attributes = {
      {"kernel_shape", Ints{3, 2}},
      {"strides", Ints{2, 1}},
      {"pads", Ints{1, 0, 1, 1}}};
  const Tensor x = generic({2, 2, 5, 4}, 1), dy = generic({2, 2, 3, 4}, 2);
  checkGradient({"onnx.MaxPool", {x}, {dy.desc}, attributes}, 0,
                {"train.max_pool_grad", {dy, x}, {x.desc}, attributes}, 0, dy);
  for (int64_t counted : {0, 1}) {
    auto more = attributes;
    more["count_include_pad"] = counted;
    checkGradient({"onnx.AveragePool", {x}, {dy.desc}, more}, 0,
                  {"train.average_pool_grad", {dy}, {x.desc}, more}, 0, dy);
  }
  for (int64_t size : {2, 3}) {
    const std::map<std::string, AttrValue> lrn = {
        {"size", size}, {"alpha", 0.3}, {"beta", 0.6}, {"bias", 1.5}};
    const Tensor z = generic({2, 5, 3}, 1), dz = generic({2, 5, 3}, 2);
    checkGradient({"onnx.LRN", {z}, {z.desc}, lrn}, 0,
                  {"train.lrn_grad", {dz, z}, {z.desc}, lrn}, 0, dz);
  }
}

TEST_CASE("the first of equal maxima gets the gradient") {
  const Call grad{"train.max_pool_grad",
                  {doubles({1, 1, 2}, {5, 7}), doubles({1, 1, 3}, {1, 1, 1})},
                  {TensorDesc{f64, {1, 1, 3}}},
                  {{"kernel_shape", Ints{2}}}};
  CHECK(run(grad).values() == std::vector<double>{5, 7, 0});
}

TEST_CASE("gradients of normalisation") {
  for (const Shape &shape : {Shape{3, 2, 4}, Shape{4, 3}}) {
    const Tensor x = generic(shape, 1), dy = generic(shape, 2);
    const Tensor scale = generic({shape[1]}, 3), bias = generic({shape[1]}, 4);
    const std::map<std::string, AttrValue> attributes = {{"epsilon", 1e-3}};
    const Call forward{"train.batch_norm",
                       {x, scale, bias},
                       {x.desc, scale.desc, scale.desc},
                       attributes};
    const Outcome saved = run(forward, {1, true});
    const Call gradient{"train.batch_norm_grad",
                        {dy, x, scale, saved.results[1], saved.results[2]},
                        {x.desc, scale.desc, scale.desc},
                        attributes};
    for (size_t i : {0, 1, 2})
      checkGradient(forward, i, gradient, i, dy);
  }
  const Tensor x = generic({3, 2, 4}, 1), dy = generic({3, 2, 4}, 2);
  for (int64_t axis : {1, 2}) {
    const Shape inner = axis == 1 ? Shape{2, 4} : Shape{4};
    const Shape outer = axis == 1 ? Shape{3, 1, 1} : Shape{3, 2, 1};
    const Tensor scale = generic(inner, 3), bias = generic(inner, 4);
    const TensorDesc rows{f64, outer};
    const std::map<std::string, AttrValue> attributes = {{"axis", axis}};
    const Call forward{
        "train.layer_norm", {x, scale, bias}, {x.desc, rows, rows}, attributes};
    const Outcome saved = run(forward, {1, true});
    const Call gradient{"train.layer_norm_grad",
                        {dy, x, scale, saved.results[1], saved.results[2]},
                        {x.desc, scale.desc, scale.desc},
                        attributes};
    for (size_t i : {0, 1, 2})
      checkGradient(forward, i, gradient, i, dy);
  }
}

TEST_CASE("gradients of losses") {
  const Tensor one = doubles({}, {1}), x = generic({2, 4, 3}, 1);
  const Tensor target = indices({2, 3}, 4, 2);
  const Tensor weights = generic({4}, 5, 3);
  for (const char *reduction : {"mean", "sum"})
    for (bool ignores : {false, true}) {
      std::map<std::string, AttrValue> attributes = {{"axis", int64_t(1)},
                                                     {"reduction", reduction}};
      if (ignores)
        attributes["ignore_index"] = int64_t(1);
      checkGradient({"train.softmax_cross_entropy",
                     {x, target, weights},
                     {one.desc},
                     attributes},
                    0,
                    {"train.softmax_cross_entropy_grad",
                     {one, x, target, weights},
                     {x.desc},
                     attributes},
                    0, one);
    }
  const Tensor y = generic({2, 4, 3}, 3);
  checkGradient({"train.mse", {x, y}, {one.desc}}, 0,
                {"train.mse_grad", {one, x, y}, {x.desc}}, 0, one);
}

TEST_CASE("gradients of picking, slicing, padding and resizing") {
  const Tensor x = generic({3, 4, 2}, 1);
  const Tensor gathered = generic({3, 5, 2}, 2), picks = indices({5}, 4, 3);
  checkGradient(
      {"onnx.Gather", {x, picks}, {gathered.desc}, {{"axis", int64_t(1)}}}, 0,
      {"train.gather_grad",
       {gathered, picks},
       {x.desc},
       {{"axis", int64_t(1)}}},
      0, gathered);
  const Tensor elements = indices({3, 2, 2}, 4, 4), de = generic({3, 2, 2}, 5);
  checkGradient(
      {"onnx.GatherElements", {x, elements}, {de.desc}, {{"axis", int64_t(1)}}},
      0,
      {"train.gather_elements_grad",
       {de, elements},
       {x.desc},
       {{"axis", int64_t(1)}}},
      0, de);
  const Tensor tuples = indices({5, 2}, 3, 6), dt = generic({5, 2}, 7);
  checkGradient({"onnx.GatherND", {x, tuples}, {dt.desc}}, 0,
                {"train.gather_nd_grad", {dt, tuples}, {x.desc}}, 0, dt);
  const Tensor starts = ints({2}, {-1, 0}), ends = ints({2}, {-9, 2}),
               axes = ints({2}, {1, 2}), steps = ints({2}, {-2, 1});
  const Tensor ds = generic({3, 2, 2}, 8);
  checkGradient({"onnx.Slice", {x, starts, ends, axes, steps}, {ds.desc}}, 0,
                {"train.slice_grad", {ds, starts, ends, axes, steps}, {x.desc}},
                0, ds);
  const Tensor pads = ints({6}, {1, 2, 0, 0, 1, 1});
  const Tensor dp = generic({4, 7, 3}, 9);
  for (const char *mode : {"constant", "edge", "reflect", "wrap"})
    checkGradient({"onnx.Pad", {x, pads}, {dp.desc}, {{"mode", mode}}}, 0,
                  {"train.pad_grad", {dp, pads}, {x.desc}, {{"mode", mode}}}, 0,
                  dp);
  const Tensor image = generic({1, 1, 3, 4}, 1), dr = generic({1, 1, 6, 7}, 2);
  for (const char *mode : {"nearest", "linear"})
    checkGradient({"onnx.Resize", {image}, {dr.desc}, {{"mode", mode}}}, 0,
                  {"train.resize_grad", {dr}, {image.desc}, {{"mode", mode}}},
                  0, dr);
}
