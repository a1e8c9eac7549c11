//===- OrderBound.h - What every order has to hold --------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Reachability of the op graph, the ops that stand at one place in every
// order, and lower bounds on the peak. See OrderBound.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_SCHEDULE_ORDERBOUND_H
#define LOWTIDE_LIB_SOLVER_SCHEDULE_ORDERBOUND_H

#include "OrderState.h"

namespace lowtide::solver {

/// Who must run before whom, as bit matrices; O(n^2) bits.
class Reachability {
public:
  /// `graph` is the forward one, `order` topological.
  Reachability(const OrderGraph &graph, llvm::ArrayRef<int> order);

  /// Whether `earlier` runs before `later` in every order.
  bool isBefore(int earlier, int later) const {
    return above[size_t(later) * words + (earlier >> 6)] >> (earlier & 63) & 1;
  }
  int numBefore(int op) const { return countBefore[op]; }
  int numAfter(int op) const { return countAfter[op]; }

private:
  size_t words;
  std::vector<uint64_t> above; ///< per op: the ops before it
  std::vector<int> countBefore, countAfter;
};

/// Past this many ops no matrix is built.
inline constexpr int kMostReachableOps = 12000;

/// Bytes that every order holds while `op` runs: its own, and those of values
/// that must be there already and are still needed later.
int64_t forcedBytes(const OrderGraph &graph, const Reachability &reach, int op);

/// Bytes of `op` alone; needs no matrix.
int64_t ownBytes(const OrderGraph &graph, int op);

/// The least bytes held while `op` runs, over all orders: a minimum cut
/// between what must have run and what can't have. At least `forcedBytes`.
int64_t cutBytes(const OrderGraph &graph, const Reachability &reach, int op);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_SCHEDULE_ORDERBOUND_H
