//===- SeriesParallel.h - Orders of series-parallel graphs ------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The optimal order where the ops form a series-parallel partial order and
// each value has a known last user, and a good one nearby. See the .cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_SCHEDULE_SERIESPARALLEL_H
#define LOWTIDE_LIB_SOLVER_SCHEDULE_SERIESPARALLEL_H

#include "OrderBound.h"

namespace lowtide::solver {

struct SeriesParallelOrder {
  std::vector<int> order;
  /// No order has a smaller peak.
  bool isOptimal = false;
};

/// `graph` is the forward one, `order` a topological order of it: what is not
/// series-parallel stays as it is there, and where the last user of a value
/// is open, it is the one that comes last there.
SeriesParallelOrder orderSeriesParallel(const OrderGraph &graph,
                                        const Reachability &reach,
                                        llvm::ArrayRef<int> order);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_SCHEDULE_SERIESPARALLEL_H
