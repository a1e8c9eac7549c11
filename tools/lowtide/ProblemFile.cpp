//===- ProblemFile.cpp - --problem: what the solver is asked --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ProblemFile.h"

#include "lowtide/Solver/Remat/RematFile.h"

using namespace lowtide;
using namespace lowtide::cli;

int cli::writeProblemFile(const Model &model, const Target &target,
                          llvm::StringRef path) {
  auto memory =
      StepMemory::analyze(getMain(model), target.costs, *target.backend);
  if (mlir::failed(memory))
    return Unsupported;
  solver::RematProblem problem = extractRematProblem(*memory);
  if (llvm::Error error = writeAtomically(path, [&](llvm::raw_ostream &os) {
        solver::writeProblem(problem, os);
      }))
    return fail(InputOutput, "cannot write '" + path +
                                 "': " + llvm::toString(std::move(error)));
  return Done;
}
