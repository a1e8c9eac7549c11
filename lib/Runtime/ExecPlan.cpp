//===- ExecPlan.cpp - Names and lifetimes of a planned step ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A buffer's life begins where its bytes are first written (step 0 for inputs,
// constants and resident buffers) and ends behind its last reader. A view reads
// its base's bytes, so every life that a view has is also its base's.
//
//   step 0: a = f(x)    a lives [0, 3): its view v is read by step 2
//   step 1: v = view a  v lives [1, 3)
//   step 2: y = g(v)    y is an output: [2, number of steps)
//
// Linear in the plan's size. Tested by test/unit/Runtime/ExecPlanTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Runtime/ExecPlan.h"

#include <algorithm>

using namespace lowtide::runtime;

std::string_view lowtide::runtime::toString(BufferClass cls) {
  switch (cls) {
  case BufferClass::Parameter:
    return "parameter";
  case BufferClass::Gradient:
    return "gradient";
  case BufferClass::OptimizerState:
    return "optimizer_state";
  case BufferClass::Statistic:
    return "statistic";
  case BufferClass::Input:
    return "input";
  case BufferClass::Constant:
    return "constant";
  case BufferClass::Activation:
    return "activation";
  case BufferClass::Workspace:
    return "workspace";
  }
  return "unknown";
}

std::string_view lowtide::runtime::toString(Phase phase) {
  switch (phase) {
  case Phase::Forward:
    return "forward";
  case Phase::Backward:
    return "backward";
  case Phase::Update:
    return "update";
  }
  return "unknown";
}

/// Valid ids only; `verify` reports the others.
static bool isBuffer(const ExecPlan &plan, BufferId id) {
  return id >= 0 && static_cast<size_t>(id) < plan.buffers.size();
}

std::vector<Lifetime> lowtide::runtime::computeLifetimes(const ExecPlan &plan) {
  const auto numSteps = static_cast<int32_t>(plan.steps.size());
  std::vector<Lifetime> lives(plan.buffers.size(), Lifetime{0, 0});
  std::vector<bool> written(plan.buffers.size(), false);
  for (int32_t s = 0; s < numSteps; ++s) {
    const Step &step = plan.steps[s];
    for (BufferId id : step.operands)
      if (isBuffer(plan, id))
        lives[id].end = std::max(lives[id].end, s + 1);
    for (BufferId id : step.results) {
      if (!isBuffer(plan, id) || written[id])
        continue;
      written[id] = true;
      lives[id].begin = s;
      lives[id].end = std::max(lives[id].end, s + 1);
    }
  }
  for (const Port &output : plan.outputs)
    if (isBuffer(plan, output.buffer))
      lives[output.buffer].end = numSteps;
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].resident)
      lives[i] = {written[i] ? lives[i].begin : 0, numSteps};
  // A chain of views is at most as long as there are buffers.
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    BufferId base = plan.buffers[i].base;
    for (size_t hops = 0; isBuffer(plan, base) && hops < plan.buffers.size();
         ++hops) {
      lives[base].end = std::max(lives[base].end, lives[i].end);
      base = plan.buffers[base].base;
    }
  }
  return lives;
}
