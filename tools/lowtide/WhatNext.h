//===- WhatNext.h - Other budgets that a user could choose ------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_WHATNEXT_H
#define LOWTIDE_TOOLS_LOWTIDE_WHATNEXT_H

#include "Progress.h"
#include "Session.h"

namespace lowtide::cli {

/// Fills the report's rows for 75 %, 50 % and the smallest budget with plans
/// made for a copy of the session's model, which is in form F2 or F4. Plans
/// that fail leave their row out.
void addWhatNext(Session &session, const Target &target,
                 const PlanOptions &options, Progress &progress,
                 report::PlanReport &report);

/// The rows travel in the step's file, so that a later report has them too.
void storeWhatNext(const report::PlanReport &report, Model &model);
void readWhatNext(const Model &model, report::PlanReport &report);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_WHATNEXT_H
