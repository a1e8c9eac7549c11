//===- InfeasibleSubset.h - Few buffers that can't be packed ----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Makes the proof that a problem has no packing small enough to read. See
// InfeasibleSubset.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_PACKING_INFEASIBLESUBSET_H
#define LOWTIDE_LIB_SOLVER_PACKING_INFEASIBLESUBSET_H

#include "lowtide/Solver/Packing/PackingProblem.h"

#include <functional>

namespace lowtide::solver {

/// Takes buffers of one space that provably don't fit into `capacityBytes`
/// and leaves out as many as is cheap. `workLimit` bounds one proof.
std::vector<int32_t> shrinkInfeasible(const PackingProblem &problem,
                                      std::vector<int32_t> buffers,
                                      int64_t capacityBytes, uint64_t workLimit,
                                      uint64_t &steps,
                                      const std::function<bool()> &isLate);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_PACKING_INFEASIBLESUBSET_H
