//===- RematFile.h - Problem and plan files ---------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// JSON schemas `lowtide.remat-problem/1`, `/2` and `lowtide.remat-plan/1`.
//
// Tested by test/unit/Solver/RematFileTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_REMAT_REMATFILE_H
#define LOWTIDE_SOLVER_REMAT_REMATFILE_H

#include "lowtide/Solver/Remat/RematProblem.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace lowtide::solver {

/// Reads a problem and checks it (`checkProblem`). A missing `order` means
/// the topological order by id.
llvm::Expected<RematProblem> parseProblem(llvm::StringRef json);
llvm::Expected<RematProblem> readProblemFile(llvm::StringRef path);

/// Writes schema /1 where that says it all, /2 otherwise.
void writeProblem(const RematProblem &problem, llvm::raw_ostream &os);

/// Reads the schedule of a plan; op ids become op indices of `problem`.
llvm::Expected<RematSchedule> parsePlan(const RematProblem &problem,
                                        llvm::StringRef json);
llvm::Expected<RematSchedule> readPlanFile(const RematProblem &problem,
                                           llvm::StringRef path);
void writePlan(const RematProblem &problem, const RematSchedule &schedule,
               llvm::raw_ostream &os);

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_REMAT_REMATFILE_H
