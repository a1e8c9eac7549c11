//===- Index.cpp - Reverse rules of gathers and scatters ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What a gather read is added to by its adjoint, once for each time it was
// read: indices [1, 1, 3] give row 1 two contributions. The adjoint of a
// scatter's updates is a gather at the same indices.
//
// Tested by test/Rules/gradient-index.mlir.
//
//===----------------------------------------------------------------------===//

#include "GradientRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

static LogicalResult gatherRule(GatherOp op, GradientScope &g) {
  auto axis = normalizeAxis(op.getAxis(), rankOf(op.getData()));
  g.set(0,
        g.e.emit<train::GatherGradOp>(g.dy(), op.getIndices(),
                                      shapeOf(op.getData()), axis.value_or(0)));
  return success();
}

static LogicalResult gatherElementsRule(GatherElementsOp op, GradientScope &g) {
  auto axis = normalizeAxis(op.getAxis(), rankOf(op.getData()));
  g.set(0, g.e.emit<train::GatherElementsGradOp>(g.dy(), op.getIndices(),
                                                 shapeOf(op.getData()),
                                                 axis.value_or(0)));
  return success();
}

static LogicalResult gatherNDRule(GatherNDOp op, GradientScope &g) {
  g.set(0, g.e.emit<train::GatherNDGradOp>(g.dy(), op.getIndices(),
                                           shapeOf(op.getData()),
                                           op.getBatchDims()));
  return success();
}

static Value zerosLike(OpEmitter &e, Value value) {
  return e.zeros(cast<RankedTensorType>(value.getType()));
}

static LogicalResult scatterElementsRule(ScatterElementsOp op,
                                         GradientScope &g) {
  StringRef reduction = op.getReduction();
  if (reduction != "none" && reduction != "add")
    return g.unsupported("ScatterElements with reduction '" + reduction + "'");
  if (g.wants(0))
    g.set(0, reduction == "add"
                 ? g.dy()
                 : g.e.emit<ScatterElementsOp>(g.dy(), op.getIndices(),
                                               zerosLike(g.e, op.getUpdates()),
                                               op.getAxis(), "none"));
  if (g.wants(2))
    g.set(2, g.e.emit<GatherElementsOp>(g.dy(), op.getIndices(), op.getAxis()));
  return success();
}

static LogicalResult scatterNDRule(ScatterNDOp op, GradientScope &g) {
  StringRef reduction = op.getReduction();
  if (reduction != "none" && reduction != "add")
    return g.unsupported("ScatterND with reduction '" + reduction + "'");
  if (g.wants(0))
    g.set(0, reduction == "add" ? g.dy()
                                : g.e.emit<ScatterNDOp>(
                                      g.dy(), op.getIndices(),
                                      zerosLike(g.e, op.getUpdates()), "none"));
  if (g.wants(2))
    g.set(2, g.e.emit<GatherNDOp>(g.dy(), op.getIndices(), 0));
  return success();
}

void lowtide::attachIndexRules(MLIRContext *c) {
  attachRule<GatherOp, gatherRule>(c);
  attachRule<GatherElementsOp, gatherElementsRule>(c);
  attachRule<GatherNDOp, gatherNDRule>(c);
  attachRule<ScatterElementsOp, scatterElementsRule>(c);
  attachRule<ScatterNDOp, scatterNDRule>(c);
}
