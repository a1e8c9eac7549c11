//===- Commands.h - The subcommands of lowtide ------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One file each. A command returns its exit code; what went wrong has been
// said on standard error by then.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_COMMANDS_H
#define LOWTIDE_TOOLS_LOWTIDE_COMMANDS_H

#include "CommandLine/CommandLine.h"

namespace lowtide::cli {

int runInfo(Arguments &arguments);
int runGrad(Arguments &arguments);
int runOptimize(Arguments &arguments);
int runRun(Arguments &arguments);
int runPareto(Arguments &arguments);
int runReport(Arguments &arguments);
int runProfile(Arguments &arguments);
int runOps(Arguments &arguments);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_COMMANDS_H
