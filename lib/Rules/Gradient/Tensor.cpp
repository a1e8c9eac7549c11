//===- Tensor.cpp - Reverse rules of shape and layout ops -----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// These ops place elements and compute nothing, so their rules read no forward
// value: static shapes and constant operands say where dy came from. The
// adjoint of a view is a view.
//
// Tested by test/Rules/gradient-tensor.mlir.
//
//===----------------------------------------------------------------------===//

#include "GradientRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

static LogicalResult identityRule(IdentityOp, GradientScope &g) {
  g.set(0, g.dy());
  return success();
}

/// Reshape, Flatten, Squeeze and Unsqueeze.
template <typename OpT>
static LogicalResult viewRule(OpT, GradientScope &g) {
  g.setReshaped(0, g.dy());
  return success();
}

static LogicalResult transposeRule(TransposeOp op, GradientScope &g) {
  int64_t rank = rankOf(op.getData());
  SmallVector<int64_t> perm = iota(rank), inverse(rank);
  std::reverse(perm.begin(), perm.end());
  if (auto given = op.getPerm())
    perm.assign(given->begin(), given->end());
  for (auto [to, from] : llvm::enumerate(perm))
    inverse[from] = static_cast<int64_t>(to);
  g.set(0, g.e.transpose(g.dy(), inverse));
  return success();
}

/// One slice for each operand: each piece can die before the next is made.
static LogicalResult concatRule(ConcatOp op, GradientScope &g) {
  auto axis = normalizeAxis(op.getAxis(), rankOf(g.dy()));
  int64_t start = 0;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    int64_t end = start + shapeOf(input)[axis.value_or(0)];
    if (g.wants(i))
      g.set(i, g.e.slice(g.dy(), start, end, axis.value_or(0)));
    start = end;
  }
  return success();
}

/// Pieces that nothing reads are zeros; a single piece is written into zeros.
static LogicalResult splitRule(SplitOp op, GradientScope &g) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  int64_t axis = normalizeAxis(op.getAxis(), type.getRank()).value_or(0);
  SmallVector<Value> pieces;
  int64_t start = 0, onlyStart = 0;
  unsigned given = 0;
  Value only;
  for (auto [i, output] : llvm::enumerate(op.getOutputs())) {
    if (g.hasDy(i)) {
      ++given;
      only = g.dy(i);
      onlyStart = start;
    }
    start += shapeOf(output)[axis];
  }
  if (given == 0)
    return success();
  if (given == 1 && op->getNumResults() > 1) {
    int64_t end = onlyStart + shapeOf(only)[axis];
    g.set(0, g.e.emit<train::SliceGradOp>(only, g.e.ints({onlyStart}),
                                          g.e.ints({end}), g.e.ints({axis}),
                                          g.e.none(), type.getShape()));
    return success();
  }
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    pieces.push_back(g.hasDy(i)
                         ? g.dy(i)
                         : g.e.zeros(cast<RankedTensorType>(output.getType())));
  g.set(0, g.e.concat(pieces, axis));
  return success();
}

static LogicalResult sliceRule(SliceOp op, GradientScope &g) {
  if (op.getOutput().getType() == op.getData().getType() &&
      !isGiven(op.getSteps())) {
    g.set(0, g.dy());
    return success();
  }
  g.set(0, g.e.emit<train::SliceGradOp>(g.dy(), op.getStarts(), op.getEnds(),
                                        op.getAxes(), op.getSteps(),
                                        shapeOf(op.getData())));
  return success();
}

static LogicalResult expandRule(ExpandOp, GradientScope &g) {
  g.setReduced(0, g.dy());
  return success();
}

/// Repeats become axes of their own, [n * d] as [n, d], and are summed.
static LogicalResult tileRule(TileOp op, GradientScope &g) {
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = shapeOf(g.dy());
  if (elementCount(to) == 0)
    return success();
  SmallVector<int64_t> apart, axes;
  for (auto [size, total] : llvm::zip(from, to)) {
    if (total != size) {
      axes.push_back(static_cast<int64_t>(apart.size()));
      apart.push_back(total / size);
    }
    apart.push_back(size);
  }
  g.set(0, g.e.reduceSum(g.e.reshape(g.dy(), apart), axes, false));
  return success();
}

static LogicalResult padRule(PadOp op, GradientScope &g) {
  if (!g.wants(0) && !g.wants(2))
    return success();
  Value ddata = g.e.emit<train::PadGradOp>(g.dy(), op.getPads(), op.getAxes(),
                                           shapeOf(op.getData()), op.getMode());
  if (g.wants(0))
    g.set(0, ddata);
  if (!g.wants(2))
    return success();
  if (op.getMode() != "constant")
    return success();
  // The border's share: all of dy without what the data got.
  auto sum = [&](Value v) { return g.e.reduceSum(v, iota(rankOf(v)), false); };
  g.setReshaped(2, g.e.sub(sum(g.dy()), sum(ddata)));
  return success();
}

static LogicalResult triluRule(TriluOp op, GradientScope &g) {
  g.set(0, g.e.emit<TriluOp>(g.dy(), op.getK(), op.getUpper()));
  return success();
}

static LogicalResult oneHotRule(OneHotOp, GradientScope &g) {
  if (g.wants(2))
    return g.unsupported("the values of OneHot have no rule");
  return success();
}

void lowtide::attachTensorRules(MLIRContext *c) {
  attachRule<IdentityOp, identityRule>(c);
  attachRule<ReshapeOp, viewRule<ReshapeOp>>(c);
  attachRule<FlattenOp, viewRule<FlattenOp>>(c);
  attachRule<SqueezeOp, viewRule<SqueezeOp>>(c);
  attachRule<UnsqueezeOp, viewRule<UnsqueezeOp>>(c);
  attachRule<TransposeOp, transposeRule>(c);
  attachRule<ConcatOp, concatRule>(c);
  attachRule<SplitOp, splitRule>(c);
  attachRule<SliceOp, sliceRule>(c);
  attachRule<ExpandOp, expandRule>(c);
  attachRule<TileOp, tileRule>(c);
  attachRule<PadOp, padRule>(c);
  attachRule<TriluOp, triluRule>(c);
  attachRule<OneHotOp, oneHotRule>(c);
  attachZeroRules<ShapeOp, SizeOp, RangeOp, ConstantOfShapeOp>(c);
}
