//===- Grad.cpp - lowtide grad --------------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "ExportFlags.h"
#include "StepFlags.h"

using namespace lowtide;
using namespace lowtide::cli;

int cli::runGrad(Arguments &arguments) {
  Arguments::Declaration declared;
  declareStepFlags(declared);
  declareExportFlags(declared);
  declared.leastPlain = declared.mostPlain = 2;
  StepFlags step;
  ExportOptions options;
  if (!arguments.parse(declared) || !readStepFlags(arguments, step) ||
      !readExportFlags(arguments, options))
    return UsageError;
  llvm::StringRef in = arguments.plain(0), out = arguments.plain(1);
  if (!canRead(in))
    return InputOutput;
  if (isSameFile(in, out))
    return arguments.usage("MODEL and OUT are the same file");
  if (!canWrite(out))
    return InputOutput;
  if (!step.hasLoss)
    return arguments.usage("'--loss' is missing");
  Session session;
  if (int code = session.load(in))
    return code;
  if (isStep(session.model))
    return fail(BadModel, "'" + in + "' is a training step already");
  if (int code = buildTrainingStep(session, arguments, step))
    return code;
  return session.save(out, options);
}
