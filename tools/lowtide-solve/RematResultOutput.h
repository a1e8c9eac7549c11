//===- RematResultOutput.h - Flags and output of remat commands -*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_SOLVE_REMATRESULTOUTPUT_H
#define LOWTIDE_TOOLS_LOWTIDE_SOLVE_REMATRESULTOUTPUT_H

#include "Command.h"

#include "lowtide/Solver/Remat/SolveRemat.h"

namespace llvm::json {
class OStream;
}

namespace lowtide::solve {

/// --order, --algorithm, --time-limit, --seed, --threads, --effort; false
/// after a message on a wrong one.
bool readSolverFlags(const Arguments &arguments, solver::RematOptions &options);

/// The budget in bytes; percent of the peak of the problem's order.
int64_t bytesOf(const BudgetText &budget, const solver::RematProblem &problem);

/// The keys of interface section 5, as attributes of an open object.
void writeResult(const solver::RematProblem &problem,
                 const solver::RematResult &result, llvm::json::OStream &out);
void printJson(const solver::RematProblem &problem,
               const solver::RematResult &result, llvm::raw_ostream &os);
void printText(const solver::RematProblem &problem,
               const solver::RematResult &result, int64_t budgetBytes,
               llvm::raw_ostream &os);

} // namespace lowtide::solve

#endif // LOWTIDE_TOOLS_LOWTIDE_SOLVE_REMATRESULTOUTPUT_H
