//===- Order.cpp - lowtide-solve order ------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "lowtide/Solver/Remat/RematFile.h"
#include "lowtide/Solver/Remat/Simulate.h"
#include "lowtide/Solver/Schedule/OrderOps.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <chrono>

using namespace lowtide::solve;
using namespace lowtide::solver;

static void print(const OrderResult &result, double seconds, bool asJson) {
  llvm::raw_ostream &os = llvm::outs();
  if (!asJson) {
    os << toString(result.status) << ": peak " << result.peakBytes
       << ", order of the file " << result.inputOrderPeakBytes
       << ", lower bound " << result.lowerBoundBytes << ", "
       << llvm::format("%.3f", seconds) << " s\n";
    return;
  }
  llvm::json::OStream out(os, 2);
  out.object([&] {
    out.attribute("status", toString(result.status));
    out.attribute("peak", result.peakBytes);
    out.attribute("order_peak", result.inputOrderPeakBytes);
    out.attribute("lower_bound", result.lowerBoundBytes);
    out.attribute("seconds", seconds);
    out.attribute("stopped_by", result.stoppedByClock ? "clock" : "done");
  });
  os << "\n";
}

int lowtide::solve::runOrder(Arguments &arguments) {
  if (!arguments.parse({"--time-limit", "--plan"}, {"--json"}, 1))
    return UsageError;
  OrderOptions options;
  if (!arguments.seconds("--time-limit", options.timeLimitSeconds))
    return UsageError;
  if (!canRead(arguments.plain(0)))
    return InputOutput;
  auto planPath = arguments.value("--plan");
  if (planPath && !canWrite(*planPath))
    return InputOutput;

  auto begin = std::chrono::steady_clock::now();
  auto problem = readProblemFile(arguments.plain(0));
  if (!problem)
    return fail(BadProblem, llvm::toString(problem.takeError()));
  auto result = orderForLeastPeak(*problem, options);
  if (!result)
    return fail(BadProblem, llvm::toString(result.takeError()));
  int64_t cost = 0;
  for (const RematOp &op : problem->ops)
    cost += op.cost;
  if (llvm::Error error =
          verifyPlan(*problem, result->order, {result->peakBytes, cost}))
    return fail(CheckFailed, llvm::toString(std::move(error)));
  if (planPath)
    if (llvm::Error error =
            writeAtomically(*planPath, [&](llvm::raw_ostream &os) {
              writePlan(*problem, result->order, os);
            }))
      return fail(InputOutput, "cannot write '" + *planPath +
                                   "': " + llvm::toString(std::move(error)));
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  print(*result, seconds, arguments.has("--json"));
  return Done;
}
