//===- SeriesParallel.cpp - Orders of series-parallel graphs --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: the order with the least peak when the ops form a series-parallel
// partial order and every op changes the live bytes by a known amount.
//
// Idea: cut the ops into parts that run one after the other, those into
// independent parts, and so on. Independent parts, each in its best order, are
// merged by segments: first those that end no higher than they began, the
// smallest climb first; then those that end higher, the steepest descent
// first, which is the same rule read backwards. Segments of one part that
// would change places are glued together.
//
// Example: part A climbs by 9 and leaves 1, part B climbs by 5 and leaves 3.
// Read backwards A climbs 8 and B climbs 2, so B is last and A first: peak 9
// (1 + 5 is less); the other way round it is 3 + 9.
//
// Complexity: O(n^2) bit tests for each level of nesting, cut off by a count.
// Where the last user of a value depends on the order (a fork that nobody
// joins), the result is a good order without a proof.
//
// Reference: Abdel-Wahab and Kameda, "Scheduling to minimize maximum
// cumulative cost subject to series-parallel precedence constraints" (1978).
//
// Tested by test/unit/Solver/Schedule/OrderOpsTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "SeriesParallel.h"

#include <algorithm>
#include <numeric>

using namespace lowtide::solver;

namespace {
/// What an op does to the live bytes: up while it runs, then by `net`.
struct Effect {
  int64_t up = 0, net = 0;
};

/// Ops that are placed together: they climb by `hill` and leave `net`.
struct Run {
  int64_t hill, net;
  std::vector<int> ops;
};

class Composer {
public:
  Composer(const OrderGraph &graph, const Reachability &reach,
           llvm::ArrayRef<int> order);

  SeriesParallelOrder run();

private:
  std::vector<int> compose(std::vector<int> ops);
  std::vector<std::vector<int>> splitSeries(const std::vector<int> &ops);
  std::vector<std::vector<int>> splitParallel(const std::vector<int> &ops);
  std::vector<int> merge(const std::vector<std::vector<int>> &parts);
  void cutIntoRuns(const std::vector<int> &ops, std::vector<Run> &falling,
                   std::vector<Run> &rising);
  int lastUser(const OrderGraph::Storage &storage);

  const OrderGraph &graph;
  const Reachability &reach;
  std::vector<int> position; ///< per op
  std::vector<int> order;
  std::vector<Effect> effects;
  std::vector<int> partOf; ///< scratch, per op
  uint64_t work = 0;
  bool isExact = true;
};
} // namespace

/// Bit tests after which parts stay as they are.
static constexpr uint64_t kMostWork = 100000000;

Composer::Composer(const OrderGraph &graph, const Reachability &reach,
                   llvm::ArrayRef<int> order)
    : graph(graph), reach(reach), position(graph.numOps),
      order(order.begin(), order.end()), effects(graph.numOps),
      partOf(graph.numOps, -1) {
  for (size_t t = 0; t < order.size(); ++t)
    position[order[t]] = int(t);
  std::vector<int> ender(graph.storages.size(), -1);
  for (size_t s = 0; s < graph.storages.size(); ++s) {
    const OrderGraph::Storage &storage = graph.storages[s];
    int producer = storage.starts.front();
    effects[producer].up += storage.bytes;
    effects[producer].net += storage.bytes;
    if (storage.neverEnds)
      continue;
    ender[s] = lastUser(storage);
    effects[ender[s]].net -= storage.bytes;
  }
  for (int op = 0; op < graph.numOps; ++op) {
    effects[op].up += graph.workspace[op];
    llvm::SmallVector<int, 4> used;
    for (const OrderGraph::Donation &d : graph.donations[op])
      if (ender[d.input] == op && !llvm::is_contained(used, d.input) &&
          !llvm::is_contained(used, d.output)) {
        used.push_back(d.input);
        used.push_back(d.output);
        effects[op].up -= d.savedBytes;
      }
  }
}

int Composer::lastUser(const OrderGraph::Storage &storage) {
  int last = storage.ends.front();
  for (int user : storage.ends)
    if (position[user] > position[last])
      last = user;
  for (int user : storage.ends)
    isExact &= user == last || reach.isBefore(user, last);
  return last;
}

SeriesParallelOrder Composer::run() {
  SeriesParallelOrder result;
  result.order = compose(order);
  result.isOptimal = isExact;
  return result;
}

/// Parts such that all ops of one precede all ops of the next.
std::vector<std::vector<int>>
Composer::splitSeries(const std::vector<int> &ops) {
  int n = int(ops.size());
  // How many of the first ops all precede ops[i].
  std::vector<int> prefix(n + 1, n);
  for (int i = n - 1; i >= 0; --i) {
    int k = 0, most = std::min(i, prefix[i + 1]);
    while (k < most && reach.isBefore(ops[k], ops[i]))
      ++k;
    work += k + 1;
    prefix[i] = k < most ? k : std::min(i, prefix[i + 1]);
    if (prefix[i] > prefix[i + 1])
      prefix[i] = prefix[i + 1];
  }
  std::vector<std::vector<int>> parts;
  for (int i = 0; i < n; ++i) {
    // A cut before i: all ops from i on come after all ops before i.
    if (i == 0 || prefix[i] == i)
      parts.emplace_back();
    parts.back().push_back(ops[i]);
  }
  return parts;
}

/// Parts without edges between them.
std::vector<std::vector<int>>
Composer::splitParallel(const std::vector<int> &ops) {
  std::vector<int> parent(ops.size());
  std::iota(parent.begin(), parent.end(), 0);
  auto find = [&](int i) {
    while (parent[i] != i)
      i = parent[i] = parent[parent[i]];
    return i;
  };
  for (size_t i = 0; i < ops.size(); ++i)
    partOf[ops[i]] = int(i);
  for (size_t i = 0; i < ops.size(); ++i)
    for (int later : graph.next[ops[i]])
      if (partOf[later] >= 0)
        parent[find(int(i))] = find(partOf[later]);
  work += ops.size() * 4;
  std::vector<int> partAt(ops.size(), -1);
  std::vector<std::vector<int>> parts;
  for (size_t i = 0; i < ops.size(); ++i) {
    int &part = partAt[find(int(i))];
    if (part < 0) {
      part = int(parts.size());
      parts.emplace_back();
    }
    parts[part].push_back(ops[i]);
  }
  for (int op : ops)
    partOf[op] = -1;
  return parts;
}

std::vector<int> Composer::compose(std::vector<int> ops) {
  if (ops.size() == 1)
    return ops;
  if (work > kMostWork) {
    isExact = false;
    return ops;
  }
  std::vector<std::vector<int>> parts = splitSeries(ops);
  if (parts.size() > 1) {
    std::vector<int> all;
    for (std::vector<int> &part : parts) {
      std::vector<int> inner = compose(std::move(part));
      all.insert(all.end(), inner.begin(), inner.end());
    }
    return all;
  }
  parts = splitParallel(ops);
  if (parts.size() == 1) {
    isExact = false;
    return ops;
  }
  for (std::vector<int> &part : parts)
    part = compose(std::move(part));
  return merge(parts);
}

/// Glues a run to the one before it while their climbs would change places.
static void push(std::vector<Run> &runs, Run run) {
  while (!runs.empty() && runs.back().hill >= run.hill) {
    Run &last = runs.back();
    run.hill = std::max(last.hill, last.net + run.hill);
    run.net += last.net;
    last.ops.insert(last.ops.end(), run.ops.begin(), run.ops.end());
    run.ops = std::move(last.ops);
    runs.pop_back();
  }
  runs.push_back(std::move(run));
}

/// Up to the lowest point the runs fall; behind it, read backwards, too.
void Composer::cutIntoRuns(const std::vector<int> &ops,
                           std::vector<Run> &falling,
                           std::vector<Run> &rising) {
  int64_t level = 0, lowest = 0;
  size_t bottom = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    level += effects[ops[i]].net;
    if (level <= lowest) {
      lowest = level;
      bottom = i + 1;
    }
  }
  Run run{INT64_MIN, 0, {}};
  for (size_t i = 0; i < bottom; ++i) {
    const Effect &e = effects[ops[i]];
    run.hill = std::max(run.hill, run.net + e.up);
    run.net += e.net;
    run.ops.push_back(ops[i]);
    if (run.net <= 0) {
      push(falling, std::move(run));
      run = {INT64_MIN, 0, {}};
    }
  }
  for (size_t i = ops.size(); i > bottom; --i) {
    const Effect &e = effects[ops[i - 1]];
    run.hill = std::max(run.hill, run.net + e.up - e.net);
    run.net -= e.net;
    run.ops.push_back(ops[i - 1]);
    if (run.net <= 0) {
      push(rising, std::move(run));
      run = {INT64_MIN, 0, {}};
    }
  }
}

std::vector<int> Composer::merge(const std::vector<std::vector<int>> &parts) {
  std::vector<Run> falling, rising;
  for (const std::vector<int> &part : parts) {
    std::vector<Run> down, up;
    cutIntoRuns(part, down, up);
    std::move(down.begin(), down.end(), std::back_inserter(falling));
    std::move(up.begin(), up.end(), std::back_inserter(rising));
  }
  auto byHill = [](const Run &a, const Run &b) { return a.hill < b.hill; };
  std::stable_sort(falling.begin(), falling.end(), byHill);
  std::stable_sort(rising.begin(), rising.end(), byHill);
  std::vector<int> order, backwards;
  for (const Run &run : falling)
    order.insert(order.end(), run.ops.begin(), run.ops.end());
  for (const Run &run : rising)
    backwards.insert(backwards.end(), run.ops.begin(), run.ops.end());
  order.insert(order.end(), backwards.rbegin(), backwards.rend());
  return order;
}

SeriesParallelOrder
lowtide::solver::orderSeriesParallel(const OrderGraph &graph,
                                     const Reachability &reach,
                                     llvm::ArrayRef<int> order) {
  return Composer(graph, reach, order).run();
}
