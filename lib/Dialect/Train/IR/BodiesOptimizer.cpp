//===- BodiesOptimizer.cpp - Parameter updates in standard ops ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Formulas are those of torch.optim's SGD and AdamW. Numbers that depend on the
// step alone are computed in float64 and then rounded to the parameter's type.
//
// Tested by test/Rules/gradients.test and test/Rules/bodies.test.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Bodies.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;
using namespace lowtide::train;

/// The gradient with weight decay added.
static Value decayed(OpEmitter &e, Value param, Value grad, double decay) {
  return decay == 0.0 ? grad : e.add(grad, e.scale(param, decay));
}

Values SgdUpdateOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value grad = decayed(e, v[0], v[1], getWeightDecay().convertToDouble());
  return {e.sub(v[0], e.mul(grad, e.scalar(elementTypeOf(grad),
                                           getLr().convertToDouble())))};
}

Values SgdMomentumUpdateOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value grad = decayed(e, v[0], v[1], getWeightDecay().convertToDouble());
  Type element = elementTypeOf(grad);
  Value momentum = e.scalar(element, getMomentum().convertToDouble());
  Value lr = e.scalar(element, getLr().convertToDouble());
  Value buffer = e.add(e.mul(v[2], momentum), grad);
  return {e.sub(v[0], e.mul(buffer, lr)), buffer};
}

/// 1 - beta^(step + 1) in float64.
static Value biasCorrection(OpEmitter &e, Value step, double beta) {
  Type f64 = e.builder.getF64Type();
  Value count = e.plus(e.cast(step, f64), 1.0);
  Value power = e.pow(e.scalar(f64, beta), count);
  return e.sub(e.scalar(f64, 1.0), power);
}

/// average * beta + value * (1 - beta).
static Value average(OpEmitter &e, Value old, Value value, double beta) {
  Type element = elementTypeOf(old);
  return e.add(e.mul(old, e.scalar(element, beta)),
               e.mul(value, e.scalar(element, 1.0 - beta)));
}

Values AdamWUpdateOp::buildBody(OpBuilder &builder, ValueRange v) {
  OpEmitter e(builder, getLoc());
  Value param = v[0], grad = v[1], step = v[4];
  Type element = elementTypeOf(param);
  double lr = getLr().convertToDouble();
  double beta1 = getBeta1().convertToDouble();
  double beta2 = getBeta2().convertToDouble();
  Value kept = e.mul(
      param, e.scalar(element, 1.0 - lr * getWeightDecay().convertToDouble()));
  Value first = average(e, v[2], grad, beta1);
  Value second = average(e, v[3], e.mul(grad, grad), beta2);
  Value stepSize =
      e.div(e.scalar(builder.getF64Type(), lr), biasCorrection(e, step, beta1));
  Value root = e.sqrt(biasCorrection(e, step, beta2));
  Value denominator = e.plus(e.div(e.sqrt(second), e.cast(root, element)),
                             getEpsilon().convertToDouble());
  Value change = e.mul(e.div(first, denominator), e.cast(stepSize, element));
  return {e.sub(kept, change), first, second};
}
