//===- VerifyPlan.cpp - A second opinion on every plan --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. Judge a schedule without trusting the simulator.
//
// Idea. Works from the problem alone, value by value: list the steps that make
// it and the steps that read it, cut the list into copies, then walk over the
// steps with the set of copies that are alive. Nothing is shared with
// Simulate.cpp or RematGraph.cpp, so a mistake would have to be made twice.
//
// Example. made at {0, 2}, read at {1, 3}: copies [0, 1] and [2, 3].
//
// Cost. O(events log events). It finds the first defect only.
//
// Tested by test/unit/Solver/SimulateTest.cpp (mutated plans are refused).
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/Simulate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <map>
#include <set>

using namespace lowtide;
using namespace lowtide::solver;
using llvm::Twine;

namespace {
struct Life {
  int made;
  int last;
};

class PlanJudge {
public:
  PlanJudge(const RematProblem &problem, const RematSchedule &schedule)
      : problem(problem), schedule(schedule), lives(problem.values.size()) {}

  llvm::Error checkRuns(SimulateOptions options) const;
  llvm::Error listLives();
  int64_t peak() const;
  int64_t cost() const;

private:
  int lifeAt(int value, int step) const;
  void extend(int value, int life, int step);
  int64_t rounded(int64_t bytes) const {
    int64_t rest = bytes % problem.alignment;
    return rest == 0 ? bytes : bytes - rest + problem.alignment;
  }
  int64_t shared(int step) const;

  const RematProblem &problem;
  const RematSchedule &schedule;
  std::vector<std::vector<Life>> lives; ///< per value, by step
  std::map<int, int> base;              ///< view -> base
  std::map<int, std::vector<RematInplace>> pairs;
};
} // namespace

static llvm::Error wrong(const Twine &text) {
  return llvm::createStringError(text);
}

llvm::Error PlanJudge::checkRuns(SimulateOptions options) const {
  std::vector<std::vector<int>> steps(problem.ops.size());
  std::vector<int> firsts;
  for (size_t t = 0; t < schedule.size(); ++t) {
    int op = schedule[t];
    if (op < 0 || size_t(op) >= problem.ops.size())
      return wrong("step " + Twine(t) + " runs an unknown op");
    if (steps[op].empty())
      firsts.push_back(op);
    steps[op].push_back(int(t));
  }
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    const RematOp &op = problem.ops[i];
    size_t most = op.maxRuns > 0 ? size_t(op.maxRuns) : schedule.size();
    if (!op.recomputable || op.policy == RematPolicy::Save)
      most = 1;
    if (steps[i].empty() || steps[i].size() > most)
      return wrong("op " + Twine(problem.opId(int(i))) + " runs " +
                   Twine(steps[i].size()) + " times");
  }
  for (const RematAfter &edge : problem.after)
    if (steps[edge.earlier].back() > steps[edge.later].front())
      return wrong("op " + Twine(problem.opId(edge.earlier)) +
                   " runs after op " + Twine(problem.opId(edge.later)));
  if (options.fixedOrder && firsts != problem.order)
    return wrong("first runs are not in the order of the problem");
  return llvm::Error::success();
}

/// The newest life of `value` made before `step`, -1 when there is none.
int PlanJudge::lifeAt(int value, int step) const {
  auto after =
      std::partition_point(lives[value].begin(), lives[value].end(),
                           [&](const Life &life) { return life.made < step; });
  return int(after - lives[value].begin()) - 1;
}

/// A use at `step` keeps this life and, for a view, what it was made from.
void PlanJudge::extend(int value, int life, int step) {
  while (life >= 0) {
    Life &one = lives[value][life];
    one.last = std::max(one.last, step);
    auto found = base.find(value);
    if (found == base.end())
      return;
    value = found->second;
    life = lifeAt(value, one.made);
  }
}

llvm::Error PlanJudge::listLives() {
  const int numSteps = int(schedule.size());
  std::vector<bool> hasProducer(problem.values.size(), false);
  for (const RematOp &op : problem.ops)
    for (int v : op.outputs)
      hasProducer[v] = true;
  for (const RematView &view : problem.views)
    base[view.view] = view.base;
  for (const RematInplace &pair : problem.inplace)
    pairs[pair.op].push_back(pair);

  for (int t = 0; t < numSteps; ++t)
    for (int v : problem.ops[schedule[t]].outputs)
      lives[v].push_back({t, t});
  for (int t = 0; t < numSteps; ++t)
    for (int v : problem.ops[schedule[t]].inputs) {
      if (!hasProducer[v])
        continue;
      int life = lifeAt(v, t);
      if (life < 0)
        return wrong("step " + Twine(t) + " reads value " +
                     Twine(problem.valueId(v)) + ", which isn't made yet");
      extend(v, life, t);
    }
  for (int v : problem.keep)
    if (!lives[v].empty())
      extend(v, int(lives[v].size()) - 1, numSteps);
  return llvm::Error::success();
}

/// Bytes counted once because the op at `step` writes into a dying operand.
int64_t PlanJudge::shared(int step) const {
  auto found = pairs.find(schedule[step]);
  if (found == pairs.end())
    return 0;
  struct Option {
    int64_t bytes;
    int storage, output;
  };
  std::vector<Option> options;
  for (const RematInplace &pair : found->second) {
    int value = pair.input, life = lifeAt(value, step);
    for (auto it = base.find(value); life >= 0 && it != base.end();
         it = base.find(value)) {
      int made = lives[value][life].made;
      value = it->second;
      life = lifeAt(value, made);
    }
    if (life < 0 || lives[value][life].last != step || base.count(pair.output))
      continue;
    options.push_back({std::min(rounded(problem.values[value].bytes),
                                rounded(problem.values[pair.output].bytes)),
                       value, pair.output});
  }
  llvm::stable_sort(options, [](const Option &a, const Option &b) {
    return a.bytes > b.bytes;
  });
  int64_t total = 0;
  std::set<int> storages, outputs;
  for (const Option &option : options) {
    if (storages.count(option.storage) || outputs.count(option.output))
      continue;
    storages.insert(option.storage);
    outputs.insert(option.output);
    total += option.bytes;
  }
  return total;
}

int64_t PlanJudge::peak() const {
  const int numSteps = int(schedule.size());
  std::vector<std::vector<int>> dying(numSteps + 1);
  for (size_t v = 0; v < lives.size(); ++v)
    for (const Life &life : lives[v])
      dying[life.last].push_back(int(v));
  int64_t live = problem.residentBytes, most = live;
  auto size = [&](int v) {
    return base.count(v) ? 0 : rounded(problem.values[v].bytes);
  };
  for (int t = 0; t < numSteps; ++t) {
    const RematOp &op = problem.ops[schedule[t]];
    for (int v : op.outputs)
      live += size(v);
    most = std::max(most, live + rounded(op.workspaceBytes) - shared(t));
    for (int v : dying[t])
      live -= size(v);
  }
  return most;
}

int64_t PlanJudge::cost() const {
  int64_t total = 0;
  for (int op : schedule)
    total += problem.ops[op].cost;
  return total;
}

llvm::Error solver::verifyPlan(const RematProblem &problem,
                               const RematSchedule &schedule,
                               const PlanClaim &claim,
                               SimulateOptions options) {
  PlanJudge judge(problem, schedule);
  if (llvm::Error error = judge.checkRuns(options))
    return error;
  if (llvm::Error error = judge.listLives())
    return error;
  if (judge.peak() != claim.peakBytes)
    return wrong("the plan claims a peak of " + Twine(claim.peakBytes) +
                 " bytes but reaches " + Twine(judge.peak()));
  if (judge.cost() != claim.cost)
    return wrong("the plan claims a cost of " + Twine(claim.cost) +
                 " but costs " + Twine(judge.cost()));
  return llvm::Error::success();
}
