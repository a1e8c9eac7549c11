//===- SequenceEditor.h - Moves of the local search -------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Moves on a Sequence that can be taken back: regenerate a value before a
// step, drop a recomputed instance with everything that only served it.
//
// Tested by test/unit/Solver/SequenceTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_SEQUENCEEDITOR_H
#define LOWTIDE_LIB_SOLVER_REMAT_SEQUENCEEDITOR_H

#include "Sequence.h"

namespace lowtide::solver {

class SequenceEditor {
public:
  explicit SequenceEditor(Sequence &sequence);

  /// What the move so far changed: extra cost and overflow.
  double costChange() const { return sequence.extraCost() - costBefore; }
  int64_t overflowChange() const {
    return sequence.overflow() - overflowBefore;
  }
  void commit();
  void rollback() { rollbackTo(0); }
  /// A point of the move so far that it can be taken back to.
  size_t mark() const { return log.size(); }
  void rollbackTo(size_t mark);

  /// Estimated price of having `value` before `step`: keep it alive until then
  /// or run its op again, whichever is cheaper, inputs included. Infinite when
  /// neither is possible.
  double regeneratePrice(int value, int step, double pricePerByteStep);

  /// Runs the producer of `value` again before `step`, inputs as
  /// `regeneratePrice` chooses. Returns the node, -1 when it can't.
  int regenerate(int value, int step, double pricePerByteStep);

  /// Erases a recomputed instance and whatever becomes useless by that.
  void dropGroup(int node);
  /// Runs `op` again before `step`; returns the node.
  int insert(int op, int step);
  void erase(int node);

  int64_t work() const { return workDone; }

private:
  double availablePrice(int value, int step, double price, int depth);
  void insertGroup(int value, int step, double price);

  Sequence &sequence;
  struct Change {
    bool isInsert;
    int node, op, step;
  };
  std::vector<Change> log;
  double costBefore;
  int64_t overflowBefore;
  // Memory of one regeneratePrice: which choice was cheaper per value.
  std::vector<int> stamp;
  std::vector<double> memory;
  std::vector<char> reruns;
  int now = 0;
  int budgetOfVisits = 0;
  int64_t workDone = 0;
};

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_SEQUENCEEDITOR_H
