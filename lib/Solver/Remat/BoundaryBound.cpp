//===- BoundaryBound.cpp - Least extra cost seen from one step ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. Op k runs for the first time. Every value v of an earlier op that
// is wanted afterwards (a_v = 1) is resident now, or its op p runs again later
// (r_p = 1) and then wants all its inputs too. The resident ones must fit
// beside the working set of k. What is the least cost of reruns?
//
// Idea. Let r_p <= a_v for the outputs v and r_p <= a_u for the inputs u of p,
// and charge bytes for a_v - r_p. Then every constraint but the budget has the
// form "x implies y", so with a price on the bytes the problem is a minimum
// closure, that is, a minimum cut; the best price is found by cutting the
// lower envelope of lines (Newton). Writing kept and recomputed as two
// variables with "one of them" instead would not be a closure.
//
// Example. x (3 bytes, cost 2) and y (2 bytes, cost 5) are both read after k
// and 3 bytes are free. Price 0 keeps 5 bytes at cost 0, a high price keeps
// none at cost 7; they meet at price 7/5, where dropping only x is cheaper:
// 2 bytes at cost 2. The line through (5, 0) and (2, 2) gives price 2/3 and
// the bound 2/3 * (5 - 3), rounded up 2: the choice is optimal.
//
// Cost. One cut per price, about five prices. Values that later ops surely
// read are constants, so the network has only paths source, op, value, sink.
//
// It doesn't see the steps before and after k: a choice that fits at k may
// overflow elsewhere.
//
// Reference. Picard, Maximal closure of a graph, 1976, for closures as cuts.
//
// Tested by test/unit/Solver/BoundaryBoundTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/BoundaryBound.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace lowtide::solver;

BoundaryProblem::BoundaryProblem(const RematGraph &graph, int position,
                                 BoundaryOptions options)
    : graph(graph), where(position), options(options) {
  classify();
  collect();
  buildNetwork();
}

/// Which ops surely run before and after op k.
void BoundaryProblem::classify() {
  const int numOps = graph.numOps(), k = graph.order[where];
  isPast.assign(numOps, 0);
  isFuture.assign(numOps, 0);
  if (!options.freeOrder) {
    for (int t = 0; t < numOps; ++t)
      (t < where ? isPast : isFuture)[graph.order[t]] = t != where;
    return;
  }
  std::vector<std::vector<int>> before(numOps), behind(numOps);
  for (const RematAfter &edge : graph.problem->after) {
    before[edge.later].push_back(edge.earlier);
    behind[edge.earlier].push_back(edge.later);
  }
  isPast[k] = isFuture[k] = 1;
  for (int t = where; t >= 0; --t) {
    int op = graph.order[t];
    if (!isPast[op])
      continue;
    for (int v : graph.inputs(op))
      if (graph.producer[v] >= 0)
        isPast[graph.producer[v]] = 1;
    for (int other : before[op])
      isPast[other] = 1;
  }
  for (int t = where; t < numOps; ++t) {
    int op = graph.order[t];
    if (!isFuture[op])
      continue;
    for (int v : graph.outputs(op))
      for (int user : graph.users[v])
        isFuture[user] = 1;
    for (int other : behind[op])
      isFuture[other] = 1;
  }
  isPast[k] = isFuture[k] = 0;
}

/// The values and reruns that matter, from what later ops read backwards.
void BoundaryProblem::collect() {
  const int k = graph.order[where];
  workingSet = graph.workingSetBytes(k);
  bytesAt.assign(graph.numValues(), 0);
  isNeeded.assign(graph.numValues(), 0);
  for (int v = 0; v < graph.numValues(); ++v)
    if (graph.producer[v] >= 0 && isPast[graph.producer[v]])
      bytesAt[v] = graph.bytes[v];
  // Operands of k are in its working set. One that the only in-place pair
  // would overwrite costs what the pair saved.
  for (int v : graph.inputs(k))
    bytesAt[v] = 0;
  if (graph.inplace[k].size() == 1)
    bytesAt[graph.inplace[k][0].input] = graph.inplace[k][0].savedBytes;

  // An op with a deadline before k can't run again after k.
  std::vector<char> isClosed(graph.numOps(), 0);
  for (const RematAfter &edge : graph.problem->after)
    if (edge.later == k || isPast[edge.later])
      isClosed[edge.earlier] = 1;

  rerunOf.assign(graph.numOps(), -1);
  std::vector<int> pending;
  std::vector<char> seen(graph.numValues(), 0);
  for (int v = 0; v < graph.numValues(); ++v) {
    if (bytesAt[v] == 0)
      continue;
    isNeeded[v] = graph.keep[v];
    for (int user : graph.users[v])
      isNeeded[v] |= isFuture[user];
    if (isNeeded[v]) {
      seen[v] = 1;
      pending.push_back(v);
      neededBytes += bytesAt[v];
    }
  }
  for (size_t head = 0; head < pending.size(); ++head) {
    int v = pending[head], op = graph.producer[v];
    totalBytes += bytesAt[v];
    if (!isNeeded[v])
      optional.push_back(v);
    if (rerunOf[op] >= 0 || graph.maxRuns[op] < 2 || isClosed[op])
      continue;
    rerunOf[op] = int(reruns.size());
    reruns.push_back(op);
    totalCost += graph.cost(op);
    for (int u : graph.inputs(op))
      if (bytesAt[u] > 0 && !seen[u]) {
        seen[u] = 1;
        pending.push_back(u);
      }
  }
  // An output that is not wanted in its own right comes with the rerun.
  gain.assign(reruns.size(), 0);
  for (size_t r = 0; r < reruns.size(); ++r)
    for (int v : graph.outputs(reruns[r]))
      if (seen[v])
        gain[r] += bytesAt[v];
  fixed.assign(reruns.size(), -1);
}

void BoundaryProblem::buildNetwork() {
  std::vector<int> nodeOf(graph.numValues(), -1);
  const int numReruns = int(reruns.size());
  for (size_t k = 0; k < optional.size(); ++k)
    nodeOf[optional[k]] = numReruns + int(k);
  source = numReruns + int(optional.size());
  sink = source + 1;
  flow = std::make_unique<MaxFlow>(sink + 1);
  for (int r = 0; r < numReruns; ++r) {
    gainEdge.push_back(flow->addEdge(source, r, 0));
    costEdge.push_back(flow->addEdge(r, sink, 0));
    for (const std::vector<int> *list :
         {&graph.inputs(reruns[r]), &graph.outputs(reruns[r])})
      for (int v : *list)
        if (nodeOf[v] >= 0)
          flow->addEdge(r, nodeOf[v], MaxFlow::unlimited);
  }
  for (size_t k = 0; k < optional.size(); ++k)
    valueEdge.push_back(flow->addEdge(numReruns + int(k), sink, 0));
}

void BoundaryProblem::setCapacities(int64_t costScale, int64_t byteScale) {
  constantTerm = neededBytes * byteScale;
  for (size_t r = 0; r < reruns.size(); ++r) {
    int64_t weight = graph.cost(reruns[r]) * costScale - gain[r] * byteScale;
    flow->setCapacity(gainEdge[r], fixed[r] == 1
                                       ? MaxFlow::unlimited
                                       : std::max<int64_t>(0, -weight));
    flow->setCapacity(costEdge[r], fixed[r] == 0
                                       ? MaxFlow::unlimited
                                       : std::max<int64_t>(0, weight));
    constantTerm += std::min<int64_t>(0, weight);
  }
  for (size_t k = 0; k < optional.size(); ++k)
    flow->setCapacity(valueEdge[k], bytesAt[optional[k]] * byteScale);
}

BoundaryChoice BoundaryProblem::readChoice() const {
  BoundaryChoice choice;
  choice.residentBytes = neededBytes;
  for (size_t k = 0; k < optional.size(); ++k)
    if (flow->onSourceSide(int(reruns.size() + k)))
      choice.residentBytes += bytesAt[optional[k]];
  for (size_t r = 0; r < reruns.size(); ++r) {
    if (!flow->onSourceSide(int(r)))
      continue;
    choice.recomputed.push_back(reruns[r]);
    choice.cost += graph.cost(reruns[r]);
    choice.residentBytes -= gain[r];
  }
  std::sort(
      choice.recomputed.begin(), choice.recomputed.end(),
      [&](int a, int b) { return graph.position[a] < graph.position[b]; });
  return choice;
}

/// The cut at one price per byte. Prices are rounded to integers over a common
/// denominator; the bound holds for any price, so rounding costs nothing but
/// sharpness.
BoundaryProblem::Evaluation BoundaryProblem::evaluate(double price,
                                                      int64_t room) {
  const double most = double(int64_t(1) << 58);
  double span = std::max({double(totalCost), price * double(totalBytes), 1.0});
  int64_t costScale = std::max<int64_t>(1, int64_t(most / span));
  int64_t byteScale = std::llround(price * double(costScale));
  setCapacities(costScale, byteScale);
  int64_t cut = flow->solve(source, sink);
  __int128 scaled = __int128(constantTerm) + cut - __int128(byteScale) * room;
  Evaluation result;
  result.choice = readChoice();
  if (scaled > 0)
    result.bound = int64_t((scaled + costScale - 1) / costScale);
  return result;
}

BoundaryChoice BoundaryProblem::leastBytes() {
  setCapacities(0, 1);
  flow->solve(source, sink);
  return readChoice();
}

int64_t BoundaryProblem::floorBytes() {
  std::fill(fixed.begin(), fixed.end(), -1);
  return graph.problem->residentBytes + workingSet + leastBytes().residentBytes;
}

BoundaryResult BoundaryProblem::search(int64_t room, double priceGuess) {
  BoundaryResult result;
  Evaluation free = evaluate(0, room);
  if (free.choice.residentBytes <= room) {
    result.bound = free.choice.cost;
    result.within = std::move(free.choice);
    return result;
  }
  result.bound = free.choice.cost;
  result.over = std::move(free.choice);
  result.within = leastBytes();
  if (result.within.residentBytes > room) {
    result.infeasible = true;
    return result;
  }
  BoundaryChoice line = result.within; // the under-budget line of the search
  for (int round = 0; round < 40; ++round) {
    const BoundaryChoice &over = result.over;
    double meet = double(line.cost - over.cost) /
                  double(over.residentBytes - line.residentBytes);
    double price = round == 0 && priceGuess > 0 ? priceGuess : meet;
    Evaluation now = evaluate(price, room);
    if (now.bound > result.bound || round == 0)
      result.price = price;
    result.bound = std::max(result.bound, now.bound);
    bool fits = now.choice.residentBytes <= room;
    if (fits && now.choice.cost < result.within.cost)
      result.within = now.choice;
    auto at = [&](const BoundaryChoice &choice) {
      return double(choice.cost) + price * double(choice.residentBytes);
    };
    double known = std::min(at(line), at(over)), found = at(now.choice);
    bool isBetter = found < known - 1e-12 * std::max(1.0, std::fabs(known));
    if (isBetter)
      (fits ? line : result.over) = std::move(now.choice);
    if (result.bound >= result.within.cost || (!isBetter && price == meet))
      break;
  }
  return result;
}

BoundaryResult BoundaryProblem::solve(int64_t budgetBytes, double priceGuess) {
  int64_t room = budgetBytes - graph.problem->residentBytes - workingSet;
  std::fill(fixed.begin(), fixed.end(), -1);
  if (room < 0) {
    BoundaryResult refused;
    refused.infeasible = true;
    return refused;
  }
  return search(room, priceGuess);
}

/// The dearest op that one neighbour of the budget reruns and the other not.
int BoundaryProblem::pickBranch(const BoundaryResult &result) const {
  std::vector<char> isOver(graph.numOps(), 0), isWithin(graph.numOps(), 0);
  for (int op : result.over.recomputed)
    isOver[op] = 1;
  for (int op : result.within.recomputed)
    isWithin[op] = 1;
  int best = -1;
  for (size_t r = 0; r < reruns.size(); ++r)
    if (fixed[r] < 0 && isOver[reruns[r]] != isWithin[reruns[r]] &&
        (best < 0 || graph.cost(reruns[r]) > graph.cost(reruns[best])))
      best = int(r);
  return best;
}

BoundaryResult BoundaryProblem::solveExactly(int64_t budgetBytes,
                                             int64_t enough, int64_t maxWork,
                                             double priceGuess) {
  BoundaryResult root = solve(budgetBytes, priceGuess);
  if (root.infeasible || root.isExact() || root.bound >= enough)
    return root;
  int64_t room = budgetBytes - graph.problem->residentBytes - workingSet;

  struct Node {
    int64_t bound;
    std::vector<std::pair<int, signed char>> fixes;
    int branch;
    double price;
  };
  auto isWorse = [](const Node &a, const Node &b) { return a.bound > b.bound; };
  std::vector<Node> heap;
  heap.push_back({root.bound, {}, pickBranch(root), root.price});
  int64_t closed = INT64_MAX; // least bound of nodes that can't be split
  while (flow->work() < maxWork && !heap.empty()) {
    if (heap.front().bound >= std::min(root.within.cost, enough))
      break;
    std::pop_heap(heap.begin(), heap.end(), isWorse);
    Node top = std::move(heap.back());
    heap.pop_back();
    if (top.branch < 0) {
      closed = std::min(closed, top.bound);
      continue;
    }
    for (signed char value : {0, 1}) {
      std::fill(fixed.begin(), fixed.end(), -1);
      Node child = top;
      child.fixes.emplace_back(top.branch, value);
      for (auto [r, setting] : child.fixes)
        fixed[r] = setting;
      BoundaryResult result = search(room, top.price);
      if (result.infeasible)
        continue;
      if (result.within.cost < root.within.cost)
        root.within = result.within;
      child.bound = std::max(top.bound, result.bound);
      if (child.bound >= root.within.cost)
        continue;
      child.branch = pickBranch(result);
      child.price = result.price;
      heap.push_back(std::move(child));
      std::push_heap(heap.begin(), heap.end(), isWorse);
    }
  }
  std::fill(fixed.begin(), fixed.end(), -1);
  int64_t open = heap.empty() ? root.within.cost : heap.front().bound;
  root.bound = std::max(root.bound, std::min({root.within.cost, open, closed}));
  return root;
}
