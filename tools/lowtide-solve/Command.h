//===- Command.h - What every subcommand of lowtide-solve uses --*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One subcommand is one file with a function `int runName(Arguments &)`. Flag
// values are checked first, then paths, then missing flags, then files.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_SOLVE_COMMAND_H
#define LOWTIDE_TOOLS_LOWTIDE_SOLVE_COMMAND_H

#include "CommandLine/CommandLine.h"

namespace lowtide::solve {

using namespace lowtide::cli;

int runRemat(Arguments &arguments);
int runPareto(Arguments &arguments);
int runCompare(Arguments &arguments);
int runCheck(Arguments &arguments);
int runGenerate(Arguments &arguments);
int runOrder(Arguments &arguments);
int runPack(Arguments &arguments);

} // namespace lowtide::solve

#endif // LOWTIDE_TOOLS_LOWTIDE_SOLVE_COMMAND_H
