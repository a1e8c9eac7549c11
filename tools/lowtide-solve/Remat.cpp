//===- Remat.cpp - lowtide-solve remat ------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RematResultOutput.h"

#include "lowtide/Solver/Remat/RematFile.h"
#include "lowtide/Solver/Remat/Simulate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace lowtide::solve;
using namespace lowtide::solver;
using llvm::StringRef;

int lowtide::solve::runRemat(Arguments &arguments) {
  if (!arguments.parse({"--budget", "--order", "--algorithm", "--time-limit",
                        "--seed", "--threads", "--effort", "--plan"},
                       {"--json"}, 1))
    return UsageError;
  RematOptions options;
  std::optional<BudgetText> budget;
  if (auto text = arguments.value("--budget")) {
    budget = parseBudget(*text);
    if (!budget)
      return arguments.usage("'--budget' is '" + *text +
                             "' but should be bytes, a percent or 'min'");
  }
  if (!readSolverFlags(arguments, options))
    return UsageError;
  if (!canRead(arguments.plain(0)))
    return InputOutput;
  auto planPath = arguments.value("--plan");
  if (planPath && !canWrite(*planPath))
    return InputOutput;
  if (!budget)
    return arguments.usage("'--budget' is missing");

  auto problem = readProblemFile(arguments.plain(0));
  if (!problem)
    return fail(BadProblem, llvm::toString(problem.takeError()));
  RematResult result;
  if (budget->kind == BudgetText::Least) {
    result = minimizePeak(*problem, options);
  } else {
    options.budgetBytes = bytesOf(*budget, *problem);
    result = solveRemat(*problem, options);
  }
  if (!result.error.empty())
    return fail(BadProblem, result.error);

  if (planPath && result.hasPlan())
    if (llvm::Error error =
            writeAtomically(*planPath, [&](llvm::raw_ostream &os) {
              writePlan(*problem, result.schedule, os);
            }))
      return fail(InputOutput, "cannot write '" + *planPath +
                                   "': " + llvm::toString(std::move(error)));
  if (arguments.has("--json"))
    printJson(*problem, result, llvm::outs());
  else
    printText(*problem, result, options.budgetBytes, llvm::outs());
  return result.hasPlan() ? Done : BudgetNotMet;
}
