//===- PlanFlags.h - The flags that say what to plan for --------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_PLANFLAGS_H
#define LOWTIDE_TOOLS_LOWTIDE_PLANFLAGS_H

#include "Session.h"

namespace lowtide::cli {

extern const char *const planSynopsis;

struct PlanFlags {
  std::string device = "cpu";
  std::string costsPath;
  PlanOptions options;
};

void declarePlanFlags(Arguments::Declaration &declaration);
/// False after a message.
bool readPlanFlags(const Arguments &arguments, PlanFlags &flags);
/// Whether the files that the flags name can be read.
bool checkPlanPaths(const PlanFlags &flags);
/// Reads the device and cost files; an exit code.
int loadTarget(const PlanFlags &flags, std::optional<Target> &target);

/// The target that a planned step was planned for, as its file tells. A
/// device that this build doesn't know by name gets the CPU's rates.
int targetOfPlan(const Model &model, std::optional<Target> &target);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_PLANFLAGS_H
