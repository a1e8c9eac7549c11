//===- BruteForce.cpp - The truth about tiny problems ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "BruteForce.h"

#include <algorithm>

using namespace lowtide::solver;

static constexpr int64_t never = INT64_MAX / 4;

/// Bytes while `op` runs, values of `before` alive, those of `after` kept.
static int64_t bytesWhile(const RematProblem &problem, int op, unsigned before,
                          unsigned after) {
  int64_t bytes = problem.residentBytes + problem.ops[op].workspaceBytes;
  unsigned made = 0;
  for (int v : problem.ops[op].outputs)
    made |= 1u << v;
  for (size_t v = 0; v < problem.values.size(); ++v)
    if ((before | made) >> v & 1)
      bytes += problem.values[v].bytes;
  // At most one pair per op is drawn.
  for (const RematInplace &pair : problem.inplace)
    if (pair.op == op && !(after >> pair.input & 1))
      bytes -= std::min(problem.values[pair.input].bytes,
                        problem.values[pair.output].bytes);
  return bytes;
}

std::optional<int64_t> test::leastCost(const RematProblem &problem,
                                       int64_t budgetBytes, bool fixedOrder) {
  const int numOps = int(problem.ops.size());
  const unsigned numDone = 1u << numOps, numAlive = 1u << problem.values.size();
  std::vector<int64_t> cost(size_t(numDone) * numAlive, never);
  cost[0] = 0;
  auto mayRun = [&](unsigned done, unsigned alive, int op) {
    for (int v : problem.ops[op].inputs)
      if (!(alive >> v & 1))
        return false;
    for (const RematAfter &edge : problem.after) {
      if (edge.later == op && !(done >> edge.earlier & 1))
        return false;
      if (edge.earlier == op && (done >> edge.later & 1))
        return false;
    }
    if (done >> op & 1)
      return problem.ops[op].recomputable;
    if (fixedOrder)
      for (int other : problem.order) {
        if (other == op)
          break;
        if (!(done >> other & 1))
          return false;
      }
    return true;
  };
  // `done` never shrinks, so one pass over it with inner rounds is enough.
  for (unsigned done = 0; done < numDone; ++done)
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned alive = 0; alive < numAlive; ++alive) {
        int64_t here = cost[size_t(done) * numAlive + alive];
        if (here >= never)
          continue;
        for (int op = 0; op < numOps; ++op) {
          if (!mayRun(done, alive, op))
            continue;
          unsigned most = alive, next = done | 1u << op;
          for (int v : problem.ops[op].outputs)
            most |= 1u << v;
          for (unsigned kept = most;; kept = (kept - 1) & most) {
            int64_t &there = cost[size_t(next) * numAlive + kept];
            if (here + problem.ops[op].cost < there &&
                bytesWhile(problem, op, alive, kept) <= budgetBytes) {
              there = here + problem.ops[op].cost;
              changed |= next == done;
            }
            if (kept == 0)
              break;
          }
        }
      }
    }
  unsigned keep = 0;
  for (int v : problem.keep)
    keep |= 1u << v;
  int64_t best = never;
  for (unsigned alive = 0; alive < numAlive; ++alive)
    if ((alive & keep) == keep)
      best = std::min(best, cost[size_t(numDone - 1) * numAlive + alive]);
  return best < never ? std::optional(best) : std::nullopt;
}

RematProblem test::drawProblem(int numOps, uint32_t edges, std::mt19937 &random,
                               bool withExtras) {
  RematProblem problem;
  auto below = [&](int count) { return int(random() % unsigned(count)); };
  for (int i = 0; i < numOps; ++i) {
    RematOp op;
    op.cost = below(10);
    op.workspaceBytes = below(3) == 0 ? below(4) : 0;
    op.recomputable = !withExtras || below(5) > 0;
    op.outputs.push_back(problem.addValue("v", 1 + below(9)));
    problem.order.push_back(problem.addOp(std::move(op)));
  }
  int bit = 0;
  for (int j = 1; j < numOps; ++j)
    for (int i = 0; i < j; ++i, ++bit)
      if (edges >> bit & 1)
        problem.ops[j].inputs.push_back(i);
  if (!withExtras)
    return problem;
  problem.residentBytes = below(3);
  if (below(3) == 0)
    problem.keep.push_back(below(numOps));
  for (int j = 0; j < numOps; ++j)
    if (!problem.ops[j].inputs.empty() && below(2))
      problem.inplace.push_back(
          {j, problem.ops[j].inputs[below(int(problem.ops[j].inputs.size()))],
           j});
  if (numOps > 1 && below(2)) {
    int later = 1 + below(numOps - 1);
    problem.after.push_back({below(later), later});
  }
  return problem;
}
