//===- RematResultOutput.cpp - Flags and output of remat commands ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RematResultOutput.h"

#include "lowtide/Solver/Remat/Simulate.h"
#include "lowtide/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace lowtide;
using namespace lowtide::solve;
using namespace lowtide::solver;
using llvm::StringRef;

bool solve::readSolverFlags(const Arguments &arguments, RematOptions &options) {
  if (auto order = arguments.value("--order")) {
    if (*order != "fixed" && *order != "free") {
      arguments.usage("'--order' is '" + *order +
                      "' but should be fixed or free");
      return false;
    }
    options.fixedOrder = *order == "fixed";
  }
  if (auto name = arguments.value("--algorithm")) {
    options.algorithm = name->str();
    if (*name != "auto" &&
        !llvm::is_contained(rematAlgorithms(), options.algorithm)) {
      std::string known = "auto";
      for (const std::string &other : rematAlgorithms())
        known += ", " + other;
      arguments.usage("'--algorithm' is '" + *name + "'; known: " + known);
      return false;
    }
  }
  int64_t seed = 0, threads = 1;
  if (!arguments.seconds("--time-limit", options.timeLimitSeconds) ||
      !arguments.seconds("--effort", options.effort) ||
      !arguments.integer("--seed", 0, INT64_MAX, seed) ||
      !arguments.integer("--threads", 1, 1024, threads))
    return false;
  options.seed = uint64_t(seed);
  options.threads = int(threads);
  return true;
}

int64_t solve::bytesOf(const BudgetText &budget, const RematProblem &problem) {
  if (budget.kind == BudgetText::Bytes)
    return budget.bytes;
  auto base = simulate(problem, problem.order);
  if (!base) {
    llvm::consumeError(base.takeError());
    return 0;
  }
  return percentOfPeak(base->peakBytes, budget.percent);
}

/// Six decimals are enough to tell any two plans of the public problems apart.
static double rounded(double percent) {
  return std::round(percent * 1e6) / 1e6;
}

void solve::writeResult(const RematProblem &problem, const RematResult &result,
                        llvm::json::OStream &out) {
  bool hasPlan = result.hasPlan();
  auto onlyWithPlan = [&](StringRef key, llvm::json::Value value) {
    out.attribute(key, hasPlan ? std::move(value) : llvm::json::Value(nullptr));
  };
  out.attribute("status", statusName(result.status));
  onlyWithPlan("peak", result.peakBytes);
  onlyWithPlan("cost", result.cost);
  onlyWithPlan("increase_percent", rounded(result.increasePercent()));
  out.attribute("bound_percent", rounded(result.boundPercent()));
  onlyWithPlan("gap_percent", rounded(result.gapPercent()));
  out.attribute("seconds", result.seconds);
  out.attribute("stopped_by", result.stoppedBy);
  if (hasPlan || result.witnessOp < 0)
    out.attribute("witness", nullptr);
  else
    out.attributeObject("witness", [&] {
      out.attribute("op", problem.opId(result.witnessOp));
      out.attribute("name",
                    llvm::json::fixUTF8(problem.ops[result.witnessOp].name));
    });
  if (result.smallestFeasibleBytes > 0)
    out.attribute("smallest_feasible_bytes", result.smallestFeasibleBytes);
  else
    out.attribute("smallest_feasible_bytes", nullptr);
  out.attribute("floor_bytes", result.floorBytes);
}

void solve::printJson(const RematProblem &problem, const RematResult &result,
                      llvm::raw_ostream &os) {
  llvm::json::OStream out(os);
  out.object([&] { writeResult(problem, result, out); });
  os << "\n";
}

void solve::printText(const RematProblem &problem, const RematResult &result,
                      int64_t budgetBytes, llvm::raw_ostream &os) {
  os << "status    " << statusName(result.status) << "\n";
  if (result.hasPlan()) {
    os << "peak      " << result.peakBytes << " bytes ("
       << formatBytes(result.peakBytes) << ")\n"
       << "cost      " << result.cost << ", "
       << llvm::format("%.4f", result.increasePercent())
       << " % more than without recomputation\n"
       << "bound     "
       << llvm::format("%.4f %% proved, gap %.4f %%", result.boundPercent(),
                       result.gapPercent())
       << "\n"
       << "floor     " << result.floorBytes << " bytes proved\n";
  } else {
    os << "budget    " << budgetBytes << " bytes (" << formatBytes(budgetBytes)
       << ")\n"
       << "smallest  " << result.smallestFeasibleBytes << " bytes ("
       << formatBytes(result.smallestFeasibleBytes)
       << ") is surely met by the same command\n"
       << "floor     " << result.floorBytes << " bytes: nothing below works\n";
    if (result.witnessOp >= 0)
      os << "forced by op " << problem.opId(result.witnessOp) << " ('"
         << problem.ops[result.witnessOp].name << "')\n";
    if (budgetBytes < problem.residentBytes)
      os << "The resident bytes alone (" << problem.residentBytes
         << ") exceed the budget; recomputation can't help.\n";
  }
  os << "time      " << llvm::format("%.2f s", result.seconds)
     << ", stopped by " << result.stoppedBy << "\n";
}
