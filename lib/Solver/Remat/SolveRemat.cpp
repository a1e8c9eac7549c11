//===- SolveRemat.cpp - The rematerialization solver ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. The cheapest schedule within a budget, or the proof that none is.
//
// Idea. The order itself, when it fits, is optimal. Otherwise the boundary
// bound gives a proof and a first plan; repair and local search make it fit
// and cheap. Whether a budget is refused depends on the problem only: where it
// is below the peak of an easy plan, the least peak is searched first and
// budgets below that are refused, so the reported smallest budget always works
// and one byte less never does.
//
// Example. See SolveRemat.h.
//
// Cost. Counted work, about a second per unit of effort for a thousand ops.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ExactSearch.h"
#include "FreeOrderSearch.h"
#include "Planner.h"
#include "UnitChain.h"
#include "ViewFold.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::solver;

const char *solver::statusName(RematStatus status) {
  switch (status) {
  case RematStatus::Optimal:
    return "optimal";
  case RematStatus::Feasible:
    return "feasible";
  case RematStatus::Infeasible:
    return "infeasible";
  case RematStatus::Timeout:
    break;
  }
  return "timeout";
}

static double percentOver(int64_t amount, int64_t base) {
  return base > 0 ? 100 * (double(amount) / double(base) - 1) : 0;
}

double RematResult::increasePercent() const {
  return percentOver(cost, onceCost);
}
double RematResult::boundPercent() const {
  return percentOver(boundCost, onceCost);
}
double RematResult::gapPercent() const { return percentOver(cost, boundCost); }

namespace {
class Run {
public:
  Run(const RematProblem &problem, const RematOptions &options)
      : original(problem), options(options), deadline(options.timeLimitSeconds),
        started(std::chrono::steady_clock::now()), folded(prepare(problem)),
        graph(folded), planner(graph, options, deadline),
        budgetBytes(options.budgetBytes) {}

  RematResult solve();
  RematResult minimize();
  RematResult easy();

private:
  RematProblem prepare(const RematProblem &problem);
  RematResult finish(RematResult result);
  bool accept(const JudgedPlan &plan, int64_t budgetBytes,
              RematResult &result) const;
  void refuse(RematResult &result, const JudgedPlan &least);
  RematResult solveBaseline();
  void search(const JudgedPlan &fallback, RematResult &result);
  void closeGap(BestBound &bound, JudgedPlan &plan);
  void proveSmall(BestBound &bound, JudgedPlan &plan);
  void reorder(const BestBound &bound, JudgedPlan &plan);

  const RematProblem &original;
  const RematOptions &options;
  Deadline deadline;
  std::chrono::steady_clock::time_point started;
  RematProblem folded;
  RematGraph graph;
  Planner planner;
  int64_t budgetBytes; ///< of this run; the least peak when that is sought
};
} // namespace

/// Folds views; where the order is free, starts from a lean one. That order is
/// a function of the problem and the seed, not of the budget.
RematProblem Run::prepare(const RematProblem &problem) {
  RematProblem result = foldViews(problem);
  if (options.fixedOrder || options.algorithm != "auto" ||
      result.ops.size() > 2000)
    return result;
  RematGraph plain(result);
  WorkLimit limit(deadline, int64_t(3000000000 * options.effort));
  result.order = findLeanOrder(plain, options.seed, limit);
  return result;
}

/// Turns a plan of the folded problem into the answer, if it really fits.
bool Run::accept(const JudgedPlan &plan, int64_t budgetBytes,
                 RematResult &result) const {
  if (!plan.isValid())
    return false;
  RematSchedule schedule = unfoldViews(original, plan.schedule);
  SimulateOptions order{options.fixedOrder};
  auto simulation = simulate(original, schedule, order);
  if (!simulation) {
    llvm::consumeError(simulation.takeError());
    return false;
  }
  if (simulation->peakBytes > budgetBytes)
    return false;
  if (llvm::Error error =
          verifyPlan(original, schedule,
                     {simulation->peakBytes, simulation->cost}, order)) {
    llvm::consumeError(std::move(error));
    return false;
  }
  result.schedule = std::move(schedule);
  result.peakBytes = simulation->peakBytes;
  result.cost = simulation->cost;
  return true;
}

RematResult Run::finish(RematResult result) {
  result.onceCost = graph.totalCost;
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started)
          .count();
  if (deadline.stoppedByClock())
    result.stoppedBy = "clock";
  else
    result.stoppedBy =
        result.status == RematStatus::Feasible ? "effort" : "done";
  return result;
}

void Run::refuse(RematResult &result, const JudgedPlan &least) {
  RematFloor floor = planner.floor();
  result.floorBytes = floor.bytes;
  result.smallestFeasibleBytes = least.peakBytes;
  result.witnessOp = floor.op;
  result.status = options.budgetBytes < floor.bytes ? RematStatus::Infeasible
                                                    : RematStatus::Timeout;
  result.boundCost = graph.totalCost;
}

RematResult Run::solveBaseline() {
  RematResult result;
  result.boundCost = graph.totalCost;
  JudgedPlan plan = baselinePlan(graph, options.algorithm, options.budgetBytes,
                                 options.fixedOrder, deadline);
  if (accept(plan, options.budgetBytes, result)) {
    result.status = result.cost == graph.totalCost ? RematStatus::Optimal
                                                   : RematStatus::Feasible;
    return finish(std::move(result));
  }
  refuse(result, plan.isValid() ? plan : planner.judge(graph.order));
  return finish(std::move(result));
}

/// Free order only: anneals over orders and runs together.
void Run::reorder(const BestBound &bound, JudgedPlan &plan) {
  if (graph.numOps() > 2000)
    return;
  for (uint64_t round = 0; round < 3; ++round) {
    if (plan.isValid() && plan.cost <= graph.totalCost + bound.extraCost)
      return;
    WorkLimit limit(deadline, int64_t(2500000000 * options.effort));
    FreeOrderOptions search;
    search.seed = options.seed + round;
    search.enough = double(bound.extraCost);
    JudgedPlan other = planner.judge(searchFreeOrder(
        graph, budgetBytes,
        round % 2 == 0 && plan.isValid() ? plan.schedule : graph.order, search,
        limit));
    if (!other.isValid() || other.peakBytes > budgetBytes)
      continue;
    other = planner.improved(other, budgetBytes,
                             graph.totalCost + bound.extraCost, 300000000);
    if (other.cost < plan.cost)
      plan = std::move(other);
  }
}

/// Small problems are solved to the end by search over states.
void Run::proveSmall(BestBound &bound, JudgedPlan &plan) {
  ExactOptions exact;
  exact.fixedOrder = options.fixedOrder;
  ExactResult proved = searchExactly(graph, budgetBytes, exact, deadline);
  if (!proved.isProved || !proved.schedule)
    return;
  JudgedPlan best = planner.judge(*proved.schedule);
  bound.extraCost = best.cost - graph.totalCost;
  if (best.cost < plan.cost)
    plan = std::move(best);
}

/// Raises the bound by branching at the best steps, and lowers the plan by
/// what those find and by local search, until they meet or the work is done.
void Run::closeGap(BestBound &bound, JudgedPlan &plan) {
  const int64_t budget = budgetBytes;
  // On large problems the last hundredth of a percent isn't worth the time.
  const int64_t slack = graph.numOps() > 400 ? graph.totalCost / 10000 : 0;
  auto isOpen = [&] {
    return plan.isValid() && plan.cost > graph.totalCost + bound.extraCost;
  };
  auto isWide = [&] {
    return isOpen() && plan.cost > graph.totalCost + bound.extraCost + slack;
  };
  auto branch = [&](int position, int64_t work) {
    BoundaryProblem boundary(graph, position, {!options.fixedOrder});
    BoundaryResult exact = boundary.solveExactly(
        budget, plan.cost - graph.totalCost,
        int64_t(double(work) * options.effort), bound.result.price);
    bound.extraCost = std::max(bound.extraCost, exact.bound);
    if (!isOpen() || exact.infeasible)
      return;
    JudgedPlan other = planner.fromChoice(position, exact.within, budget);
    if (other.isValid() && other.peakBytes <= budget && other.cost < plan.cost)
      plan = std::move(other);
  };
  if (isOpen() && bound.position >= 0)
    branch(bound.position, 30000000);
  if (isWide())
    plan = planner.improved(
        plan, budget, graph.totalCost + bound.extraCost + slack, 300000000);
  if (isOpen())
    proveSmall(bound, plan);
  for (size_t k = 0; k < bound.solved.size() && k < 8 && isWide(); ++k)
    branch(bound.solved[k].second, 60000000);
  if (isWide())
    plan = planner.improved(
        plan, budget, graph.totalCost + bound.extraCost + slack, 2000000000);
}

RematResult Run::solve() {
  if (options.algorithm != "auto")
    return solveBaseline();
  RematResult result;
  result.boundCost = graph.totalCost;
  if (accept(planner.judge(original.order), options.budgetBytes, result) ||
      accept(planner.judge(graph.order), options.budgetBytes, result)) {
    result.status = RematStatus::Optimal;
    result.floorBytes = planner.floor().bytes;
    return finish(std::move(result));
  }

  if (auto chain = planUnitChain(graph, options.budgetBytes))
    if (accept(planner.judge(*chain), options.budgetBytes, result)) {
      result.status = RematStatus::Optimal;
      result.boundCost = result.cost;
      result.floorBytes = planner.floor().bytes;
      return finish(std::move(result));
    }

  JudgedPlan easy = planner.easyPlan();
  if (options.budgetBytes < easy.peakBytes)
    easy = planner.leastPeak();
  if (options.budgetBytes < easy.peakBytes) {
    refuse(result, easy);
    return finish(std::move(result));
  }
  search(easy, result);
  return finish(std::move(result));
}

/// Bound and plan for `budgetBytes`; `fallback` fits.
void Run::search(const JudgedPlan &fallback, RematResult &result) {
  BestBound bound = bestBoundary(graph, budgetBytes, {!options.fixedOrder},
                                 int64_t(2000000000 * options.effort));
  JudgedPlan plan = planner.plan(budgetBytes, bound, fallback);
  closeGap(bound, plan);
  if (!options.fixedOrder)
    reorder(bound, plan);
  result.boundCost = graph.totalCost + bound.extraCost;
  if (!accept(plan, budgetBytes, result) &&
      !accept(fallback, budgetBytes, result)) {
    // Only added runs of view ops can lead here.
    refuse(result, planner.judge(graph.order));
    return;
  }
  result.status = result.cost <= result.boundCost ? RematStatus::Optimal
                                                  : RematStatus::Feasible;
  result.floorBytes = planner.floor().bytes;
}

RematResult Run::easy() {
  RematResult result;
  result.boundCost = graph.totalCost;
  JudgedPlan plan = planner.easyPlan();
  if (accept(plan, plan.peakBytes, result))
    result.status = RematStatus::Feasible;
  return finish(std::move(result));
}

RematResult Run::minimize() {
  RematResult result;
  JudgedPlan least = planner.leastPeak();
  budgetBytes = least.peakBytes;
  search(least, result);
  if (!result.hasPlan())
    return finish(std::move(result));
  result.smallestFeasibleBytes = budgetBytes;
  RematFloor floor = planner.floor();
  result.witnessOp = floor.op;
  // Here the peak is what is proved or not.
  result.status =
      budgetBytes <= floor.bytes ? RematStatus::Optimal : RematStatus::Feasible;
  return finish(std::move(result));
}

static std::string complaint(const RematProblem &problem,
                             const RematOptions &options) {
  if (llvm::Error error = checkProblem(problem))
    return llvm::toString(std::move(error));
  if (options.algorithm != "auto" &&
      !llvm::is_contained(rematAlgorithms(), options.algorithm))
    return "unknown algorithm '" + options.algorithm + "'";
  return "";
}

RematResult solver::solveRemat(const RematProblem &problem,
                               const RematOptions &options) {
  if (std::string error = complaint(problem, options); !error.empty()) {
    RematResult result;
    result.error = std::move(error);
    return result;
  }
  return Run(problem, options).solve();
}

RematResult solver::easyPlan(const RematProblem &problem,
                             const RematOptions &options) {
  if (std::string error = complaint(problem, options); !error.empty()) {
    RematResult result;
    result.error = std::move(error);
    return result;
  }
  return Run(problem, options).easy();
}

RematResult solver::minimizePeak(const RematProblem &problem,
                                 const RematOptions &options) {
  if (std::string error = complaint(problem, options); !error.empty()) {
    RematResult result;
    result.error = std::move(error);
    return result;
  }
  return Run(problem, options).minimize();
}

RematFloor solver::provedFloor(const RematProblem &problem) {
  RematOptions options;
  Deadline deadline(0);
  RematProblem folded = foldViews(problem);
  RematGraph graph(folded);
  return Planner(graph, options, deadline).floor();
}
