//===- ProblemFile.h - --problem: what the solver is asked ------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_PROBLEMFILE_H
#define LOWTIDE_TOOLS_LOWTIDE_PROBLEMFILE_H

#include "Session.h"

namespace lowtide::cli {

/// Writes the problem of the step, in the order of the model, for
/// `lowtide-solve`; an exit code.
int writeProblemFile(const Model &model, const Target &target,
                     llvm::StringRef path);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_PROBLEMFILE_H
