//===- Repair.cpp - From too many bytes to a plan that fits ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. Some steps of a schedule are over the budget. Recompute until none
// is, at little extra cost.
//
// Idea. Look at the step with the most bytes. Every value that is alive there
// without being used could be dropped now and made again before its next use.
// With a price per byte and step over the budget, take the drop that lowers
// "cost + price * overflow" most; where none lowers it, raise the price. The
// overflow is summed over steps, not only the highest one: that tells a drop
// that helps over a long stretch from one that helps at a point.
//
// Example. Two steps are over by 4 bytes. x (4 bytes, cost 3) spans both, y (4
// bytes, cost 2) spans one: at price 1/2, x changes the sum by 3 - 4 = -1 and y
// by 2 - 2 = 0, so x is dropped.
//
// Cost. Per drop one look at all values and one scan of the steps of each.
//
// It only adds instances; `dropNeedless` takes away what turned out needless.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Repair.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::solver;

namespace {
struct Candidate {
  int value;
  int step;     ///< of its next use
  double score; ///< estimated change of cost + price * overflow
};

class Repair {
public:
  Repair(Sequence &sequence, const RepairOptions &options, WorkLimit &limit)
      : sequence(sequence), editor(sequence), options(options), limit(limit) {}
  bool run();

private:
  double firstPrice() const;
  void listCandidates(int step, double price);
  bool improveAt(int step, double price);
  int worstStepBefore(int64_t bytes, int64_t &found) const;
  std::vector<int> overflowingSteps() const;

  Sequence &sequence;
  SequenceEditor editor;
  const RepairOptions &options;
  WorkLimit &limit;
  std::vector<Candidate> candidates;
};
} // namespace

/// A price at which holding the whole overflow costs about as much as a
/// hundredth of all ops.
double Repair::firstPrice() const {
  if (options.firstPrice > 0)
    return options.firstPrice;
  double cost = std::max<double>(1, double(sequence.graph.totalCost));
  return 0.01 * cost / double(std::max<int64_t>(1, sequence.overflow()));
}

void Repair::listCandidates(int step, double price) {
  const RematGraph &graph = sequence.graph;
  candidates.clear();
  limit.spend(4 * graph.numValues());
  for (int v = 0; v < graph.numValues(); ++v) {
    if (graph.producer[v] < 0 || graph.bytes[v] == 0 ||
        graph.maxRuns[graph.producer[v]] < 2)
      continue;
    int next = sequence.nextEvent(v, step);
    if (next < 0 && graph.keep[v])
      next = sequence.size();
    else if (next <= step || sequence.op(next) == graph.producer[v])
      continue;
    int previous = sequence.previousEvent(v, step);
    if (previous < 0)
      continue;
    limit.spend(next - previous + 8);
    double gain = price * double(sequence.overflowOf(previous + 1, next,
                                                     -graph.bytes[v]));
    if (gain + graph.searchCost[graph.producer[v]] >= 0)
      continue;
    double score = gain + editor.regeneratePrice(v, next, price);
    if (score < 0)
      candidates.push_back({v, next, score});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return a.score != b.score ? a.score < b.score : a.value < b.value;
            });
}

bool Repair::improveAt(int step, double price) {
  int64_t workBefore = editor.work();
  listCandidates(step, price);
  bool improved = false;
  size_t tries = std::min<size_t>(candidates.size(), 12);
  for (size_t k = 0; k < tries && !improved; ++k) {
    const Candidate &candidate = candidates[k];
    if (editor.regenerate(candidate.value, candidate.step, price) < 0)
      continue;
    double change =
        editor.costChange() + price * double(editor.overflowChange());
    improved = change < 0 && editor.overflowChange() < 0;
    if (improved)
      editor.commit();
    else
      editor.rollback();
  }
  limit.spend(editor.work() - workBefore);
  return improved;
}

/// The local maxima over the budget, the highest first, a few at most.
std::vector<int> Repair::overflowingSteps() const {
  std::vector<int> steps;
  for (int t = 0; t < sequence.size(); ++t) {
    int64_t bytes = sequence.liveBytes(t);
    if (bytes > sequence.budget() &&
        (t == 0 || sequence.liveBytes(t - 1) < bytes) &&
        (t + 1 == sequence.size() || sequence.liveBytes(t + 1) <= bytes))
      steps.push_back(t);
  }
  std::stable_sort(steps.begin(), steps.end(), [&](int a, int b) {
    return sequence.liveBytes(a) > sequence.liveBytes(b);
  });
  if (steps.size() > 8)
    steps.resize(8);
  return steps;
}

bool Repair::run() {
  double price = firstPrice(), most = price * 1e15;
  while (sequence.overflow() > 0) {
    if (!limit.spend(2 * sequence.size()))
      return false;
    bool improved = false;
    for (int step : overflowingSteps())
      if (improveAt(step, price)) {
        improved = true;
        break;
      }
    if (improved)
      continue;
    price *= options.priceGrowth;
    if (price > most)
      return false;
  }
  return true;
}

bool solver::repairOverflow(Sequence &sequence, const RepairOptions &options,
                            WorkLimit &limit) {
  return Repair(sequence, options, limit).run();
}

void solver::dropNeedless(Sequence &sequence, WorkLimit &limit) {
  SequenceEditor editor(sequence);
  std::vector<int> nodes;
  for (int t = 0; t < sequence.size(); ++t)
    if (!sequence.isFirst(sequence.node(t)))
      nodes.push_back(sequence.node(t));
  std::stable_sort(nodes.begin(), nodes.end(), [&](int a, int b) {
    const RematGraph &graph = sequence.graph;
    return graph.searchCost[sequence.op(sequence.stepOf(a))] >
           graph.searchCost[sequence.op(sequence.stepOf(b))];
  });
  for (int node : nodes) {
    if (!sequence.isAlive(node) || sequence.isFirst(node))
      continue;
    if (!limit.spend(3 * sequence.size()))
      return;
    editor.dropGroup(node);
    if (editor.overflowChange() <= 0)
      editor.commit();
    else
      editor.rollback();
  }
}
