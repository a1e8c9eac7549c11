//===- StepFlags.h - The flags that make a training step --------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// `grad`, `optimize`, `pareto` and `profile` take the same flags and a model
// that is a forward graph or a step already.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_STEPFLAGS_H
#define LOWTIDE_TOOLS_LOWTIDE_STEPFLAGS_H

#include "Session.h"

namespace lowtide::cli {

/// The flags, as a synopsis shows them.
extern const char *const stepSynopsis;

struct StepFlags {
  ForwardOptions forward;
  StepOptions step;
  bool hasLoss = false;
  /// Step flags that were given, for a model that takes none.
  std::vector<std::string> given;
  /// Flags that have no effect with the others, and why.
  std::vector<std::string> warnings;
};

void declareStepFlags(Arguments::Declaration &declaration);
/// Reads `--dim` alone, for commands without the other flags.
bool readDimensions(const Arguments &arguments,
                    std::map<std::string, int64_t> &sizeByName);
/// False after a message.
bool readStepFlags(const Arguments &arguments, StepFlags &flags);

/// Brings the session's model to form F1; an exit code.
int bindForward(Session &session, const ForwardOptions &options);
/// Brings the session's model, in whichever form it is, to form F2 (or leaves
/// it in F4); an exit code.
int buildTrainingStep(Session &session, const Arguments &arguments,
                      const StepFlags &flags);

/// Notes in the plan of a model in form F4 which dimensions its step was made
/// with.
void recordDimensions(Model &model);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_STEPFLAGS_H
