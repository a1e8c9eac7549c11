//===- OrderState.h - Live bytes of a partial order -------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Which ops ran, what is alive, which ops may run next: kept exact under run
// and undo. The same machine serves both directions of time. Forwards a value
// begins to live with its producer and ends with its last user; backwards it
// begins with the first user that is placed and ends with the producer.
//
// Live bytes depend on the set of placed ops alone and are a submodular
// function of it, in both directions. Hence the rule for safe moves: where a
// set X of ops can be placed below the peak that is allowed anyway, and ends
// with no more live bytes than any part of X, doing X first costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_SCHEDULE_ORDERSTATE_H
#define LOWTIDE_LIB_SOLVER_SCHEDULE_ORDERSTATE_H

#include "lowtide/Solver/Remat/RematGraph.h"

namespace lowtide::solver {

enum class TimeDirection { Forward, Backward };

/// The problem as one direction sees it.
struct OrderGraph {
  OrderGraph(const RematGraph &graph, TimeDirection direction);

  struct Storage {
    int64_t bytes = 0;
    /// Ops that begin and end its life; without enders it never lives on.
    std::vector<int> starts, ends;
    /// Alive from the start, or never ended: what `keep` says.
    bool startsAlive = false, neverEnds = false;
  };
  struct Donation {
    int input, output; ///< storages
    int64_t savedBytes;
  };

  int numOps;
  TimeDirection direction;
  int64_t residentBytes;
  std::vector<Storage> storages;
  std::vector<std::vector<int>> next;    ///< per op: ops that wait for it
  std::vector<int> numBefore;            ///< per op: ops that it waits for
  std::vector<std::vector<int>> touches; ///< per op: storages
  std::vector<int64_t> workspace;
  std::vector<std::vector<Donation>> donations;
};

class OrderState {
public:
  explicit OrderState(const OrderGraph &graph);

  /// Bytes while `op` runs now, and after it.
  int64_t bytesDuring(int op) const;
  int64_t bytesAfter(int op) const;
  void run(int op);
  /// Takes the last op back.
  void undo();

  int64_t live() const { return liveBytes; }
  const std::vector<int> &ready() const { return readyOps; }
  const std::vector<int> &sequence() const { return done; }
  bool isReady(int op) const { return readyAt[op] >= 0; }
  std::pair<uint64_t, uint64_t> hash() const { return {hashA, hashB}; }

private:
  bool isAlive(int storage) const {
    return numStarted[storage] > 0 && numToEnd[storage] > 0;
  }
  void toggle(int op);

  const OrderGraph &graph;
  int64_t liveBytes = 0;
  std::vector<int> numStarted, numToEnd, waiting, readyAt, readyOps, done;
  uint64_t hashA = 0, hashB = 0;
};

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_SCHEDULE_ORDERSTATE_H
