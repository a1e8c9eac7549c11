//===- OrderSearch.h - An order that stays under a peak ---------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Depth-first search for an order whose every step stays within a given
// number of bytes. See OrderSearch.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_SCHEDULE_ORDERSEARCH_H
#define LOWTIDE_LIB_SOLVER_SCHEDULE_ORDERSEARCH_H

#include "OrderState.h"

#include <functional>

namespace lowtide::solver {

/// Which of several choices comes first: the one that leaves the fewest bytes,
/// or the one whose climb exceeds what it leaves by the most (in a tree of
/// ops, the order that is optimal).
enum class ChoiceRule { FewestBytes, SteepestDescent };

struct OrderLimits {
  ChoiceRule rule = ChoiceRule::FewestBytes;
  /// How many ready ops are ranked with look-ahead, how many ops far, and how
  /// many ops may be tried for safe paths at one point.
  int width = 24, depth = 12, pathTries = 256;
  /// Only these ops are placed, where given; per op.
  const std::vector<bool> *allowed = nullptr;
  /// Most ops to place, over all branches.
  uint64_t steps = 0;
  std::function<bool()> isLate;
};

struct OrderAnswer {
  enum Kind { Found, Impossible, Unknown } kind = Unknown;
  /// With `Impossible`: no order has a smaller peak than this.
  int64_t leastPeakBytes = 0;
};

/// Runs ops of `state` until `numDone` ops are placed, none of them above
/// `peakBytes`. On `Found` the state holds the order; otherwise it is as
/// before. Adds placed ops to `steps`.
OrderAnswer extendWithin(const OrderGraph &graph, OrderState &state,
                         size_t numDone, int64_t peakBytes,
                         const OrderLimits &limits, uint64_t &steps);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_SCHEDULE_ORDERSEARCH_H
