//===- Optimizers.cpp - Parameter updates ---------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Rules/Step.h"

using namespace mlir;

namespace lowtide {

SmallVector<StringRef> OptimizerSpec::getStateNames() const {
  if (kind == Kind::AdamW)
    return {"exp_avg", "exp_avg_sq"};
  if (kind == Kind::Sgd && momentum != 0)
    return {"momentum"};
  return {};
}

SmallVector<Value> buildUpdate(OpBuilder &builder, Location loc,
                               const OptimizerSpec &optimizer, Value parameter,
                               Value gradient, ValueRange states, Value step) {
  Type type = parameter.getType();
  auto number = [&](double value) { return builder.getF64FloatAttr(value); };
  FloatAttr rate = number(optimizer.learningRate);
  FloatAttr decay = number(optimizer.weightDecay);
  Operation *update = nullptr;
  if (optimizer.kind == OptimizerSpec::Kind::AdamW)
    update = builder.create<train::AdamWUpdateOp>(
        loc, TypeRange{type, type, type}, parameter, gradient, states[0],
        states[1], step, rate, number(optimizer.beta1), number(optimizer.beta2),
        number(optimizer.epsilon), decay);
  else if (!states.empty())
    update = builder.create<train::SgdMomentumUpdateOp>(
        loc, TypeRange{type, type}, parameter, gradient, states[0], rate,
        number(optimizer.momentum), decay);
  else
    update = builder.create<train::SgdUpdateOp>(loc, type, parameter, gradient,
                                                rate, decay);
  return SmallVector<Value>(update->getResults());
}

} // namespace lowtide
