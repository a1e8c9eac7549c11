//===- RematGraph.cpp - A problem, prepared for solvers -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/RematGraph.h"

#include "lowtide/Support/Bytes.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::solver;

static double searchWeight(RematPolicy policy) {
  switch (policy) {
  case RematPolicy::Recompute:
    return 0;
  case RematPolicy::PreferSave:
    return 4;
  case RematPolicy::PreferRecompute:
    return 0.25;
  case RematPolicy::None:
  case RematPolicy::Save:
    break;
  }
  return 1;
}

RematGraph::RematGraph(const RematProblem &p)
    : problem(&p), producer(p.values.size(), -1), baseOf(p.values.size(), -1),
      bytes(p.values.size()), workspace(p.ops.size()), users(p.values.size()),
      position(p.ops.size()), order(p.order), keep(p.values.size(), false),
      maxRuns(p.ops.size(), INT_MAX), deadline(p.ops.size(), INT_MAX),
      later(p.ops.size()), inplace(p.ops.size()), searchCost(p.ops.size()) {
  for (const RematView &view : p.views)
    baseOf[view.view] = view.base;
  for (size_t v = 0; v < p.values.size(); ++v)
    bytes[v] = baseOf[v] >= 0 ? 0 : alignTo(p.values[v].bytes, p.alignment);
  for (size_t t = 0; t < order.size(); ++t)
    position[order[t]] = int(t);
  for (int i : order) {
    const RematOp &op = p.ops[i];
    workspace[i] = alignTo(op.workspaceBytes, p.alignment);
    for (int v : op.outputs)
      producer[v] = i;
    for (int v : op.inputs)
      users[v].push_back(i);
    if (op.maxRuns > 0)
      maxRuns[i] = op.maxRuns;
    if (!op.recomputable || op.policy == RematPolicy::Save)
      maxRuns[i] = 1;
    totalCost += op.cost;
    searchCost[i] = double(op.cost) * searchWeight(op.policy);
  }
  for (int v : p.keep)
    keep[v] = true;
  for (const RematAfter &edge : p.after) {
    later[edge.earlier].push_back(edge.later);
    deadline[edge.earlier] =
        std::min(deadline[edge.earlier], position[edge.later]);
  }
  for (const RematInplace &pair : p.inplace) {
    int root = pair.input;
    while (baseOf[root] >= 0)
      root = baseOf[root];
    // Always-resident operands are not counted, so sharing saves nothing.
    if (producer[root] < 0 || baseOf[pair.output] >= 0)
      continue;
    inplace[pair.op].push_back(
        {pair.input, pair.output, std::min(bytes[root], bytes[pair.output])});
  }
  for (auto &pairs : inplace)
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const InplacePair &a, const InplacePair &b) {
                       return a.savedBytes > b.savedBytes;
                     });
}

int64_t RematGraph::workingSetBytes(int op) const {
  int64_t total = workspace[op];
  std::vector<int> roots;
  for (int v : inputs(op)) {
    int root = v;
    while (baseOf[root] >= 0)
      root = baseOf[root];
    if (std::find(roots.begin(), roots.end(), root) != roots.end())
      continue;
    roots.push_back(root);
    if (producer[root] >= 0)
      total += bytes[root];
  }
  for (int v : outputs(op))
    total += bytes[v];
  std::vector<int> used;
  auto isUsed = [&](int v) {
    return std::find(used.begin(), used.end(), v) != used.end();
  };
  for (const InplacePair &pair : inplace[op]) {
    int root = pair.input;
    while (baseOf[root] >= 0)
      root = baseOf[root];
    if (isUsed(root) || isUsed(pair.output))
      continue;
    used.push_back(root);
    used.push_back(pair.output);
    total -= pair.savedBytes;
  }
  return total;
}
