//===- ViewFold.cpp - Problems without views ------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. A view has no bytes but keeps the copy alive that it was made from.
// The solvers want lives that depend on one value only.
//
// Idea. Let every reader of a view read the base as well. That is exact as
// long as the view is made again whenever its base is; such runs are added to
// the finished schedule, where their cost is known.
//
// Example. b, v = view(b), c reads v. Folded, c reads b and v. Schedule
// b v b c becomes b v b v c.
//
// It gives up recomputing a base whose view op must run only once.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ViewFold.h"

#include "llvm/ADT/STLExtras.h"

using namespace lowtide;
using namespace lowtide::solver;

static std::vector<int> producers(const RematProblem &problem) {
  std::vector<int> producer(problem.values.size(), -1);
  for (size_t i = 0; i < problem.ops.size(); ++i)
    for (int v : problem.ops[i].outputs)
      producer[v] = int(i);
  return producer;
}

static std::vector<int> basesOf(const RematProblem &problem) {
  std::vector<int> base(problem.values.size(), -1);
  for (const RematView &view : problem.views)
    base[view.view] = view.base;
  return base;
}

static bool runsOnce(const RematOp &op) {
  return !op.recomputable || op.maxRuns == 1 || op.policy == RematPolicy::Save;
}

RematProblem solver::foldViews(const RematProblem &problem) {
  if (problem.views.empty())
    return problem;
  RematProblem folded = problem;
  folded.views.clear();
  std::vector<int> base = basesOf(problem), producer = producers(problem);
  auto rootOf = [&](int v) {
    while (base[v] >= 0)
      v = base[v];
    return v;
  };
  for (const RematView &view : problem.views)
    folded.values[view.view].bytes = 0;
  for (RematOp &op : folded.ops) {
    std::vector<int> inputs = op.inputs;
    for (int v : op.inputs)
      for (int b = base[v]; b >= 0; b = base[b])
        if (!llvm::is_contained(inputs, b))
          inputs.push_back(b);
    op.inputs = std::move(inputs);
  }
  for (int v : problem.keep)
    for (int b = base[v]; b >= 0; b = base[b])
      if (!llvm::is_contained(folded.keep, b))
        folded.keep.push_back(b);
  folded.inplace.clear();
  for (RematInplace pair : problem.inplace) {
    if (base[pair.output] >= 0)
      continue;
    pair.input = rootOf(pair.input);
    folded.inplace.push_back(pair);
  }
  for (const RematView &view : problem.views)
    if (int op = producer[view.view]; runsOnce(problem.ops[op]))
      for (int b = base[view.view]; b >= 0; b = base[b])
        if (producer[b] >= 0)
          folded.ops[producer[b]].recomputable = false;
  return folded;
}

RematSchedule solver::unfoldViews(const RematProblem &problem,
                                  const RematSchedule &schedule) {
  if (problem.views.empty())
    return schedule;
  std::vector<int> base = basesOf(problem), producer = producers(problem);
  std::vector<int> copy(problem.values.size(), 0);     // runs that made it
  std::vector<int> madeFrom(problem.values.size(), 0); // base copy of a view
  RematSchedule result;
  auto run = [&](int op) {
    result.push_back(op);
    for (int v : problem.ops[op].outputs) {
      ++copy[v];
      if (base[v] >= 0)
        madeFrom[v] = copy[base[v]];
    }
  };
  auto refresh = [&](int value) {
    // From the base outwards: a view of a view follows its base.
    std::vector<int> chain;
    for (int v = value; base[v] >= 0; v = base[v])
      chain.push_back(v);
    for (size_t k = chain.size(); k-- > 0;)
      if (int v = chain[k]; copy[v] > 0 && madeFrom[v] != copy[base[v]])
        run(producer[v]);
  };
  for (int op : schedule) {
    for (int v : problem.ops[op].inputs)
      refresh(v);
    run(op);
  }
  for (int v : problem.keep)
    refresh(v);
  return result;
}
