//===- GreedyPlacement.h - Place bodies one by one --------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Two ways to place bodies in a given order, and the orders worth trying.
// See GreedyPlacement.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_PACKING_GREEDYPLACEMENT_H
#define LOWTIDE_LIB_SOLVER_PACKING_GREEDYPLACEMENT_H

#include "BodyModel.h"

#include <functional>

namespace lowtide::solver {

/// Offsets in units, by body, and the height that they reach.
struct Placement {
  std::vector<int64_t> offsets;
  int64_t heightBytes = INT64_MAX;
};

/// Where a body goes: into the lowest gap that takes it, or into the tightest.
enum class Fit { Lowest, Tightest };

/// Places pinned bodies, then the others in `order`. Adds the gaps looked at
/// to `steps`.
Placement placeInOrder(const BodyModel &model, llvm::ArrayRef<int32_t> order,
                       Fit fit, uint64_t &steps);

/// Names an order of bodies; rising keys, ties by index.
enum class BodyOrder { Size, Area, Length, Start, End, Heat, Breadth };

/// All bodies but the pinned ones; those alive throughout come first.
std::vector<int32_t> makeOrder(const BodyModel &model, BodyOrder kind);

/// Whether trying every order is cheap and finds the optimum: few bodies
/// without a pin, none of them with parts at different heights.
bool hasFewOrders(const BodyModel &model);

/// The lowest of the placements in all orders. In a packing where nothing can
/// sink, bodies taken by offset each go into the lowest gap, so one order of
/// bodies without parts at different heights gives the optimum.
Placement placeInEveryOrder(const BodyModel &model, uint64_t &steps);

/// Tries the orders above, then moves bodies that end up too high forward and
/// places again, until `goalBytes` is reached, `steps` passes `stepLimit`
/// or `isLate` says so.
Placement placeGreedily(const BodyModel &model, int64_t goalBytes,
                        uint64_t seed, uint64_t stepLimit, uint64_t &steps,
                        const std::function<bool()> &isLate);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_PACKING_GREEDYPLACEMENT_H
