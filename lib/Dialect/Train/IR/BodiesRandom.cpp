//===- BodiesRandom.cpp - Random draws in standard ops --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A draw is a pure function of (seed, step, op_id) and the element's number, as
// lowtide/Runtime/Philox.h defines it: Philox4x32 with 10 rounds, key (seed's
// low word, seed's high word), counter (block's low word, op_id, step's low
// word, block's high word xor step's high word), where block = element / 4 and
// the element takes output word element % 4. An element is dropped when its
// word is below ratio * 2^32.
//
// Words are int64 values below 2^32 here, since standard ops have no 32-bit
// product with 64 bits of result. With the multiplier split as m1 * 2^16 + m0,
// both m0 * c and m1 * c stay below 2^48:
//
//   high word = (m1 * c + m0 * c / 2^16) / 2^16
//   low word  = (m1 * c % 2^16 * 2^16 + m0 * c) % 2^32
//
// Reference: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC 2011.
// Tested by test/Rules/gradients.test and test/Rules/bodies.test.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Bodies.h"

#include <array>

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;
using namespace lowtide::train;

static constexpr int64_t half = int64_t(1) << 16, word = int64_t(1) << 32;
static constexpr int64_t multipliers[2] = {0xD2511F53, 0xCD9E8D57};
static constexpr int64_t keySteps[2] = {0x9E3779B9, 0xBB67AE85};

namespace {
/// Arithmetic of int64 tensors that hold 32-bit words.
struct Words {
  OpEmitter &e;

  Value constant(int64_t value) { return e.intScalar(value); }
  Value mod(Value a, int64_t m) { return e.emit<ModOp>(a, constant(m), 0); }
  Value shiftDown(Value a, int64_t power) { return e.div(a, constant(power)); }
  Value bitXor(Value a, Value b) { return e.emit<BitwiseXorOp>(a, b); }

  /// The high and low word of multiplier * c.
  std::array<Value, 2> multiply(Value c, int64_t multiplier) {
    Value upper = e.mul(c, constant(multiplier / half));
    Value lower = e.mul(c, constant(multiplier % half));
    Value high = shiftDown(e.add(upper, shiftDown(lower, half)), half);
    Value shifted = e.mul(mod(upper, half), constant(half));
    return {high, mod(e.add(shifted, lower), word)};
  }
  /// Low and high word of any int64, also a negative one.
  std::array<Value, 2> split(Value a) {
    Value low = mod(a, word);
    return {low, mod(shiftDown(e.sub(a, low), word), word)};
  }
};
} // namespace

/// `count` words, one for each element.
static Value drawWords(OpEmitter &e, Value seed, Value step, int64_t opId,
                       int64_t count) {
  Words w{e};
  Type i64 = e.builder.getI64Type();
  int64_t blocks = (count + 3) / 4;
  Value block =
      e.emit<RangeOp>(RankedTensorType::get({blocks}, i64), e.intScalar(0),
                      e.intScalar(blocks), e.intScalar(1));
  auto key = w.split(e.reshape(e.cast(seed, i64), {}));
  Value zeros = e.mul(block, e.intScalar(0));
  auto [stepLow, stepHigh] = w.split(e.reshape(e.cast(step, i64), {}));
  std::array<Value, 4> c = {
      w.mod(block, word), e.add(zeros, e.intScalar(opId & (word - 1))),
      e.add(zeros, stepLow), w.bitXor(w.shiftDown(block, word), stepHigh)};
  for (int round = 0; round < 10; ++round) {
    if (round > 0)
      for (int i = 0; i < 2; ++i)
        key[i] = w.mod(e.add(key[i], e.intScalar(keySteps[i])), word);
    auto [high0, low0] = w.multiply(c[0], multipliers[0]);
    auto [high1, low1] = w.multiply(c[2], multipliers[1]);
    c = {w.bitXor(w.bitXor(high1, c[1]), key[0]), low1,
         w.bitXor(w.bitXor(high0, c[3]), key[1]), low0};
  }
  SmallVector<Value> columns;
  for (Value part : c)
    columns.push_back(e.reshape(part, {blocks, 1}));
  Value all = e.reshape(e.concat(columns, 1), {4 * blocks});
  return e.slice(all, 0, count, 0);
}

/// v where kept, scaled up by 1 / (1 - ratio), and 0 where dropped.
static Value dropOut(OpEmitter &e, Value v, Value seed, Value step,
                     double ratio, int64_t opId) {
  Type f64 = e.builder.getF64Type();
  Value words = drawWords(e, seed, step, opId, elementCount(shapeOf(v)));
  Value limit = e.scalar(f64, ratio * static_cast<double>(word));
  Value dropped = e.reshape(e.less(e.cast(words, f64), limit), shapeOf(v));
  double factor = ratio < 1.0 ? 1.0 / (1.0 - ratio) : 0.0;
  Value scaled = e.mul(v, e.scalar(elementTypeOf(v), factor));
  return e.where(dropped, e.scalar(elementTypeOf(v), 0.0), scaled);
}

Values train::DropoutOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  return {
      dropOut(e, v[0], v[1], v[2], getRatio().convertToDouble(), getOpId())};
}

Values train::DropoutGradOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  return {
      dropOut(e, v[0], v[1], v[2], getRatio().convertToDouble(), getOpId())};
}
