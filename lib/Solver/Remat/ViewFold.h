//===- ViewFold.h - Problems without views ----------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_VIEWFOLD_H
#define LOWTIDE_LIB_SOLVER_REMAT_VIEWFOLD_H

#include "lowtide/Solver/Remat/RematProblem.h"

namespace lowtide::solver {

/// The same problem where a view is a value of no bytes and whoever reads it
/// reads its base too. Every schedule of the given problem is one of the
/// folded problem with the same cost and no more bytes, so bounds carry over.
RematProblem foldViews(const RematProblem &problem);

/// Adds the runs of view ops that a schedule of the folded problem lacks:
/// where a base was made again, its views are made again before they are read.
RematSchedule unfoldViews(const RematProblem &problem,
                          const RematSchedule &schedule);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_VIEWFOLD_H
