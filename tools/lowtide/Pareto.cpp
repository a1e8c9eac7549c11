//===- Pareto.cpp - lowtide pareto ----------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The solver's curve, each plan with its addresses: a point's bytes are those
// of the arena that the step would need. Where addresses take more than the
// solver counted, the proved bound is that of the next larger budget, which
// holds there as well.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "PlanFlags.h"
#include "Progress.h"
#include "ReportFlags.h"
#include "StepFlags.h"

#include "lowtide/Solver/Placement/PlaceSchedule.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace lowtide;
using namespace lowtide::cli;

namespace {
struct Point {
  report::ParetoPoint shown;
  int64_t provedAtBytes = 0;
};
} // namespace

/// Points by bytes, each one cheaper than the smaller ones.
static std::vector<report::ParetoPoint> undominated(std::vector<Point> points) {
  llvm::stable_sort(points, [](const Point &a, const Point &b) {
    return a.shown.budgetBytes < b.shown.budgetBytes;
  });
  std::vector<report::ParetoPoint> kept;
  for (size_t i = 0; i < points.size(); ++i) {
    report::ParetoPoint point = points[i].shown;
    // A bound proved for fewer bytes doesn't hold here.
    if (points[i].provedAtBytes < point.budgetBytes) {
      double bound = 0;
      for (const Point &other : points)
        if (other.provedAtBytes >= point.budgetBytes)
          bound = std::max(bound, *other.shown.lowerBoundPercent);
      point.lowerBoundPercent = bound;
      if (point.status == "optimal" && bound < *point.extraPercent)
        point.status = "feasible";
    }
    if (kept.empty() || *point.extraPercent < *kept.back().extraPercent)
      kept.push_back(point);
  }
  return kept;
}

static std::optional<std::vector<Point>>
placePoints(const solver::RematProblem &problem,
            const std::vector<solver::ParetoPoint> &curve) {
  std::vector<Point> points;
  for (const solver::ParetoPoint &solved : curve) {
    if (!solved.result.hasPlan())
      continue;
    auto placed = solver::placeSchedule(problem, solved.result.schedule,
                                        packingOptions());
    if (!placed) {
      fail(Unsupported, llvm::toString(placed.takeError()));
      return std::nullopt;
    }
    Point point;
    point.provedAtBytes = solved.budgetBytes;
    point.shown.budgetBytes = std::max(solved.budgetBytes, placed->arenaBytes);
    point.shown.peakBytes = placed->arenaBytes;
    point.shown.extraPercent = solved.result.increasePercent();
    point.shown.lowerBoundPercent = solved.result.boundPercent();
    point.shown.status = solver::statusName(solved.result.status);
    points.push_back(std::move(point));
  }
  return points;
}

static int makeCurve(Session &session, const Target &target,
                     const PlanFlags &flags, int numPoints,
                     report::ParetoReport &report) {
  auto outcome = planModel(session.model, target, flags.options);
  if (mlir::failed(outcome))
    return Unsupported;
  auto memory = StepMemory::analyze(getMain(session.model), target.costs,
                                    *target.backend);
  if (mlir::failed(memory))
    return Unsupported;
  solver::RematProblem problem = extractRematProblem(*memory);
  solver::RematOptions options;
  options.timeLimitSeconds = flags.options.timeLimitSeconds;
  options.threads = flags.options.threads;
  options.seed = flags.options.seed;
  auto points =
      placePoints(problem, solver::paretoCurve(problem, options, numPoints));
  if (!points)
    return Unsupported;
  constexpr double picosecond = 1e-12;
  report.storeAllPeakBytes = outcome->storeAllPeakBytes;
  report.residentBytes = outcome->residentBytes;
  report.floorBytes = outcome->floorBytes;
  report.stepCostSeconds = double(outcome->costOnce) * picosecond;
  // The end that needs no solving.
  points->push_back(
      {{outcome->storeAllPeakBytes, outcome->arenaBytes, 0.0, 0.0, "optimal"},
       outcome->storeAllPeakBytes});
  report.points = undominated(std::move(*points));
  report.smallestFeasibleBytes = report.points.front().budgetBytes;
  return Done;
}

int cli::runPareto(Arguments &arguments) {
  Arguments::Declaration declared;
  declareStepFlags(declared);
  declarePlanFlags(declared);
  ReportFlags::declare(declared);
  declared.valueFlags.push_back("--points");
  declared.leastPlain = declared.mostPlain = 1;
  StepFlags step;
  PlanFlags flags;
  ReportFlags reports;
  int64_t numPoints = 9;
  if (!arguments.parse(declared) || !readStepFlags(arguments, step) ||
      !readPlanFlags(arguments, flags) || !reports.read(arguments) ||
      !arguments.integer("--points", 2, 1000, numPoints))
    return UsageError;
  llvm::StringRef path = arguments.plain(0);
  if (!canRead(path) || !checkPlanPaths(flags))
    return InputOutput;
  if (int code = reports.checkPaths(arguments, {path}))
    return code;
  std::optional<Target> target;
  if (int code = loadTarget(flags, target))
    return code;
  Session session;
  if (int code = session.load(path))
    return code;
  if (int code = buildTrainingStep(session, arguments, step))
    return code;
  report::ParetoReport report;
  report.model = modelName(path);
  report.device = target->costs.getSpec().name;
  Progress progress;
  progress.show("planning the curve");
  auto start = std::chrono::steady_clock::now();
  int code = makeCurve(session, *target, flags, int(numPoints), report);
  progress.clear();
  if (code)
    return code;
  report.planSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (reports.isEmpty())
    reports.addDefaultTable();
  return reports.write(report);
}
