//===- ExactSearch.h - Fit bodies, or prove that they don't -----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A complete search for offsets below a given capacity. See ExactSearch.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_PACKING_EXACTSEARCH_H
#define LOWTIDE_LIB_SOLVER_PACKING_EXACTSEARCH_H

#include "BodyModel.h"

#include <functional>

namespace lowtide::solver {

enum class FitVerdict { Fits, Impossible, Unknown };

struct FitResult {
  FitVerdict verdict = FitVerdict::Unknown;
  /// Offsets in units by body, where they fit.
  std::vector<int64_t> offsets;
};

/// Whether the search can take this model: no groups of different heights,
/// and pins only where they stack up from the bottom.
bool isSearchable(const BodyModel &model);

/// Looks for a packing within `capacityBytes`. Counts placements in `steps`
/// and ends with Unknown past `stepLimit` or when `isLate` says so.
FitResult searchFit(const BodyModel &model, int64_t capacityBytes,
                    uint64_t seed, uint64_t stepLimit, uint64_t &steps,
                    const std::function<bool()> &isLate);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_PACKING_EXACTSEARCH_H
