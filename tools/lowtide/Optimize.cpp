//===- Optimize.cpp - lowtide optimize ------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// From a model to a step file within a budget. Where there is no plan, nothing
// is written but the reports that were asked for, and the message says what
// would work.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "ExportFlags.h"
#include "PlanFlags.h"
#include "ProblemFile.h"
#include "ReportFlags.h"
#include "StepFlags.h"
#include "WhatNext.h"

#include "lowtide/Support/Bytes.h"
#include "lowtide/Support/Printable.h"

#include <chrono>

using namespace lowtide;
using namespace lowtide::cli;
using llvm::StringRef;

namespace {

class OptimizeCommand {
public:
  explicit OptimizeCommand(Arguments &arguments) : arguments(arguments) {}
  int run();

private:
  bool readFlags();
  int checkPaths();
  int plan(Session &session, const Target &target);
  int finish(Session &session, const Target &target, const PlanOutcome &outcome,
             double planSeconds);

  StringRef modelPath() const { return arguments.plain(0); }
  StringRef outPath() const {
    return arguments.numPlain() > 1 ? arguments.plain(1) : StringRef();
  }

  Arguments &arguments;
  StepFlags step;
  PlanFlags planFlags;
  ReportFlags reports;
  ExportOptions exportOptions;
  bool dryRun = false;
};

} // namespace

static bool readBudget(const Arguments &arguments, PlanFlags &flags) {
  auto text = arguments.value("--budget");
  if (!text)
    return true;
  auto budget = parseBudget(*text);
  if (!budget) {
    arguments.usage("'--budget' is '" + *text +
                    "' but should be bytes (2GiB), a percent of the store-all "
                    "peak (50%) or 'min'");
    return false;
  }
  if (budget->kind == BudgetText::Least)
    flags.options.budget = LeastBudget{};
  else if (budget->kind == BudgetText::Percent)
    flags.options.budget = PercentBudget{budget->percent};
  else
    flags.options.budget = ByteBudget{budget->bytes};
  return true;
}

bool OptimizeCommand::readFlags() {
  Arguments::Declaration declared;
  declareStepFlags(declared);
  declarePlanFlags(declared);
  ReportFlags::declare(declared);
  declareExportFlags(declared);
  declared.valueFlags.push_back("--budget");
  declared.valueFlags.push_back("--problem");
  declared.boolFlags.push_back("--dry-run");
  declared.leastPlain = 1;
  declared.mostPlain = 2;
  if (!arguments.parse(declared))
    return false;
  dryRun = arguments.has("--dry-run");
  if (!dryRun && outPath().empty()) {
    arguments.usage("expected MODEL and OUT (or --dry-run)");
    return false;
  }
  return readStepFlags(arguments, step) &&
         readPlanFlags(arguments, planFlags) &&
         readBudget(arguments, planFlags) && reports.read(arguments) &&
         readExportFlags(arguments, exportOptions);
}

int OptimizeCommand::checkPaths() {
  if (!canRead(modelPath()) || !checkPlanPaths(planFlags))
    return InputOutput;
  StringRef problem = arguments.value("--problem").value_or("");
  if (!dryRun) {
    if (isSameFile(modelPath(), outPath()))
      return arguments.usage("MODEL and OUT are the same file");
    if (!canWrite(outPath()))
      return InputOutput;
  }
  if (!problem.empty() && !canWrite(problem))
    return InputOutput;
  std::vector<StringRef> others = {modelPath()};
  for (StringRef path : {outPath(), problem})
    if (!path.empty())
      others.push_back(path);
  return reports.checkPaths(arguments, others);
}

/// "2,147,483,648 bytes (2.0 GiB)"
static std::string bytesText(int64_t bytes) {
  return report::formatCount(bytes) + " bytes (" + formatBytes(bytes) + ")";
}

static void explainRefusal(const PlanOutcome &outcome) {
  bool proved = outcome.status == solver::RematStatus::Infeasible;
  std::string text =
      proved
          ? "the budget of " + bytesText(outcome.budgetBytes) + " can't be met"
          : "no plan was found within the budget of " +
                bytesText(outcome.budgetBytes) +
                ", and none was proved impossible";
  fail(BudgetNotMet, text);
  llvm::raw_ostream &os = llvm::errs();
  if (outcome.smallestFeasibleBytes > 0)
    os << "  smallest feasible: " << bytesText(outcome.smallestFeasibleBytes)
       << "\n";
  os << "  floor:             " << bytesText(outcome.floorBytes)
     << "; nothing below can work\n"
     << "  resident:          " << bytesText(outcome.residentBytes)
     << "; parameters, state and inputs\n"
     << "  store-all:         " << bytesText(outcome.storeAllPeakBytes)
     << "; without recomputation\n";
  if (!outcome.forcedByNode.empty())
    os << "  forced by node '" << printable(outcome.forcedByNode)
       << "', which needs at once:\n";
  for (const std::string &tensor : outcome.forcedByTensors)
    os << "    " << printable(tensor) << "\n";
  if (outcome.budgetBytes < outcome.residentBytes)
    os << "  The budget is below the resident bytes alone: recomputation can't "
          "help.\n";
  if (outcome.smallestFeasibleBytes > 0)
    os << "  The same command succeeds with --budget "
       << outcome.smallestFeasibleBytes << "\n";
}

int OptimizeCommand::finish(Session &session, const Target &target,
                            const PlanOutcome &outcome, double planSeconds) {
  auto report =
      makeReport(session.model, target, outcome, modelName(modelPath()));
  if (mlir::failed(report))
    return Unsupported;
  report->planSeconds = planSeconds;
  if (!outcome.hasPlan()) {
    explainRefusal(outcome);
    int code = reports.write(*report);
    return code ? code : BudgetNotMet;
  }
  PlanOptions options = planFlags.options;
  Progress progress;
  bool limited = options.timeLimitSeconds > 0;
  options.timeLimitSeconds -= limited ? planSeconds : 0;
  if (!limited || options.timeLimitSeconds > 0)
    addWhatNext(session, target, options, progress, *report);
  // What a clock may have cut short would make files differ.
  if (!limited)
    storeWhatNext(*report, session.model);
  recordDimensions(session.model);
  if (!dryRun)
    if (int code = session.save(outPath(), exportOptions))
      return code;
  if (reports.isEmpty())
    reports.addDefaultTable();
  return reports.write(*report);
}

int OptimizeCommand::plan(Session &session, const Target &target) {
  if (auto path = arguments.value("--problem"))
    if (int code = writeProblemFile(session.model, target, *path))
      return code;
  Progress progress;
  progress.show("planning");
  auto start = std::chrono::steady_clock::now();
  auto outcome = planModel(session.model, target, planFlags.options);
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  progress.clear();
  if (mlir::failed(outcome))
    return Unsupported;
  return finish(session, target, *outcome, seconds);
}

int OptimizeCommand::run() {
  if (!readFlags())
    return UsageError;
  if (int code = checkPaths())
    return code;
  if (!arguments.has("--budget"))
    return arguments.usage("'--budget' is missing: bytes (2GiB), a percent of "
                           "the store-all peak (50%) or 'min'");
  std::optional<Target> target;
  if (int code = loadTarget(planFlags, target))
    return code;
  Session session;
  if (int code = session.load(modelPath()))
    return code;
  if (int code = buildTrainingStep(session, arguments, step))
    return code;
  return plan(session, *target);
}

int cli::runOptimize(Arguments &arguments) {
  return OptimizeCommand(arguments).run();
}
