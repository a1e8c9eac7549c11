//===- Pipelines.h - From a file to a planned step --------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The pass lists of the tools, in the order of docs/Architecture.md. Each
// function takes a model in one form and leaves it in the next; diagnostics go
// to the module's context.
//
//   Model model;
//   importOnnx(path, context, model);                       F0
//   prepareForward(model, {.sizeByName = {{"N", 8}}});      F1
//   makeStep(model, stepOptions);                           F2
//   auto outcome = planModel(model, target, planOptions);   F4
//   auto plan = makeExecPlan(model, target);                ExecPlan
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_PIPELINES_PIPELINES_H
#define LOWTIDE_PIPELINES_PIPELINES_H

#include "lowtide/Frontend/Model.h"
#include "lowtide/Report/PlanReport.h"
#include "lowtide/Transforms/BuildStep.h"
#include "lowtide/Transforms/PlanStep.h"

#include <map>

namespace lowtide {

/// Registers the dialects and all rules.
void registerAll(mlir::DialectRegistry &registry);

/// The graph: the function `main` of the module.
mlir::func::FuncOp getMain(const Model &model);
/// The model is a training step (F2 or later).
bool isStep(const Model &model);
/// The step has a plan (F4).
bool isPlanned(const Model &model);

struct ForwardOptions {
  std::map<std::string, int64_t> sizeByName;
  bool float64 = false;
};

/// F0 to F1. Weights are widened with the graph for float64.
mlir::LogicalResult prepareForward(Model &model, const ForwardOptions &options);

/// F1 to F2.
mlir::LogicalResult makeStep(Model &model, const StepOptions &options);

/// The device that is planned for: its costs and the back end that says what
/// its kernels need.
struct Target {
  CostModel costs;
  std::unique_ptr<runtime::Backend> backend;
};

/// The target of a spec, by name or file, with measured costs if a file is
/// given. For devices without a back end in this build the CPU's kernels stand
/// in for the question what a kernel needs.
llvm::Expected<Target> makeTarget(llvm::StringRef device,
                                  llvm::StringRef costsPath);

/// F2 (or F4, which is planned anew) to F4; writes `plan.summary` when there is
/// a plan.
mlir::FailureOr<PlanOutcome> planModel(Model &model, const Target &target,
                                       const PlanOptions &options);

/// F4 to what the runtime executes; every place is verified again.
mlir::FailureOr<runtime::ExecPlan> makeExecPlan(const Model &model,
                                                const Target &target);

/// Everything a report says before a run. For a refusal `model` is in form F2
/// and only the outcome's figures are filled in.
mlir::FailureOr<report::PlanReport> makeReport(const Model &model,
                                               const Target &target,
                                               const PlanOutcome &outcome,
                                               llvm::StringRef modelName);

/// The outcome that `plan.summary` of a planned file holds.
PlanOutcome readOutcome(const Model &model);

} // namespace lowtide

#endif // LOWTIDE_PIPELINES_PIPELINES_H
