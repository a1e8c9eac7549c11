//===- OrderBound.cpp - What every order has to hold ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: a peak that no order can undercut.
//
// Idea: look at the moment when op k runs. Its ancestors have run, its
// descendants haven't, the others may or may not. A value is alive when its
// producer has run and one of its users hasn't. Choosing who has run so that
// the fewest bytes are alive is a minimum cut: one node per op, and per value
// a node that is cut off for its bytes unless all users are on the side of
// its producer. The greatest of these minima over k is the bound.
//
// Example: x (5 bytes) is read by k and by a later op that needs k: whatever
// else is done, the 5 bytes are there besides the operands of k.
//
// Complexity: one maximum flow for each k that is asked for. It bounds one
// moment at a time and doesn't see that two moments must fit together.
//
// Tested by test/unit/Solver/Schedule/OrderOpsTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "OrderBound.h"

#include "lowtide/Solver/MaxFlow.h"

#include <algorithm>

using namespace lowtide::solver;

Reachability::Reachability(const OrderGraph &graph, llvm::ArrayRef<int> order)
    : words((graph.numOps + 63) / 64), above(size_t(graph.numOps) * words, 0),
      countBefore(graph.numOps, 0), countAfter(graph.numOps, 0) {
  for (int op : order)
    for (int later : graph.next[op]) {
      uint64_t *to = &above[size_t(later) * words];
      const uint64_t *from = &above[size_t(op) * words];
      for (size_t w = 0; w < words; ++w)
        to[w] |= from[w];
      to[op >> 6] |= uint64_t(1) << (op & 63);
    }
  for (int op = 0; op < graph.numOps; ++op)
    for (size_t w = 0; w < words; ++w)
      for (uint64_t x = above[size_t(op) * words + w]; x; x &= x - 1) {
        ++countBefore[op];
        ++countAfter[w * 64 + __builtin_ctzll(x)];
      }
}

/// What in-place can take off while `op` runs, at most.
static int64_t mostDonated(const OrderGraph &graph, int op) {
  int64_t saved = 0;
  llvm::SmallVector<int, 4> used;
  for (const OrderGraph::Donation &d : graph.donations[op]) {
    if (graph.storages[d.input].neverEnds ||
        llvm::is_contained(used, d.input) || llvm::is_contained(used, d.output))
      continue;
    used.push_back(d.input);
    used.push_back(d.output);
    saved += d.savedBytes;
  }
  return saved;
}

int64_t lowtide::solver::ownBytes(const OrderGraph &graph, int op) {
  int64_t bytes =
      graph.residentBytes + graph.workspace[op] - mostDonated(graph, op);
  for (int s : graph.touches[op])
    bytes += graph.storages[s].bytes;
  return bytes;
}

int64_t lowtide::solver::forcedBytes(const OrderGraph &graph,
                                     const Reachability &reach, int op) {
  int64_t bytes = ownBytes(graph, op);
  for (size_t s = 0; s < graph.storages.size(); ++s) {
    const OrderGraph::Storage &storage = graph.storages[s];
    if (!reach.isBefore(storage.starts.front(), op) ||
        std::binary_search(storage.ends.begin(), storage.ends.end(), op))
      continue;
    bool isNeeded = storage.neverEnds;
    for (size_t i = 0; !isNeeded && i < storage.ends.size(); ++i)
      isNeeded = reach.isBefore(op, storage.ends[i]);
    if (isNeeded)
      bytes += storage.bytes;
  }
  return bytes;
}

int64_t lowtide::solver::cutBytes(const OrderGraph &graph,
                                  const Reachability &reach, int op) {
  // Source side: has run. Ops that must have share the source, ops that can't
  // have share the sink.
  enum { Source = 0, Sink = 1 };
  std::vector<int> nodeOf(graph.numOps);
  int numNodes = 2;
  for (int o = 0; o < graph.numOps; ++o) {
    if (reach.isBefore(o, op))
      nodeOf[o] = Source;
    else if (o == op || reach.isBefore(op, o))
      nodeOf[o] = Sink;
    else
      nodeOf[o] = numNodes++;
  }
  std::vector<std::pair<int, int>> before;
  int64_t fixed = ownBytes(graph, op);
  struct Arc {
    int from, to;
    int64_t capacity;
  };
  std::vector<Arc> arcs;
  for (const OrderGraph::Storage &s : graph.storages) {
    if (s.starts.front() == op ||
        std::binary_search(s.ends.begin(), s.ends.end(), op))
      continue; // counted with the op
    int producer = nodeOf[s.starts.front()];
    if (producer == Sink)
      continue;
    bool isNeeded = s.neverEnds;
    std::vector<int> users;
    for (int user : s.ends) {
      isNeeded |= nodeOf[user] == Sink;
      if (nodeOf[user] >= 2 && user != s.starts.front())
        users.push_back(nodeOf[user]);
    }
    if (isNeeded) {
      if (producer == Source)
        fixed += s.bytes;
      else
        arcs.push_back({producer, Sink, s.bytes});
      continue;
    }
    if (users.empty())
      continue;
    int gate = numNodes++;
    arcs.push_back({producer, gate, s.bytes});
    for (int user : users)
      arcs.push_back({gate, user, MaxFlow::unlimited});
  }
  MaxFlow flow(numNodes);
  for (const Arc &arc : arcs)
    flow.addEdge(arc.from, arc.to, arc.capacity);
  // What has run has its predecessors behind it.
  for (int o = 0; o < graph.numOps; ++o)
    for (int later : graph.next[o])
      if (nodeOf[later] >= 2 && nodeOf[o] != Source)
        flow.addEdge(nodeOf[later], nodeOf[o], MaxFlow::unlimited);
  return fixed + flow.solve(Source, Sink);
}
