//===- LayeredPlacement.h - Place very many bodies --------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A placement whose time hardly grows faster than the number of bodies. See
// LayeredPlacement.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_PACKING_LAYEREDPLACEMENT_H
#define LOWTIDE_LIB_SOLVER_PACKING_LAYEREDPLACEMENT_H

#include "GreedyPlacement.h"

namespace lowtide::solver {

/// Whether `placeInLayers` can take the model: one rectangle a body, and pins
/// that stack up from the bottom.
bool isLayerable(const BodyModel &model);

/// Tries several borders between long and short lives, until `goalBytes` is
/// reached or `isLate` says so.
Placement placeInLayers(const BodyModel &model, int64_t goalBytes,
                        uint64_t &steps, const std::function<bool()> &isLate);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_PACKING_LAYEREDPLACEMENT_H
