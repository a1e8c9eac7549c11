//===- Report.cpp - lowtide report ----------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "PlanFlags.h"
#include "ReportFlags.h"
#include "WhatNext.h"

using namespace lowtide;
using namespace lowtide::cli;

int cli::runReport(Arguments &arguments) {
  Arguments::Declaration declared;
  ReportFlags::declare(declared);
  declared.leastPlain = declared.mostPlain = 1;
  ReportFlags reports;
  if (!arguments.parse(declared) || !reports.read(arguments))
    return UsageError;
  llvm::StringRef path = arguments.plain(0);
  if (!canRead(path))
    return InputOutput;
  if (int code = reports.checkPaths(arguments, {path}))
    return code;
  Session session;
  if (int code = session.load(path))
    return code;
  if (!isStep(session.model))
    return fail(BadModel, "'" + path +
                              "' is a forward model; 'lowtide optimize' makes "
                              "a step that has a report");
  if (!isPlanned(session.model))
    return fail(BadModel,
                "'" + path + "' has no plan; 'lowtide optimize' makes one");
  std::optional<Target> target;
  if (int code = targetOfPlan(session.model, target))
    return code;
  auto report = makeReport(session.model, *target, readOutcome(session.model),
                           modelName(path));
  if (mlir::failed(report))
    return BadModel;
  readWhatNext(session.model, *report);
  if (reports.isEmpty())
    reports.addDefaultTable();
  return reports.write(*report);
}
