//===- OrderState.cpp - Live bytes of a partial order ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "OrderState.h"

#include <algorithm>
#include <cassert>

using namespace lowtide::solver;

static void sortUnique(std::vector<int> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// The value whose bytes `value` shows, itself where it is no view.
static int rootOf(const RematGraph &graph, int value) {
  while (graph.baseOf[value] >= 0)
    value = graph.baseOf[value];
  return value;
}

OrderGraph::OrderGraph(const RematGraph &g, TimeDirection direction)
    : numOps(g.numOps()), direction(direction),
      residentBytes(g.problem->residentBytes), next(g.numOps()),
      numBefore(g.numOps(), 0), touches(g.numOps()), workspace(g.workspace),
      donations(g.numOps()) {
  bool isForward = direction == TimeDirection::Forward;
  // Storages: values with bytes of their own that some op makes.
  std::vector<int> storageOf(g.numValues(), -1);
  std::vector<std::vector<int>> readers(g.numValues());
  std::vector<bool> kept(g.numValues(), false);
  for (int v = 0; v < g.numValues(); ++v) {
    int root = rootOf(g, v);
    readers[root].insert(readers[root].end(), g.users[v].begin(),
                         g.users[v].end());
    kept[root] = kept[root] || g.keep[v];
  }
  for (int v = 0; v < g.numValues(); ++v) {
    if (g.baseOf[v] >= 0 || g.producer[v] < 0 || g.bytes[v] == 0)
      continue;
    sortUnique(readers[v]);
    Storage storage;
    storage.bytes = g.bytes[v];
    storage.starts = {g.producer[v]};
    storage.ends = readers[v].empty() ? storage.starts : readers[v];
    storage.neverEnds = kept[v];
    if (!isForward) {
      std::swap(storage.starts, storage.ends);
      std::swap(storage.startsAlive, storage.neverEnds);
    }
    storageOf[v] = int(storages.size());
    for (const auto *list : {&storage.starts, &storage.ends})
      for (int op : *list)
        touches[op].push_back(storageOf[v]);
    storages.push_back(std::move(storage));
  }
  std::vector<std::vector<int>> mustPrecede(numOps);
  for (const RematAfter &edge : g.problem->after)
    mustPrecede[edge.later].push_back(edge.earlier);
  for (int op = 0; op < numOps; ++op) {
    sortUnique(touches[op]);
    for (const InplacePair &pair : g.inplace[op]) {
      int in = storageOf[rootOf(g, pair.input)], out = storageOf[pair.output];
      if (in >= 0 && out >= 0)
        donations[op].push_back({in, out, pair.savedBytes});
    }
    std::vector<int> &before = mustPrecede[op];
    for (int v : g.inputs(op))
      if (g.producer[v] >= 0)
        before.push_back(g.producer[v]);
    sortUnique(before);
    for (int earlier : before)
      next[isForward ? earlier : op].push_back(isForward ? op : earlier);
  }
  for (int op = 0; op < numOps; ++op)
    for (int later : next[op])
      ++numBefore[later];
}

OrderState::OrderState(const OrderGraph &graph)
    : graph(graph), liveBytes(graph.residentBytes), waiting(graph.numBefore),
      readyAt(graph.numOps, -1) {
  for (const OrderGraph::Storage &s : graph.storages) {
    numStarted.push_back(s.startsAlive);
    numToEnd.push_back(int(s.ends.size()) + s.neverEnds);
    if (isAlive(int(numStarted.size()) - 1))
      liveBytes += s.bytes;
  }
  for (int op = 0; op < graph.numOps; ++op)
    if (waiting[op] == 0) {
      readyAt[op] = int(readyOps.size());
      readyOps.push_back(op);
    }
}

int64_t OrderState::bytesDuring(int op) const {
  int64_t bytes = liveBytes + graph.workspace[op];
  for (int s : graph.touches[op])
    if (!isAlive(s))
      bytes += graph.storages[s].bytes;
  if (graph.donations[op].empty())
    return bytes;
  bool isForward = graph.direction == TimeDirection::Forward;
  llvm::SmallVector<int, 4> used;
  for (const OrderGraph::Donation &d : graph.donations[op]) {
    bool dies = isForward ? numToEnd[d.input] == 1 : numStarted[d.input] == 0;
    if (!dies || llvm::is_contained(used, d.input) ||
        llvm::is_contained(used, d.output))
      continue;
    used.push_back(d.input);
    used.push_back(d.output);
    bytes -= d.savedBytes;
  }
  return bytes;
}

int64_t OrderState::bytesAfter(int op) const {
  int64_t bytes = liveBytes;
  for (int s : graph.touches[op]) {
    const OrderGraph::Storage &storage = graph.storages[s];
    bool starts =
        std::binary_search(storage.starts.begin(), storage.starts.end(), op);
    bool ends =
        std::binary_search(storage.ends.begin(), storage.ends.end(), op);
    bool before = isAlive(s);
    bool after = numStarted[s] + starts > 0 && numToEnd[s] - ends > 0;
    bytes += (int64_t(after) - int64_t(before)) * storage.bytes;
  }
  return bytes;
}

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

void OrderState::toggle(int op) {
  hashA ^= mix(uint64_t(op) * 2 + 1);
  hashB ^= mix(uint64_t(op) * 0x9E3779B97F4A7C15ull + 0x1234567);
}

void OrderState::run(int op) {
  assert(readyAt[op] >= 0 && "op must be ready");
  liveBytes = bytesAfter(op);
  for (int s : graph.touches[op]) {
    const OrderGraph::Storage &storage = graph.storages[s];
    numStarted[s] +=
        std::binary_search(storage.starts.begin(), storage.starts.end(), op);
    numToEnd[s] -=
        std::binary_search(storage.ends.begin(), storage.ends.end(), op);
  }
  int last = readyOps.back();
  readyOps[readyAt[op]] = last;
  readyAt[last] = readyAt[op];
  readyOps.pop_back();
  readyAt[op] = -1;
  for (int later : graph.next[op])
    if (--waiting[later] == 0) {
      readyAt[later] = int(readyOps.size());
      readyOps.push_back(later);
    }
  done.push_back(op);
  toggle(op);
}

void OrderState::undo() {
  int op = done.back();
  done.pop_back();
  toggle(op);
  for (int later : graph.next[op])
    if (waiting[later]++ == 0) {
      int last = readyOps.back();
      readyOps[readyAt[later]] = last;
      readyAt[last] = readyAt[later];
      readyOps.pop_back();
      readyAt[later] = -1;
    }
  readyAt[op] = int(readyOps.size());
  readyOps.push_back(op);
  for (int s : graph.touches[op]) {
    const OrderGraph::Storage &storage = graph.storages[s];
    bool before = isAlive(s);
    numStarted[s] -=
        std::binary_search(storage.starts.begin(), storage.starts.end(), op);
    numToEnd[s] +=
        std::binary_search(storage.ends.begin(), storage.ends.end(), op);
    liveBytes += (int64_t(isAlive(s)) - int64_t(before)) * storage.bytes;
  }
}
