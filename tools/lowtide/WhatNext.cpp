//===- WhatNext.cpp - Other budgets that a user could choose --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "WhatNext.h"

#include "mlir/IR/Builders.h"

using namespace lowtide;
using namespace lowtide::cli;

static report::BudgetOption toOption(llvm::StringRef label, int64_t bytes,
                                     const PlanOutcome &outcome) {
  return {label.str(), bytes,
          percentAbove(outcome.costPlanned, outcome.costOnce),
          percentAbove(outcome.costBound, outcome.costOnce)};
}

void cli::addWhatNext(Session &session, const Target &target,
                      const PlanOptions &options, Progress &progress,
                      report::PlanReport &report) {
  Model copy = session.cloneModel();
  PlanOptions next = options;
  // The model is in the order that was chosen already.
  next.keepOrder |= isPlanned(copy);
  session.diagnostics.hold();
  auto plan = [&](llvm::StringRef label, Budget budget) {
    progress.show(("planning " + label).str());
    next.budget = budget;
    auto outcome = planModel(copy, target, next);
    if (mlir::succeeded(outcome) && outcome->hasPlan())
      report.whatNext.push_back(
          toOption(label, outcome->budgetBytes, *outcome));
  };
  // The plan itself found out the smallest, unless it kept everything.
  if (report.whatNext.empty()) {
    plan("smallest", LeastBudget{});
    if (!report.whatNext.empty())
      report.smallestFeasibleBytes = report.whatNext.front().bytes;
  }
  next.leastArenaBytes = report.smallestFeasibleBytes;
  next.effort = options.effort / 4;
  plan("75 %", PercentBudget{75});
  plan("50 %", PercentBudget{50});
  session.diagnostics.release();
  progress.clear();
}

static constexpr const char *summaryName = "plan.summary";
static constexpr const char *rowsName = "what_next";

void cli::storeWhatNext(const report::PlanReport &report, Model &model) {
  mlir::func::FuncOp function = getMain(model);
  mlir::Builder builder(function.getContext());
  auto summary = function->getAttrOfType<mlir::DictionaryAttr>(summaryName);
  if (!summary || report.whatNext.empty())
    return;
  llvm::SmallVector<mlir::Attribute> rows;
  for (const report::BudgetOption &option : report.whatNext) {
    mlir::NamedAttrList row;
    row.set("label", builder.getStringAttr(option.label));
    row.set("bytes", builder.getI64IntegerAttr(option.bytes));
    row.set("extra_percent",
            builder.getF64FloatAttr(option.extraPercent.value_or(0)));
    row.set("lower_bound_percent",
            builder.getF64FloatAttr(option.lowerBoundPercent.value_or(0)));
    rows.push_back(row.getDictionary(builder.getContext()));
  }
  mlir::NamedAttrList all(summary);
  all.set(rowsName, builder.getArrayAttr(rows));
  function->setAttr(summaryName, all.getDictionary(builder.getContext()));
}

void cli::readWhatNext(const Model &model, report::PlanReport &report) {
  auto summary =
      getMain(model)->getAttrOfType<mlir::DictionaryAttr>(summaryName);
  auto rows =
      summary ? summary.getAs<mlir::ArrayAttr>(rowsName) : mlir::ArrayAttr();
  if (!rows)
    return;
  for (mlir::Attribute attr : rows) {
    auto row = mlir::dyn_cast<mlir::DictionaryAttr>(attr);
    if (!row)
      continue;
    auto label = row.getAs<mlir::StringAttr>("label");
    auto bytes = row.getAs<mlir::IntegerAttr>("bytes");
    auto extra = row.getAs<mlir::FloatAttr>("extra_percent");
    auto bound = row.getAs<mlir::FloatAttr>("lower_bound_percent");
    if (!label || !bytes || !extra || !bound)
      continue;
    report.whatNext.push_back({label.str(), bytes.getInt(),
                               extra.getValueAsDouble(),
                               bound.getValueAsDouble()});
    if (label.getValue() == "smallest")
      report.smallestFeasibleBytes = bytes.getInt();
  }
}
