//===- Check.cpp - lowtide-solve check ------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "lowtide/Solver/Remat/RematFile.h"
#include "lowtide/Solver/Remat/Simulate.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace lowtide::solve;
using namespace lowtide::solver;
using llvm::StringRef;

namespace {
struct Verdict {
  bool valid = false;
  std::string reason;
  int64_t peakBytes = 0, basePeakBytes = 0, cost = 0;
  std::optional<int64_t> budgetBytes;
  double increasePercent = 0;
  int64_t recomputes = 0;
};
} // namespace

static Verdict judge(const RematProblem &problem, const RematSchedule &plan,
                     SimulateOptions options) {
  Verdict verdict;
  auto base = simulate(problem, problem.order);
  if (!base) {
    verdict.reason = llvm::toString(base.takeError());
    return verdict;
  }
  verdict.basePeakBytes = base->peakBytes;
  auto simulation = simulate(problem, plan, options);
  if (!simulation) {
    verdict.reason = llvm::toString(simulation.takeError());
    return verdict;
  }
  verdict.peakBytes = simulation->peakBytes;
  verdict.cost = simulation->cost;
  verdict.recomputes = int64_t(plan.size()) - int64_t(problem.ops.size());
  if (base->cost > 0)
    verdict.increasePercent =
        100 * (double(simulation->cost) / double(base->cost) - 1);
  if (llvm::Error error = verifyPlan(
          problem, plan, {verdict.peakBytes, verdict.cost}, options)) {
    verdict.reason = llvm::toString(std::move(error));
    return verdict;
  }
  verdict.valid = true;
  return verdict;
}

static void print(const Verdict &verdict, bool asJson) {
  llvm::raw_ostream &os = llvm::outs();
  if (!asJson) {
    if (!verdict.valid) {
      os << "not a valid plan: " << verdict.reason << "\n";
      return;
    }
    os << "peak " << verdict.peakBytes << " of " << verdict.basePeakBytes
       << " bytes, cost " << verdict.cost << " (+"
       << llvm::format("%.4f", verdict.increasePercent) << " %), "
       << verdict.recomputes << " recomputed";
    if (verdict.budgetBytes)
      os << ", budget " << *verdict.budgetBytes
         << (verdict.peakBytes <= *verdict.budgetBytes ? " met" : " NOT met");
    os << "\n";
    return;
  }
  llvm::json::OStream out(os);
  out.object([&] {
    out.attribute("valid", verdict.valid);
    if (!verdict.valid) {
      out.attribute("reason", verdict.reason);
      return;
    }
    out.attribute("peak", verdict.peakBytes);
    out.attribute("base_peak", verdict.basePeakBytes);
    if (verdict.budgetBytes)
      out.attribute("budget", *verdict.budgetBytes);
    out.attribute("cost", verdict.cost);
    out.attribute("increase_percent", verdict.increasePercent);
    out.attribute("recomputes", verdict.recomputes);
  });
  os << "\n";
}

int lowtide::solve::runCheck(Arguments &arguments) {
  if (!arguments.parse({"--budget", "--order"}, {"--json"}, 2))
    return UsageError;
  std::optional<BudgetText> budget;
  if (auto text = arguments.value("--budget")) {
    budget = parseBudget(*text);
    if (!budget || budget->kind == BudgetText::Least)
      return arguments.usage("'--budget' is '" + *text +
                             "' but should be bytes or a percent");
  }
  StringRef order = arguments.value("--order").value_or("free");
  if (order != "fixed" && order != "free")
    return arguments.usage("'--order' is '" + order +
                           "' but should be fixed or free");
  if (!canRead(arguments.plain(0)) || !canRead(arguments.plain(1)))
    return InputOutput;

  auto problem = readProblemFile(arguments.plain(0));
  if (!problem)
    return fail(BadProblem, llvm::toString(problem.takeError()));
  auto plan = readPlanFile(*problem, arguments.plain(1));
  if (!plan)
    return fail(BadProblem, llvm::toString(plan.takeError()));
  SimulateOptions options;
  options.fixedOrder = order == "fixed";
  Verdict verdict = judge(*problem, *plan, options);
  if (budget)
    verdict.budgetBytes =
        budget->kind == BudgetText::Bytes
            ? budget->bytes
            : percentOfPeak(verdict.basePeakBytes, budget->percent);
  print(verdict, arguments.has("--json"));
  if (!verdict.valid)
    return CheckFailed;
  if (verdict.budgetBytes && verdict.peakBytes > *verdict.budgetBytes)
    return BudgetNotMet;
  return Done;
}
