//===- KernelValueTest.cpp - Kernels on values worked out by hand ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include "lowtide/Runtime/Philox.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::test;

using Ints = std::vector<int64_t>;
using Values = std::vector<double>;
static constexpr DataType f32 = DataType::Float32, f64 = DataType::Float64,
                          i64 = DataType::Int64;

/// The same from plain and fast kernels.
static void check(const Call &call, const Values &expected, size_t result = 0) {
  INFO(call.kernel);
  for (bool reference : {true, false}) {
    const Outcome outcome = run(call, {2, reference});
    REQUIRE(outcome.error == "");
    const Values found = outcome.values(result);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      CHECK(found[i] == Approx(expected[i]).margin(1e-6));
  }
}

TEST_CASE("integers divide towards zero and refuse zero") {
  check({"onnx.Div",
         {ints({4}, {7, -7, 7, -7}), ints({4}, {2, 2, -2, -1})},
         {TensorDesc{i64, {4}}}},
        {3, -3, -3, 7});
  check({"onnx.Mod",
         {ints({4}, {7, -7, 7, -7}), ints({4}, {3, 3, -3, -3})},
         {TensorDesc{i64, {4}}}},
        {1, 2, -2, -1});
  CHECK(run({"onnx.Div",
             {ints({2}, {1, 1}), ints({2}, {1, 0})},
             {TensorDesc{i64, {2}}}})
            .error == "division by zero at element 1");
}

TEST_CASE("bits of integers") {
  const Tensor a = ints({2}, {12, 5}), b = ints({2}, {10, 3});
  check({"onnx.BitwiseAnd", {a, b}, {TensorDesc{i64, {2}}}}, {8, 1});
  check({"onnx.BitwiseOr", {a, b}, {TensorDesc{i64, {2}}}}, {14, 7});
  check({"onnx.BitwiseXor", {a, b}, {TensorDesc{i64, {2}}}}, {6, 6});
}

TEST_CASE("broadcasting repeats the smaller side") {
  check({"onnx.Add",
         {floats({2, 1}, {1, 2}), floats({3}, {10, 20, 30})},
         {TensorDesc{f32, {2, 3}}}},
        {11, 21, 31, 12, 22, 32});
  CHECK(run({"onnx.Add",
             {floats({2}, {1, 2}), floats({3}, {1, 2, 3})},
             {TensorDesc{f32, {3}}}})
            .error == "float[2] doesn't broadcast to float[3]");
}

TEST_CASE("rounding goes to even and casts cut off") {
  check({"onnx.Round",
         {floats({4}, {0.5, 1.5, -2.5, 2.4})},
         {TensorDesc{f32, {4}}}},
        {0, 2, -2, 2});
  check({"onnx.Cast", {floats({3}, {1.9, -1.9, 0})}, {TensorDesc{i64, {3}}}},
        {1, -1, 0});
  check({"onnx.Cast",
         {floats({3}, {0.5, 0, -3})},
         {TensorDesc{DataType::Bool, {3}}}},
        {1, 0, 1});
}

TEST_CASE("half precision round trip") {
  const TensorDesc half{DataType::Float16, {4}};
  const Tensor x = floats({4}, {1, -2.5, 65504, 6e-8});
  const Outcome narrow = run({"onnx.Cast", {x}, {half}});
  REQUIRE(narrow.error == "");
  Tensor packed;
  packed.desc = half;
  packed.bytes = narrow.results[0].bytes;
  const Values back =
      run({"onnx.Cast", {packed}, {TensorDesc{f32, {4}}}}).values();
  CHECK(back[0] == 1);
  CHECK(back[1] == -2.5);
  CHECK(back[2] == 65504);
  CHECK(back[3] == Approx(5.9604645e-8));
}

TEST_CASE("moving elements") {
  const Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  check({"onnx.Transpose", {x}, {TensorDesc{f32, {3, 2}}}}, {1, 4, 2, 5, 3, 6});
  check({"onnx.Slice",
         {x, ints({1}, {-1}), ints({1}, {-4}), ints({1}, {1}), ints({1}, {-2})},
         {TensorDesc{f32, {2, 2}}}},
        {3, 1, 6, 4});
  check({"onnx.Concat",
         {x, floats({2, 1}, {7, 8})},
         {TensorDesc{f32, {2, 4}}},
         {{"axis", int64_t(1)}}},
        {1, 2, 3, 7, 4, 5, 6, 8});
  check({"onnx.Split",
         {x, ints({2}, {1, 2})},
         {TensorDesc{f32, {2, 1}}, TensorDesc{f32, {2, 2}}},
         {{"axis", int64_t(1)}}},
        {2, 3, 5, 6}, 1);
  check({"onnx.Tile",
         {floats({2}, {1, 2}), ints({1}, {2})},
         {TensorDesc{f32, {4}}}},
        {1, 2, 1, 2});
  check({"onnx.Pad",
         {floats({4}, {1, 2, 3, 4}), ints({2}, {2, 1})},
         {TensorDesc{f32, {7}}},
         {{"mode", "reflect"}}},
        {3, 2, 1, 2, 3, 4, 3});
  check({"onnx.Trilu", {x, ints({}, {0})}, {TensorDesc{f32, {2, 3}}}},
        {1, 2, 3, 0, 5, 6});
  check({"onnx.CumSum",
         {floats({3}, {1, 2, 3}), ints({}, {0})},
         {TensorDesc{f32, {3}}},
         {{"exclusive", int64_t(1)}, {"reverse", int64_t(1)}}},
        {5, 3, 0});
  check({"onnx.Shape", {x}, {TensorDesc{i64, {2}}}}, {2, 3});
  check({"onnx.Range",
         {ints({}, {5}), ints({}, {0}), ints({}, {-2})},
         {TensorDesc{i64, {3}}}},
        {5, 3, 1});
}

TEST_CASE("indices out of range are named") {
  const Tensor x = floats({2, 2}, {1, 2, 3, 4});
  check({"onnx.Gather", {x, ints({2}, {-1, 0})}, {TensorDesc{f32, {2, 2}}}},
        {3, 4, 1, 2});
  CHECK(run({"onnx.Gather", {x, ints({2}, {0, 2})}, {TensorDesc{f32, {2, 2}}}})
            .error == "index 2 at element 1 is out of range for an axis of 2");
  CHECK(run({"train.gather_grad",
             {x, ints({2}, {0, -3})},
             {TensorDesc{f32, {2, 2}}}})
            .error == "index -3 at element 1 is out of range for an axis of 2");
  for (bool reference : {true, false})
    CHECK(run({"train.softmax_cross_entropy",
               {x, ints({2}, {0, 2})},
               {TensorDesc{f32, {}}}},
              {1, reference})
              .error == "target 2 at element 1 is no class of 2");
}

TEST_CASE("reductions") {
  const Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  check({"onnx.ReduceSum", {x, ints({1}, {0})}, {TensorDesc{f32, {3}}}},
        {5, 7, 9});
  check({"onnx.ReduceMean", {x, ints({1}, {-1})}, {TensorDesc{f32, {2}}}},
        {2, 5});
  check({"onnx.ReduceSum", {x}, {TensorDesc{f32, {}}}}, {21});
  check({"onnx.ReduceMax", {x}, {TensorDesc{f32, {}}}}, {6});
  check({"onnx.ReduceL2", {floats({2}, {3, 4})}, {TensorDesc{f32, {}}}}, {5});
  check({"onnx.ReduceLogSumExp",
         {floats({2}, {1000, 1000})},
         {TensorDesc{f32, {}}}},
        {1000 + std::log(2.0)});
  check({"onnx.ArgMax", {x}, {TensorDesc{i64, {1, 2}}}, {{"axis", int64_t(1)}}},
        {2, 2});
}

TEST_CASE("a 2x2 window over 3x3") {
  const Tensor x = floats({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const TensorDesc y{f32, {1, 1, 2, 2}};
  const std::map<std::string, AttrValue> window = {
      {"kernel_shape", Ints{2, 2}}};
  check({"onnx.MaxPool", {x}, {y}, window}, {5, 6, 8, 9});
  check({"onnx.AveragePool", {x}, {y}, window}, {3, 4, 6, 7});
  check({"onnx.Conv", {x, floats({1, 1, 2, 2}, {1, 0, 0, -1})}, {y}},
        {-4, -4, -4, -4});
  check({"train.conv_input_grad",
         {floats({1, 1, 2, 2}, {1, 2, 3, 4}),
          floats({1, 1, 2, 2}, {1, 0, 0, -1})},
         {x.desc}},
        {1, 2, 0, 3, 3, -2, 0, -3, -4});
  check(
      {"train.conv_weight_grad", {floats({1, 1, 2, 2}, {1, 0, 0, 0}), x}, {y}},
      {1, 2, 4, 5});
}

TEST_CASE("batch norm in training") {
  // One channel: 1, 3 → mean 2, variance 1.
  const Call call{
      "train.batch_norm",
      {doubles({2, 1}, {1, 3}), doubles({1}, {2}), doubles({1}, {10})},
      {TensorDesc{f64, {2, 1}}, TensorDesc{f64, {1}}, TensorDesc{f64, {1}}},
      {{"epsilon", 0.0}}};
  check(call, {8, 12});
  check(call, {2}, 1);
  check(call, {1}, 2);
  check({"train.running_variance_update",
         {doubles({1}, {4}), doubles({1}, {0.5})},
         {TensorDesc{f64, {1}}},
         {{"momentum", 0.9}, {"epsilon", 1.0}}},
        {0.9 * 4 + 0.1 * 3});
}

TEST_CASE("optimizers follow their formulas") {
  const TensorDesc d{f64, {1}};
  check({"train.sgd_update",
         {doubles({1}, {2}), doubles({1}, {3})},
         {d},
         {{"lr", 0.1}, {"weight_decay", 0.5}}},
        {2 - 0.1 * (3 + 1)});
  const Call momentum{
      "train.sgd_momentum_update",
      {doubles({1}, {2}), doubles({1}, {3}), doubles({1}, {10}), ints({}, {1})},
      {d, d},
      {{"lr", 0.1}, {"momentum", 0.5}, {"weight_decay", 0.0}}};
  check(momentum, {2 - 0.1 * 8});
  check(momentum, {8}, 1);
  // First step: m = 0.1 g, v = 0.01 g², corrected to g and g².
  check({"train.adamw_update",
         {doubles({1}, {2}), doubles({1}, {3}), doubles({1}, {0}),
          doubles({1}, {0}), ints({}, {0})},
         {d, d, d},
         {{"lr", 0.1},
          {"beta1", 0.9},
          {"beta2", 0.99},
          {"epsilon", 0.0},
          {"weight_decay", 0.5}}},
        {2 * (1 - 0.05) - 0.1});
}

TEST_CASE("random numbers are a function of their key") {
  const PhiloxBlock zero = philox({0, 0, 0, 0}, {0, 0});
  CHECK(zero == PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const PhiloxBlock ones = philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u});
  CHECK(ones == PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  const Tensor x = floats({1000}, Values(1000, 1.0));
  auto draw = [&](double seed, double step, int64_t op, bool reference) {
    return run({"train.dropout",
                {x, ints({}, {seed}), ints({}, {step})},
                {x.desc},
                {{"ratio", 0.25}, {"op_id", op}}},
               {2, reference})
        .values();
  };
  const Values mask = draw(1, 2, 3, true);
  CHECK(draw(1, 2, 3, false) == mask);
  CHECK(draw(2, 2, 3, true) != mask);
  CHECK(draw(1, 3, 3, true) != mask);
  CHECK(draw(1, 2, 4, true) != mask);
  const OpRandom random(1, 2, 3);
  int kept = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    const bool keep = random.block(i / 4)[i % 4] >= 0.25 * 4294967296.0;
    kept += keep;
    CHECK(mask[i] == (keep ? Approx(4.0 / 3) : Approx(0.0)));
  }
  CHECK(kept > 700);
  CHECK(kept < 800);
}

TEST_CASE("every refusal has a reason") {
  CHECK(run({"onnx.Nonsense", {}, {}}).error ==
        "there is no kernel named onnx.Nonsense");
  CHECK(run({"onnx.Relu", {bools({1}, {1})}, {TensorDesc{DataType::Bool, {1}}}})
            .error == "element type bool isn't supported");
  CHECK(run({"onnx.MatMul",
             {floats({2, 3}, {}), floats({2, 3}, {})},
             {TensorDesc{f32, {2, 3}}}})
            .error == "the inner dimensions differ: 3 and 2");
}
