//===- Reduce.cpp - Reverse rules of reductions ---------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every element of a slice gets dy times its own derivative. dy is first seen
// with the reduced axes as axes of size 1, which is a view, so that it
// broadcasts against the operand. Equal largest (smallest) elements share dy
// evenly: [.6, .6, .3] gives [.5, .5, 0].
//
// Tested by test/Rules/gradient-reduce.mlir.
//
//===----------------------------------------------------------------------===//

#include "GradientRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

namespace {
/// A reduction with its axes resolved and its results seen with kept axes.
struct Reduction {
  SmallVector<int64_t> axes;
  SmallVector<int64_t> keptShape;
  int64_t count = 1;
};
} // namespace

/// Axes absent or empty: all, or none with `noop_with_empty_axes`.
template <typename OpT>
static std::optional<Reduction> resolveReduction(OpT op) {
  ArrayRef<int64_t> shape = shapeOf(op.getData());
  int64_t rank = rankOf(op.getData());
  Reduction r;
  if (isGiven(op.getAxes())) {
    auto axes = constantInts(op.getAxes());
    if (!axes)
      return std::nullopt;
    for (int64_t axis : *axes)
      r.axes.push_back(normalizeAxis(axis, rank).value_or(0));
  }
  if (r.axes.empty() && !op.getNoopWithEmptyAxes())
    r.axes = iota(rank);
  llvm::sort(r.axes);
  r.axes.erase(std::unique(r.axes.begin(), r.axes.end()), r.axes.end());
  r.keptShape.assign(shape.begin(), shape.end());
  for (int64_t axis : r.axes) {
    r.count *= shape[axis];
    r.keptShape[axis] = 1;
  }
  return r;
}

static LogicalResult axesUnknown(GradientScope &g) {
  return g.unsupported("its axes aren't constant");
}

static LogicalResult reduceSumRule(ReduceSumOp op, GradientScope &g) {
  auto r = resolveReduction(op);
  if (!r)
    return axesUnknown(g);
  Value dy = g.e.reshape(g.dy(), r->keptShape);
  g.set(0, g.e.expand(dy, shapeOf(op.getData())));
  return success();
}

static LogicalResult reduceMeanRule(ReduceMeanOp op, GradientScope &g) {
  auto r = resolveReduction(op);
  if (!r)
    return axesUnknown(g);
  Value dy = g.e.reshape(g.e.over(g.dy(), r->count), r->keptShape);
  g.set(0, g.e.expand(dy, shapeOf(op.getData())));
  return success();
}

/// Divides dy among the elements that attain the extremum.
template <typename OpT>
static LogicalResult reduceExtremumRule(OpT op, GradientScope &g) {
  auto r = resolveReduction(op);
  if (!r)
    return axesUnknown(g);
  Type element = elementTypeOf(g.dy());
  Value y = g.e.reshape(op.getReduced(), r->keptShape);
  Value attains = g.e.equal(op.getData(), y);
  Value many = g.e.reduceSum(g.e.cast(attains, element), r->axes, true);
  Value share = g.e.div(g.e.reshape(g.dy(), r->keptShape), many);
  g.set(0, g.e.where(attains, share, g.e.scalar(element, 0.0)));
  return success();
}

/// The derivative at an element is the product of all others: y / x without
/// zeros in the slice, the product of the rest at a single zero, else 0.
static LogicalResult reduceProdRule(ReduceProdOp op, GradientScope &g) {
  auto r = resolveReduction(op);
  if (!r)
    return axesUnknown(g);
  OpEmitter &e = g.e;
  Value x = op.getData();
  Type element = elementTypeOf(x);
  Value zero = e.scalar(element, 0.0), one = e.scalar(element, 1.0);
  Value isZero = e.equal(x, zero);
  Value safe = e.where(isZero, one, x);
  Value zeros = e.reduceSum(e.cast(isZero, element), r->axes, true);
  Value rest = safe;
  if (!r->axes.empty())
    rest = e.emit<ReduceProdOp>(safe, e.ints(r->axes), 1, 0);
  Value ifNoZero = e.where(e.equal(zeros, zero), e.div(rest, safe), zero);
  Value ifOneZero = e.where(e.equal(zeros, one), rest, zero);
  Value slope = e.where(isZero, ifOneZero, ifNoZero);
  g.set(0, e.mul(slope, e.reshape(g.dy(), r->keptShape)));
  return success();
}

/// x / y, and 0 where the whole slice is 0.
static LogicalResult reduceL2Rule(ReduceL2Op op, GradientScope &g) {
  auto r = resolveReduction(op);
  if (!r)
    return axesUnknown(g);
  Value zero = g.e.scalar(elementTypeOf(g.dy()), 0.0);
  Value y = op.getReduced();
  Value factor = g.e.where(g.e.equal(y, zero), zero, g.e.div(g.dy(), y));
  g.set(0, g.e.mul(op.getData(), g.e.reshape(factor, r->keptShape)));
  return success();
}

static LogicalResult reduceSumSquareRule(ReduceSumSquareOp op,
                                         GradientScope &g) {
  auto r = resolveReduction(op);
  if (!r)
    return axesUnknown(g);
  Value dy = g.e.reshape(g.e.scale(g.dy(), 2.0), r->keptShape);
  g.set(0, g.e.mul(op.getData(), dy));
  return success();
}

void lowtide::attachReduceRules(MLIRContext *c) {
  attachRule<ReduceSumOp, reduceSumRule>(c);
  attachRule<ReduceMeanOp, reduceMeanRule>(c);
  attachRule<ReduceMaxOp, reduceExtremumRule<ReduceMaxOp>>(c);
  attachRule<ReduceMinOp, reduceExtremumRule<ReduceMinOp>>(c);
  attachRule<ReduceProdOp, reduceProdRule>(c);
  attachRule<ReduceL2Op, reduceL2Rule>(c);
  attachRule<ReduceSumSquareOp, reduceSumSquareRule>(c);
  attachZeroRules<ArgMaxOp>(c);
}
