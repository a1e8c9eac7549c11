//===- Pareto.cpp - lowtide-solve pareto ----------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RematResultOutput.h"

#include "lowtide/Solver/Remat/RematFile.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace lowtide::solve;
using namespace lowtide::solver;

static void printTable(const std::vector<ParetoPoint> &points,
                       llvm::raw_ostream &os) {
  os << "          budget            peak    extra %    bound %      gap %  "
        "status\n";
  for (const ParetoPoint &point : points) {
    const RematResult &result = point.result;
    os << llvm::format("%16lld%16lld%11.4f%11.4f%11.4f  ",
                       (long long)point.budgetBytes,
                       (long long)result.peakBytes, result.increasePercent(),
                       result.boundPercent(), result.gapPercent())
       << statusName(result.status) << "\n";
  }
}

static void printCsv(const std::vector<ParetoPoint> &points,
                     llvm::raw_ostream &os) {
  os << "budget,peak,cost,increase_percent,bound_percent,gap_percent,status\n";
  for (const ParetoPoint &point : points)
    os << point.budgetBytes << "," << point.result.peakBytes << ","
       << point.result.cost << ","
       << llvm::format("%.6f,%.6f,%.6f,", point.result.increasePercent(),
                       point.result.boundPercent(), point.result.gapPercent())
       << statusName(point.result.status) << "\n";
}

int lowtide::solve::runPareto(Arguments &arguments) {
  if (!arguments.parse({"--points", "--order", "--time-limit", "--seed",
                        "--threads", "--effort"},
                       {"--json", "--csv"}, 1))
    return UsageError;
  RematOptions options;
  int64_t numPoints = 16;
  if (!arguments.integer("--points", 2, 1000, numPoints) ||
      !readSolverFlags(arguments, options))
    return UsageError;
  if (!canRead(arguments.plain(0)))
    return InputOutput;
  auto problem = readProblemFile(arguments.plain(0));
  if (!problem)
    return fail(BadProblem, llvm::toString(problem.takeError()));
  std::vector<ParetoPoint> points =
      paretoCurve(*problem, options, int(numPoints));
  if (arguments.has("--json")) {
    llvm::json::OStream out(llvm::outs());
    out.array([&] {
      for (const ParetoPoint &point : points)
        out.object([&] {
          out.attribute("budget", point.budgetBytes);
          writeResult(*problem, point.result, out);
        });
    });
    llvm::outs() << "\n";
  } else if (arguments.has("--csv")) {
    printCsv(points, llvm::outs());
  } else {
    printTable(points, llvm::outs());
  }
  return Done;
}
