//===- Sequence.h - A schedule that is cheap to change ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The state of the local search: a sequence of op instances with the bytes at
// every step, kept exact under insertion and removal of one instance.
//
// What a schedule keeps follows from where its instances stand: a copy lives
// until the last use before the value is made again. So inserting a second
// run of an op ends the life of the old copy early and always leaves a valid
// schedule, and removing a second run makes the old copy live longer.
//
// Works on problems without views (`ViewFold.h` takes those away first).
//
// Tested by test/unit/Solver/SequenceTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_SEQUENCE_H
#define LOWTIDE_LIB_SOLVER_REMAT_SEQUENCE_H

#include "lowtide/Solver/Remat/RematGraph.h"

namespace lowtide::solver {

class Sequence {
public:
  Sequence(const RematGraph &graph, int64_t budgetBytes,
           const RematSchedule &schedule);

  int size() const { return int(nodeAt.size()); }
  int op(int step) const { return opOf[nodeAt[step]]; }
  int node(int step) const { return nodeAt[step]; }
  int stepOf(int node) const { return stepAt[node]; }
  bool isAlive(int node) const { return stepAt[node] >= 0; }
  bool isFirst(int node) const { return firstNode[opOf[node]] == node; }
  int64_t liveBytes(int step) const { return live[step]; }
  int64_t budget() const { return budgetBytes; }

  double extraCost() const { return extra; }       ///< as plans are compared
  int64_t overflow() const { return overflowSum; } ///< sum over steps
  int64_t peak() const;
  int peakStep() const;
  RematSchedule schedule() const;

  /// True when one more run of `op` may stand before `step`.
  bool canInsert(int op, int step) const;
  /// Inserts a run of `op` before `step`; returns its node.
  int insert(int op, int step);
  /// Removes an instance that isn't the first of its op.
  void erase(int node);

  /// True when nobody reads what this instance makes.
  bool isUseless(int node) const;

  /// Whether `value` is alive across the gap before `step`.
  bool isAliveBefore(int value, int step) const;
  /// Step of the last event of `value` before `step`, -1: none.
  int previousEvent(int value, int step) const;
  /// Step of the next event of `value` at `step` or later, -1: none.
  int nextEvent(int value, int step) const;
  bool makes(int step, int value) const {
    return graph.producer[value] == op(step);
  }
  /// Overflow that `bytes` more over steps [from, to) would add.
  int64_t overflowOf(int from, int to, int64_t bytes) const;
  int runsOf(int op) const { return runs[op]; }
  int firstStepOf(int op) const { return stepAt[firstNode[op]]; }

  const RematGraph &graph;

private:
  int eventIndex(int value, int step) const;
  int64_t savings(int step) const;
  void add(int from, int to, int64_t bytes);
  void addAt(int step, int64_t bytes) { add(step, step + 1, bytes); }
  int64_t carry(int step) const;
  bool diesAt(int value, int step) const;
  void openGap(int step, int node);

  int64_t budgetBytes;
  std::vector<int> nodeAt;       ///< per step
  std::vector<int64_t> live;     ///< per step
  std::vector<int> opOf, stepAt; ///< per node; step -1: removed
  std::vector<int> freeNodes;
  std::vector<std::vector<int>> events; ///< per value: nodes by step
  std::vector<int> firstNode, runs;     ///< per op
  int64_t overflowSum = 0;
  int64_t keptBytes = 0; ///< resident and kept values after the last step
  double extra = 0;
};

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_SEQUENCE_H
