//===- FreeOrderSearch.cpp - Plans that may reorder ops -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. Where the order isn't given, a better order can save more than any
// recomputation.
//
// Idea. Simulated annealing on the sequence of instances. A move takes one
// instance somewhere else, adds a run before a place where its output is read
// far away, or takes a run away; the whole sequence is judged again, which for
// a few hundred ops takes some microseconds. Overflow is summed over the steps
// and priced; the price rises while the plan doesn't fit and falls while it
// does, so that the search walks along the border of the budget.
//
// Example. a, b, c(a), d(b) with a and b large: moving c before b lets a die
// early at no cost.
//
// Cost. O(steps + edges) per move; meant for problems up to a thousand ops.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "FreeOrderSearch.h"

#include "lowtide/Solver/Remat/Simulate.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace lowtide;
using namespace lowtide::solver;

namespace {
struct Score {
  bool isValid = false;
  double extra = 0;
  double overflow = 0;
};

class FreeOrderSearch {
public:
  FreeOrderSearch(const RematGraph &graph, int64_t budgetBytes,
                  const FreeOrderOptions &options, WorkLimit &limit)
      : graph(graph), budgetBytes(budgetBytes), options(options), limit(limit),
        random(options.seed), lastUse(graph.numValues()),
        start(graph.numValues()), runs(graph.numOps()), lastRun(graph.numOps()),
        firstRun(graph.numOps()) {}

  RematSchedule run(RematSchedule current);

private:
  double uniform() { return double(random() >> 11) * 0x1p-53; }
  int below(size_t count) { return int(random() % uint64_t(count)); }
  Score judge(const RematSchedule &schedule);
  int64_t saved(int step, int op) const;
  bool change(RematSchedule &schedule);
  void relocate(RematSchedule &schedule);

  const RematGraph &graph;
  int64_t budgetBytes;
  const FreeOrderOptions &options;
  WorkLimit &limit;
  std::mt19937_64 random;
  // Scratch of `judge`.
  std::vector<int> lastUse, start, runs, lastRun, firstRun;
  std::vector<int64_t> grow;
};
} // namespace

Score FreeOrderSearch::judge(const RematSchedule &schedule) {
  const int numSteps = int(schedule.size());
  Score score;
  std::fill(start.begin(), start.end(), -1);
  std::fill(runs.begin(), runs.end(), 0);
  grow.assign(numSteps + 2, 0);
  auto close = [&](int v) {
    grow[start[v]] += graph.bytes[v];
    grow[lastUse[v] + 1] -= graph.bytes[v];
    // An operand that dies in an op which may overwrite it.
    int at = lastUse[v];
    if (at > start[v] && at < numSteps)
      for (const InplacePair &pair : graph.inplace[schedule[at]])
        if (pair.input == v && graph.inplace[schedule[at]].size() == 1) {
          grow[at] -= pair.savedBytes;
          grow[at + 1] += pair.savedBytes;
        }
  };
  for (int t = 0; t < numSteps; ++t) {
    int op = schedule[t];
    if (++runs[op] > graph.maxRuns[op])
      return score;
    if (runs[op] == 1)
      firstRun[op] = t;
    else
      score.extra += graph.searchCost[op];
    lastRun[op] = t;
    for (int v : graph.inputs(op)) {
      if (graph.producer[v] < 0)
        continue;
      if (start[v] < 0)
        return score;
      lastUse[v] = t;
    }
    for (int v : graph.outputs(op)) {
      if (start[v] >= 0)
        close(v);
      start[v] = lastUse[v] = t;
    }
  }
  for (const RematAfter &edge : graph.problem->after)
    if (lastRun[edge.earlier] > firstRun[edge.later])
      return score;
  for (int v = 0; v < graph.numValues(); ++v)
    if (start[v] >= 0) {
      if (graph.keep[v])
        lastUse[v] = numSteps;
      close(v);
    }
  int64_t live = graph.problem->residentBytes;
  for (int t = 0; t < numSteps; ++t) {
    live += grow[t];
    score.overflow += double(std::max<int64_t>(
        0, live + graph.workspace[schedule[t]] - budgetBytes));
  }
  score.isValid = true;
  return score;
}

/// Takes one instance to another place between its neighbours in the graph.
void FreeOrderSearch::relocate(RematSchedule &schedule) {
  int from = below(schedule.size()), op = schedule[from];
  int low = from, high = from; // places it may go to
  auto makes = [&](int maker, int reader) {
    for (int v : graph.outputs(maker))
      for (int u : graph.inputs(reader))
        if (u == v)
          return true;
    return false;
  };
  int reach = uniform() < 0.5 ? 8 : int(schedule.size());
  while (low > 0 && from - low < reach && !makes(schedule[low - 1], op))
    --low;
  while (high + 1 < int(schedule.size()) && high - from < reach &&
         !makes(op, schedule[high + 1]))
    ++high;
  int to = low + below(size_t(high - low + 1));
  if (to < from)
    std::rotate(schedule.begin() + to, schedule.begin() + from,
                schedule.begin() + from + 1);
  else
    std::rotate(schedule.begin() + from, schedule.begin() + from + 1,
                schedule.begin() + to + 1);
}

/// One random move; false when it came to nothing.
bool FreeOrderSearch::change(RematSchedule &schedule) {
  double kind = uniform();
  if (!options.mayRecompute || kind < 0.7) {
    relocate(schedule);
    return true;
  }
  if (kind < 0.85) {
    int reader = below(schedule.size());
    const std::vector<int> &inputs = graph.inputs(schedule[reader]);
    if (inputs.empty())
      return false;
    int op = graph.producer[inputs[below(inputs.size())]];
    if (op < 0 || graph.maxRuns[op] < 2)
      return false;
    schedule.insert(schedule.begin() + reader, op);
    return true;
  }
  std::vector<int> count(graph.numOps(), 0), extra;
  for (int op : schedule)
    ++count[op];
  for (size_t t = 0; t < schedule.size(); ++t)
    if (count[schedule[t]] > 1)
      extra.push_back(int(t));
  if (extra.empty())
    return false;
  schedule.erase(schedule.begin() + extra[below(extra.size())]);
  return true;
}

RematSchedule FreeOrderSearch::run(RematSchedule current) {
  Score now = judge(current);
  RematSchedule best = current, trial;
  Score bestScore = now;
  auto isBetter = [](const Score &a, const Score &b) {
    bool aFits = a.overflow == 0, bFits = b.overflow == 0;
    if (aFits != bFits)
      return aFits;
    return aFits ? a.extra < b.extra : a.overflow < b.overflow;
  };
  const int64_t begin = limit.workDone();
  const double span = double(std::max<int64_t>(1, limit.capacity() - begin));
  const double meanCost = std::max(
      1.0, double(graph.totalCost) / double(std::max(1, graph.numOps())));
  double meanBytes = 1;
  for (int64_t bytes : graph.bytes)
    meanBytes += double(bytes) / double(std::max(1, graph.numValues()));
  double price = meanCost / meanBytes;
  const int64_t perMove = 8 * int64_t(graph.numOps()) + 200;
  while (limit.spend(perMove) &&
         !(bestScore.overflow == 0 && bestScore.extra <= options.enough)) {
    double progress = double(limit.workDone() - begin) / span;
    double temperature = 1.0 * meanCost * std::pow(1 - progress, 3) + 1e-9;
    trial = current;
    if (!change(trial))
      continue;
    Score next = judge(trial);
    if (!next.isValid)
      continue;
    double delta =
        next.extra - now.extra + price * (next.overflow - now.overflow);
    if (delta > 0 && uniform() >= std::exp(-delta / temperature))
      continue;
    current.swap(trial);
    now = next;
    price *= now.overflow > 0 ? 1.0005 : 0.9995;
    price = std::clamp(price, 0.01 * meanCost / meanBytes,
                       100 * meanCost / meanBytes);
    if (isBetter(now, bestScore)) {
      bestScore = now;
      best = current;
    }
  }
  return best;
}

RematSchedule solver::searchFreeOrder(const RematGraph &graph,
                                      int64_t budgetBytes,
                                      const RematSchedule &start,
                                      const FreeOrderOptions &options,
                                      WorkLimit &limit) {
  return FreeOrderSearch(graph, budgetBytes, options, limit).run(start);
}

std::vector<int> solver::findLeanOrder(const RematGraph &graph, uint64_t seed,
                                       WorkLimit &limit) {
  std::vector<int> best = graph.order;
  auto peakOf = [&](const std::vector<int> &order) {
    auto simulation = simulate(graph, order);
    if (simulation)
      return simulation->peakBytes;
    llvm::consumeError(simulation.takeError());
    return INT64_MAX;
  };
  int64_t peak = peakOf(best);
  FreeOrderOptions options;
  options.mayRecompute = false;
  const int64_t share = limit.left() / 8;
  for (int round = 0, failures = 0; failures < 3 && !limit.isSpent(); ++round) {
    options.seed = seed + uint64_t(round);
    double step = failures == 0 ? 0.04 : 0.01;
    WorkLimit part(limit.clock(), share);
    std::vector<int> other = searchFreeOrder(
        graph, int64_t(double(peak) * (1 - step)), best, options, part);
    limit.spend(part.workDone());
    int64_t otherPeak = peakOf(other);
    if (otherPeak < peak) {
      best = std::move(other);
      peak = otherPeak;
    } else {
      ++failures;
    }
  }
  return best;
}
