//===- LocalSearch.cpp - Cheaper plans by small changes -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. A plan fits; find a cheaper one that fits.
//
// Idea. Take a few recomputed instances away, which puts some steps over the
// budget, and repair those with slightly disturbed scores; or move one
// instance to where an input would die; or recompute one more value and see
// what that makes needless. A change is kept when the plan gets cheaper, and
// sometimes, ever more rarely, when it gets a little dearer.
//
// Example. x is recomputed at cost 5. Without that, one step is over by 2
// bytes; recomputing y there costs 3. The plan is cheaper by 2.
//
// Cost. Some hundred microseconds per change for a thousand ops.
//
// It doesn't prove anything; the bounds do.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "LocalSearch.h"

#include "Repair.h"

#include <algorithm>
#include <cmath>

using namespace lowtide;
using namespace lowtide::solver;

namespace {
class LocalSearch {
public:
  LocalSearch(const RematGraph &graph, int64_t budgetBytes,
              const RematSchedule &schedule, const LocalSearchOptions &options,
              WorkLimit &limit)
      : graph(graph), sequence(graph, budgetBytes, schedule), editor(sequence),
        options(options), limit(limit), random(options.seed),
        price(options.firstPrice) {}

  RematSchedule run();

private:
  double uniform() { return double(random() >> 11) * 0x1p-53; }
  int below(int count) { return int(random() % uint64_t(count)); }
  int randomExtraNode();
  bool ruin();
  bool shift();
  bool evictOne();
  bool mend(double maxExtra);

  const RematGraph &graph;
  Sequence sequence;
  SequenceEditor editor;
  const LocalSearchOptions &options;
  WorkLimit &limit;
  std::mt19937_64 random;
  double price;
  double temperature = 0;
};
} // namespace

/// A recomputed instance, -1 when there is none.
int LocalSearch::randomExtraNode() {
  std::vector<int> extra;
  limit.spend(sequence.size());
  for (int t = 0; t < sequence.size(); ++t)
    if (!sequence.isFirst(sequence.node(t)))
      extra.push_back(sequence.node(t));
  return extra.empty() ? -1 : extra[below(int(extra.size()))];
}

/// Brings the sequence back into the budget below `maxExtra`.
bool LocalSearch::mend(double maxExtra) {
  RepairOptions repair;
  repair.random = &random;
  repair.noise = 0.3 * uniform();
  repair.maxExtra = maxExtra;
  if (price > 0)
    repair.firstPrice = price * std::exp(2 * uniform() - 1.5);
  double last = price;
  if (!repairOverflow(sequence, editor, repair, limit, &last))
    return false;
  price = price > 0 ? std::sqrt(price * last) : last;
  return true;
}

/// Takes one to three neighbouring recomputed instances away and mends.
bool LocalSearch::ruin() {
  int node = randomExtraNode();
  if (node < 0)
    return false;
  double before = sequence.extraCost();
  int step = sequence.stepOf(node);
  editor.dropGroup(node);
  for (int more = below(3); more > 0; --more) {
    int reach = 1 + sequence.size() / 8;
    int at = step - reach + below(2 * reach + 1);
    at = std::clamp(at, 0, sequence.size() - 1);
    while (at < sequence.size() && sequence.isFirst(sequence.node(at)))
      ++at;
    if (at < sequence.size())
      editor.dropGroup(sequence.node(at));
  }
  return mend(before + 4 * temperature + 1e-9 * before);
}

/// Moves a recomputed instance to just after an event of one of its inputs,
/// or to just before a use of its output.
bool LocalSearch::shift() {
  int node = randomExtraNode();
  if (node < 0)
    return false;
  int step = sequence.stepOf(node), op = sequence.op(step);
  std::vector<int> places;
  for (int u : graph.inputs(op))
    if (graph.producer[u] >= 0) {
      if (int at = sequence.previousEvent(u, step); at >= 0)
        places.push_back(at + 1);
      if (int at = sequence.nextEvent(u, step + 1); at >= 0)
        places.push_back(at);
    }
  for (int v : graph.outputs(op))
    if (int at = sequence.nextEvent(v, step + 1); at >= 0)
      places.push_back(at);
  if (places.empty())
    return false;
  int target = places[below(int(places.size()))];
  double before = sequence.extraCost();
  editor.erase(node);
  if (target > step)
    --target;
  if (!sequence.canInsert(op, target))
    return false;
  editor.insert(op, target);
  return mend(before + 4 * temperature + 1e-9 * before);
}

/// Recomputes one more value somewhere, so that others may become needless.
bool LocalSearch::evictOne() {
  int step = below(sequence.size());
  for (int tries = 0; tries < 32; ++tries) {
    int v = below(graph.numValues());
    int op = graph.producer[v];
    if (op < 0 || graph.bytes[v] == 0 || graph.maxRuns[op] < 2)
      continue;
    int next = sequence.nextEvent(v, step);
    if (next <= step || sequence.op(next) == op ||
        sequence.previousEvent(v, step) < 0)
      continue;
    double before = sequence.extraCost();
    if (editor.regenerate(v, next, price) < 0)
      continue;
    return mend(before + 4 * temperature + 4 * graph.searchCost[op]);
  }
  return false;
}

RematSchedule LocalSearch::run() {
  RematSchedule best = sequence.schedule();
  double bestExtra = sequence.extraCost();
  const int64_t start = limit.workDone();
  const int numExtra = std::max(1, sequence.size() - graph.numOps());
  const double hottest = 0.2 * bestExtra / numExtra;
  // Long without a better plan: the rest of the work would be wasted as well.
  const int64_t patience = (limit.capacity() - start) * 2 / 5;
  int64_t lastGain = start;
  while (!limit.isSpent() && bestExtra > options.enough &&
         limit.workDone() - lastGain < patience) {
    double progress = double(limit.workDone() - start) /
                      double(std::max<int64_t>(1, limit.capacity() - start));
    temperature = hottest * (1 - progress);
    editor.commit();
    double before = sequence.extraCost();
    int64_t workBefore = editor.work();
    double kind = uniform();
    bool fits = kind < 0.6 ? ruin() : kind < 0.8 ? shift() : evictOne();
    if (fits)
      dropNeedless(sequence, editor, limit);
    limit.spend(editor.work() - workBefore + sequence.size() + 1000);
    double change = sequence.extraCost() - before;
    if (!fits || sequence.overflow() > 0 ||
        (change > 0 &&
         (temperature <= 0 || uniform() >= std::exp(-change / temperature)))) {
      editor.rollback();
      continue;
    }
    editor.commit();
    if (sequence.extraCost() < bestExtra) {
      bestExtra = sequence.extraCost();
      best = sequence.schedule();
      lastGain = limit.workDone();
    }
  }
  return best;
}

RematSchedule solver::improvePlan(const RematGraph &graph, int64_t budgetBytes,
                                  const RematSchedule &schedule,
                                  const LocalSearchOptions &options,
                                  WorkLimit &limit) {
  return LocalSearch(graph, budgetBytes, schedule, options, limit).run();
}
