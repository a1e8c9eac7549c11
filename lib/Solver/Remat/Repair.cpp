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
  Repair(Sequence &sequence, SequenceEditor &editor,
         const RepairOptions &options, WorkLimit &limit)
      : sequence(sequence), editor(editor), options(options), limit(limit) {}
  bool run(double *lastPrice);

private:
  double firstPrice() const;
  void listCandidates(int step, double price);
  bool improveAt(int step, double price);
  std::vector<int> overflowingSteps() const;

  Sequence &sequence;
  SequenceEditor &editor;
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
  limit.spend(20 * graph.numValues());
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
    limit.spend(next - previous + 60);
    double gain = price * double(sequence.overflowOf(previous + 1, next,
                                                     -graph.bytes[v]));
    if (gain + graph.searchCost[graph.producer[v]] >= 0)
      continue;
    double score = gain + editor.regeneratePrice(v, next, price);
    if (score >= 0)
      continue;
    if (options.random) {
      double unit = double((*options.random)() >> 11) * 0x1p-53;
      score *= 1 + options.noise * (2 * unit - 1);
    }
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
    size_t mark = editor.mark();
    double extra = sequence.extraCost();
    int64_t overflow = sequence.overflow();
    if (editor.regenerate(candidate.value, candidate.step, price) < 0)
      continue;
    double change = sequence.extraCost() - extra +
                    price * double(sequence.overflow() - overflow);
    improved = change < 0 && sequence.overflow() < overflow;
    if (!improved)
      editor.rollbackTo(mark);
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

bool Repair::run(double *lastPrice) {
  double price = firstPrice(), most = price * 1e12;
  double growth = options.priceGrowth;
  while (sequence.overflow() > 0) {
    // Far more instances than ops: it runs in circles.
    if (!limit.spend(2 * sequence.size()) ||
        sequence.size() > 4 * sequence.graph.numOps() + 1000 ||
        sequence.extraCost() >= options.maxExtra)
      return false;
    bool improved = false;
    for (int step : overflowingSteps())
      if (improveAt(step, price)) {
        improved = true;
        break;
      }
    if (improved) {
      growth = options.priceGrowth;
      continue;
    }
    // Further and further steps where even the last one changed nothing.
    price *= growth;
    growth *= options.priceGrowth;
    if (price > most)
      return false;
  }
  if (lastPrice)
    *lastPrice = price;
  return sequence.extraCost() < options.maxExtra;
}

bool solver::repairOverflow(Sequence &sequence, SequenceEditor &editor,
                            const RepairOptions &options, WorkLimit &limit,
                            double *lastPrice) {
  return Repair(sequence, editor, options, limit).run(lastPrice);
}

void solver::dropNeedless(Sequence &sequence, SequenceEditor &editor,
                          WorkLimit &limit) {
  std::vector<int> nodes;
  for (int t = 0; t < sequence.size(); ++t)
    if (!sequence.isFirst(sequence.node(t)))
      nodes.push_back(sequence.node(t));
  auto costOf = [&](int node) {
    return sequence.graph.searchCost[sequence.op(sequence.stepOf(node))];
  };
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](int a, int b) { return costOf(a) > costOf(b); });
  for (int node : nodes) {
    if (!sequence.isAlive(node))
      continue;
    if (!limit.spend(3 * sequence.size()))
      return;
    size_t mark = editor.mark();
    int64_t overflow = sequence.overflow();
    editor.dropGroup(node);
    if (sequence.overflow() > overflow)
      editor.rollbackTo(mark);
  }
}
