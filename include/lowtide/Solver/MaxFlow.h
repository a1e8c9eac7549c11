//===- MaxFlow.h - Maximum flow and minimum cut -----------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Build the network once, then change capacities and solve as often as needed:
// the bounds ask for the same network under many prices.
//
//   MaxFlow flow(4);                // 0 -> 1 -> 3, 0 -> 2 -> 3
//   flow.addEdge(0, 1, 3);
//   flow.addEdge(1, 3, 2);
//   flow.addEdge(0, 2, 1);
//   flow.addEdge(2, 3, 5);
//   flow.solve(0, 3);               // 3
//   flow.onSourceSide(1);           // true: the edge 1 -> 3 is cut
//
// Tested by test/unit/Solver/MaxFlowTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_MAXFLOW_H
#define LOWTIDE_SOLVER_MAXFLOW_H

#include <cstdint>
#include <vector>

namespace lowtide::solver {

class MaxFlow {
public:
  /// More than any sum of finite capacities may be.
  static constexpr int64_t unlimited = int64_t(1) << 61;

  explicit MaxFlow(int numNodes) : numNodes(numNodes) {}

  /// Adds an edge and returns its number; capacities are not negative.
  int addEdge(int from, int to, int64_t capacity);
  void setCapacity(int edge, int64_t capacity);

  /// The value of a maximum flow. It is at least `unlimited` when source and
  /// sink are joined by unlimited edges alone.
  int64_t solve(int source, int sink);

  /// After `solve`: `node` is on the source side of the cut with the fewest
  /// nodes there.
  bool onSourceSide(int node) const { return reached[node]; }
  /// After `solve`: `node` can't reach the sink, so it is on the source side
  /// of the cut with the most nodes there.
  bool onLargestSourceSide(int node) const { return level[node] < 0; }

  /// Arcs looked at since construction: the deterministic measure of work.
  int64_t work() const { return arcsVisited; }

private:
  void buildArcs();
  bool layer(int source, int sink);
  int64_t augment(int source, int sink);
  void markReached(int source);

  struct Edge {
    int from, to;
    int64_t capacity;
  };
  struct Arc {
    int to;
    int reverse; ///< the arc back
    int64_t residual;
  };
  int numNodes;
  std::vector<Edge> edges;
  std::vector<int> arcOf; ///< per edge: its forward arc
  std::vector<Arc> arcs;
  std::vector<int> firstArc, nextArc, level, queue;
  std::vector<bool> reached;
  int64_t arcsVisited = 0;
};

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_MAXFLOW_H
