//===- SmallDags.cpp - All small problems, and brute force ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "SmallDags.h"

#include "lowtide/Solver/Remat/Simulate.h"

#include <random>

using namespace lowtide;
using namespace lowtide::solver;

static void addFeatures(RematProblem &p, std::mt19937_64 &random) {
  int numOps = int(p.ops.size());
  p.residentBytes = int64_t(random() % 3);
  p.alignment = 1 + int64_t(random() % 2) * 3;
  for (int i = 0; i < numOps; ++i) {
    RematOp &op = p.ops[i];
    int main = op.outputs.front();
    if (random() % 5 == 0)
      p.keep.push_back(main);
    if (random() % 4 == 0)
      p.ops[i].outputs.push_back(p.addValue("", 1 + int64_t(random() % 6)));
    if (p.ops[i].inputs.empty())
      continue;
    int input = p.ops[i].inputs[random() % p.ops[i].inputs.size()];
    uint64_t choice = random() % 4;
    if (choice == 0)
      p.views.push_back({main, input});
    else if (choice == 1)
      p.inplace.push_back({i, input, main});
    if (random() % 4 == 0 && i > 0)
      p.after.push_back({int(random() % i), i});
  }
}

RematProblem test::makeSmallDag(int numOps, uint64_t edges, uint64_t seed,
                                DagFeatures features) {
  std::mt19937_64 random(seed * 1000003 + edges * 31 + uint64_t(numOps));
  RematProblem p;
  for (int i = 0; i < numOps; ++i) {
    RematOp op;
    op.cost = 1;
    op.workspaceBytes = random() % 3 ? 0 : int64_t(random() % 5);
    for (int j = 0; j < i; ++j)
      if (edges >> (i * (i - 1) / 2 + j) & 1)
        op.inputs.push_back(p.ops[j].outputs.front());
    op.outputs = {p.addValue("", 1 + int64_t(random() % 9))};
    p.addOp(std::move(op));
    p.order.push_back(i);
  }
  if (features == DagFeatures::All)
    addFeatures(p, random);
  return p;
}

namespace {
/// Walks all topological orders.
class Force {
public:
  explicit Force(const RematProblem &problem) : problem(problem) {
    producer.assign(problem.values.size(), -1);
    for (size_t i = 0; i < problem.ops.size(); ++i)
      for (int v : problem.ops[i].outputs)
        producer[v] = int(i);
  }

  int64_t run() {
    extend();
    return best;
  }

private:
  bool mayRun(int op) const {
    for (int v : problem.ops[op].inputs)
      if (producer[v] >= 0 && !(placed >> producer[v] & 1))
        return false;
    for (const RematAfter &edge : problem.after)
      if (edge.later == op && !(placed >> edge.earlier & 1))
        return false;
    return true;
  }

  void extend() {
    if (sequence.size() == problem.ops.size()) {
      best =
          std::min(best, llvm::cantFail(simulate(problem, sequence)).peakBytes);
      return;
    }
    for (int op = 0; op < int(problem.ops.size()); ++op) {
      if (placed >> op & 1 || !mayRun(op))
        continue;
      placed |= 1u << op;
      sequence.push_back(op);
      extend();
      sequence.pop_back();
      placed &= ~(1u << op);
    }
  }

  const RematProblem &problem;
  std::vector<int> producer;
  RematSchedule sequence;
  unsigned placed = 0;
  int64_t best = INT64_MAX;
};
} // namespace

int64_t test::leastPeakByForce(const RematProblem &problem) {
  return Force(problem).run();
}
