//===- MaxFlow.cpp - Maximum flow by layered networks ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. The least capacity of edges that separates a sink from a source.
//
// Idea. Label every node with its distance to the sink in the residual graph;
// push along arcs that go down by exactly one until none is left; label anew.
// Distances grow with every round, so there are at most n rounds. The walk
// keeps its own stack, because chains of a hundred thousand ops are usual.
//
// Example. See MaxFlow.h.
//
// Cost. O(n^2 m) at worst; near linear on the networks of step graphs.
//
// It doesn't do costs or lower bounds on edges.
//
// Reference. E. A. Dinic, Algorithm for solution of a problem of maximum flow
// in networks with power estimation, 1970.
//
// Tested by test/unit/Solver/MaxFlowTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/MaxFlow.h"

#include <algorithm>
#include <cassert>

using namespace lowtide::solver;

int MaxFlow::addEdge(int from, int to, int64_t capacity) {
  assert(arcs.empty() && "edges can't be added after the first solve");
  assert(capacity >= 0 && "capacities are not negative");
  edges.push_back({from, to, capacity});
  return int(edges.size()) - 1;
}

void MaxFlow::setCapacity(int edge, int64_t capacity) {
  assert(capacity >= 0 && "capacities are not negative");
  edges[edge].capacity = capacity;
}

void MaxFlow::buildArcs() {
  firstArc.assign(numNodes + 1, 0);
  for (const Edge &edge : edges) {
    ++firstArc[edge.from + 1];
    ++firstArc[edge.to + 1];
  }
  for (int n = 0; n < numNodes; ++n)
    firstArc[n + 1] += firstArc[n];
  std::vector<int> fill(firstArc.begin(), firstArc.end() - 1);
  arcs.resize(edges.size() * 2);
  arcOf.resize(edges.size());
  for (size_t e = 0; e < edges.size(); ++e) {
    int forward = fill[edges[e].from]++, back = fill[edges[e].to]++;
    arcs[forward] = {edges[e].to, back, 0};
    arcs[back] = {edges[e].from, forward, 0};
    arcOf[e] = forward;
  }
}

/// Distances to the sink; false when the source can't reach it any more.
bool MaxFlow::layer(int source, int sink) {
  std::fill(level.begin(), level.end(), -1);
  queue.clear();
  queue.push_back(sink);
  level[sink] = 0;
  for (size_t head = 0; head < queue.size(); ++head) {
    int node = queue[head];
    for (int a = firstArc[node]; a < firstArc[node + 1]; ++a) {
      const Arc &arc = arcs[a];
      if (level[arc.to] < 0 && arcs[arc.reverse].residual > 0) {
        level[arc.to] = level[node] + 1;
        queue.push_back(arc.to);
      }
    }
    arcsVisited += firstArc[node + 1] - firstArc[node];
  }
  return level[source] >= 0;
}

/// Pushes along one path after the other until the layers are blocked.
int64_t MaxFlow::augment(int source, int sink) {
  int64_t total = 0;
  std::vector<int> &path = queue; // arcs from the source to `node`
  path.clear();
  int node = source;
  for (;;) {
    if (node == sink) {
      int64_t amount = unlimited;
      for (int a : path)
        amount = std::min(amount, arcs[a].residual);
      size_t keep = path.size();
      for (size_t k = path.size(); k-- > 0;) {
        Arc &arc = arcs[path[k]];
        arc.residual -= amount;
        arcs[arc.reverse].residual += amount;
        if (arc.residual == 0)
          keep = k;
      }
      arcsVisited += int64_t(path.size());
      total += amount;
      if (total >= unlimited)
        return total;
      // An unlimited path stays open; go back to the source then.
      if (keep == path.size())
        keep = 0;
      path.resize(keep);
      node = path.empty() ? source : arcs[path.back()].to;
      continue;
    }
    int &a = nextArc[node];
    while (a < firstArc[node + 1] &&
           !(arcs[a].residual > 0 && level[arcs[a].to] == level[node] - 1)) {
      ++a;
      ++arcsVisited;
    }
    if (a < firstArc[node + 1]) {
      path.push_back(a);
      node = arcs[a].to;
      continue;
    }
    if (node == source)
      return total;
    int back = path.back();
    path.pop_back();
    node = arcs[arcs[back].reverse].to;
    ++nextArc[node];
  }
}

void MaxFlow::markReached(int source) {
  reached.assign(numNodes, false);
  queue.clear();
  queue.push_back(source);
  reached[source] = true;
  for (size_t head = 0; head < queue.size(); ++head) {
    int node = queue[head];
    for (int a = firstArc[node]; a < firstArc[node + 1]; ++a)
      if (arcs[a].residual > 0 && !reached[arcs[a].to]) {
        reached[arcs[a].to] = true;
        queue.push_back(arcs[a].to);
      }
  }
}

int64_t MaxFlow::solve(int source, int sink) {
  if (arcs.empty())
    buildArcs();
  for (Arc &arc : arcs)
    arc.residual = 0;
  for (size_t e = 0; e < edges.size(); ++e)
    arcs[arcOf[e]].residual = edges[e].capacity;
  level.assign(numNodes, -1);
  int64_t total = 0;
  while (layer(source, sink)) {
    nextArc.assign(firstArc.begin(), firstArc.end() - 1);
    total += augment(source, sink);
    if (total >= unlimited)
      break;
  }
  markReached(source);
  return total;
}
