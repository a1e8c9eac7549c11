//===- PlanStep.cpp - Order, recomputation, addresses ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: the budget is a promise about the arena, addresses included, while
// the recomputation solver promises the bytes alive at once. Packing may need
// more.
//
// Idea: ask for the budget, place the answer, and when the arena is higher than
// the budget ask again for less by the difference. A schedule that doesn't fit
// is never applied.
//
// Complexity: a few rounds of solving and packing; usually one.
// Tested by test/Transforms/rematerialize.mlir and the whole-model tests.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Transforms/PlanStep.h"

#include "lowtide/Solver/Placement/PlaceSchedule.h"
#include "lowtide/Solver/Remat/Simulate.h"
#include "lowtide/Solver/Schedule/OrderOps.h"

using namespace mlir;

namespace lowtide {

namespace {

/// A schedule and the height of the arena that it needs.
struct PlacedPlan {
  solver::RematResult result;
  int64_t arenaBytes = 0;
  int64_t maxLiveBytes = 0;
};

class StepPlanner {
public:
  StepPlanner(func::FuncOp function, const CostModel &costs,
              const runtime::Backend &backend, const PlanOptions &options)
      : function(function), costs(costs), backend(backend), options(options) {}

  FailureOr<PlanOutcome> run();

private:
  LogicalResult reorder();
  LogicalResult analyze();
  solver::RematOptions solverOptions(int64_t budgetBytes) const;
  FailureOr<PlacedPlan> place(solver::RematResult result);
  FailureOr<PlacedPlan> planWithin(int64_t budgetBytes);
  FailureOr<PlacedPlan> refuseBelow(int64_t leastBytes, int64_t budgetBytes);
  LogicalResult findEasy();
  LogicalResult findLeast();
  LogicalResult takeLower(std::optional<PlacedPlan> &best,
                          solver::RematResult result);
  LogicalResult planStoreAll();
  FailureOr<PlacedPlan> choosePlan(PlanOutcome &outcome);
  void refuse(PlanOutcome &outcome, const solver::RematResult &result);
  void accept(PlanOutcome &outcome, const PlacedPlan &plan);

  func::FuncOp function;
  const CostModel &costs;
  const runtime::Backend &backend;
  const PlanOptions &options;
  std::optional<StepMemory> memory;
  solver::RematProblem problem;
  std::optional<PlacedPlan> storeAll, easy, least;
};

} // namespace

LogicalResult StepPlanner::analyze() {
  auto analyzed = StepMemory::analyze(function, costs, backend);
  if (failed(analyzed))
    return failure();
  memory = std::move(*analyzed);
  problem = extractRematProblem(*memory);
  if (llvm::Error error = solver::checkProblem(problem))
    return function.emitError()
           << "the step can't be planned: " << llvm::toString(std::move(error));
  return success();
}

/// Takes the leanest order that is found, unless the file's is as good.
LogicalResult StepPlanner::reorder() {
  auto ordered = solver::orderForLeastPeak(problem);
  if (!ordered)
    return function.emitError() << llvm::toString(ordered.takeError());
  if (ordered->peakBytes >= ordered->inputOrderPeakBytes)
    return success();
  applySchedule(function, *memory, ordered->order);
  return analyze();
}

solver::RematOptions StepPlanner::solverOptions(int64_t budgetBytes) const {
  solver::RematOptions result;
  result.budgetBytes = budgetBytes;
  result.timeLimitSeconds = options.timeLimitSeconds;
  result.threads = options.threads;
  result.seed = options.seed;
  result.effort = options.effort;
  return result;
}

FailureOr<PlacedPlan> StepPlanner::place(solver::RematResult result) {
  auto placement =
      solver::placeSchedule(problem, result.schedule, packingOptions());
  if (!placement)
    return function.emitError() << llvm::toString(placement.takeError());
  return PlacedPlan{std::move(result), placement->arenaBytes,
                    placement->maxLiveBytes};
}

LogicalResult StepPlanner::planStoreAll() {
  solver::RematResult result;
  result.status = solver::RematStatus::Optimal;
  result.schedule = problem.order;
  for (const solver::RematOp &op : problem.ops)
    result.onceCost += op.cost;
  result.cost = result.boundCost = result.onceCost;
  result.stoppedBy = "done";
  auto plan = place(std::move(result));
  if (failed(plan))
    return failure();
  storeAll = std::move(*plan);
  return success();
}

/// A budget below the least arena is refused even where a lucky placement would
/// fit, so that the smallest feasible budget is one number.
FailureOr<PlacedPlan> StepPlanner::planWithin(int64_t budgetBytes) {
  if (failed(findEasy()))
    return failure();
  bool isEasy = budgetBytes >= easy->arenaBytes;
  if (!isEasy && !options.leastArenaBytes && failed(findLeast()))
    return failure();
  int64_t leastBytes =
      least ? least->arenaBytes : options.leastArenaBytes.value_or(0);
  if (budgetBytes < leastBytes)
    return refuseBelow(leastBytes, budgetBytes);
  int64_t asked = budgetBytes;
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    solver::RematResult result =
        solver::solveRemat(problem, solverOptions(asked));
    if (!result.error.empty())
      return function.emitError() << "the planner failed: " << result.error;
    if (!result.hasPlan())
      break;
    auto plan = place(std::move(result));
    if (failed(plan) || plan->arenaBytes <= budgetBytes)
      return plan;
    asked -= plan->arenaBytes - budgetBytes;
  }
  if (failed(findLeast()))
    return failure();
  return *least;
}

/// The refusal of a budget that is below the least arena.
FailureOr<PlacedPlan> StepPlanner::refuseBelow(int64_t leastBytes,
                                               int64_t budgetBytes) {
  solver::RematResult result =
      solver::solveRemat(problem, solverOptions(budgetBytes));
  if (!result.error.empty())
    return function.emitError() << "the planner failed: " << result.error;
  if (result.hasPlan()) {
    result.status = solver::RematStatus::Timeout;
    result.schedule.clear();
  }
  if (result.witnessOp < 0)
    result.witnessOp = solver::provedFloor(problem).op;
  result.smallestFeasibleBytes = leastBytes;
  return PlacedPlan{std::move(result), 0, 0};
}

/// Replaces `best` by the placed result where that needs a lower arena.
LogicalResult StepPlanner::takeLower(std::optional<PlacedPlan> &best,
                                     solver::RematResult result) {
  if (!result.error.empty())
    return function.emitError() << "the planner failed: " << result.error;
  if (!result.hasPlan())
    return success();
  auto plan = place(std::move(result));
  if (failed(plan))
    return failure();
  if (plan->arenaBytes < best->arenaBytes)
    best = std::move(*plan);
  return success();
}

/// A low arena that takes no search: budgets from here on need no question what
/// the least one is.
LogicalResult StepPlanner::findEasy() {
  if (easy)
    return success();
  easy = *storeAll;
  return takeLower(easy, solver::easyPlan(problem, solverOptions(0)));
}

/// The plan with the lowest arena that is found, never above the easy one.
LogicalResult StepPlanner::findLeast() {
  if (least)
    return success();
  if (failed(findEasy()))
    return failure();
  least = *easy;
  return takeLower(least, solver::minimizePeak(problem, solverOptions(0)));
}

void StepPlanner::refuse(PlanOutcome &outcome,
                         const solver::RematResult &result) {
  outcome.status = result.status;
  outcome.smallestFeasibleBytes = result.smallestFeasibleBytes;
  outcome.floorBytes = std::max(outcome.floorBytes, result.floorBytes);
  int witness = result.witnessOp;
  if (witness < 0)
    return;
  const solver::RematOp &op = problem.ops[witness];
  outcome.forcedByNode = op.name;
  std::vector<int> values = op.outputs;
  values.insert(values.end(), op.inputs.begin(), op.inputs.end());
  llvm::stable_sort(values, [&](int a, int b) {
    return problem.values[a].bytes > problem.values[b].bytes;
  });
  for (int value : ArrayRef(values).take_front(5))
    outcome.forcedByTensors.push_back(problem.values[value].name);
}

void StepPlanner::accept(PlanOutcome &outcome, const PlacedPlan &plan) {
  // The least peak may be proved where its cost isn't.
  outcome.status = plan.result.cost <= plan.result.boundCost
                       ? plan.result.status
                       : solver::RematStatus::Feasible;
  outcome.arenaBytes = plan.arenaBytes;
  outcome.maxLiveBytes = plan.maxLiveBytes;
  outcome.costPlanned = plan.result.cost;
  outcome.costBound = plan.result.boundCost;
  if (plan.result.stoppedBy != "done")
    outcome.stoppedBy = plan.result.stoppedBy;
}

/// The plan that the budget asks for, and the budget in bytes.
FailureOr<PlacedPlan> StepPlanner::choosePlan(PlanOutcome &outcome) {
  if (std::holds_alternative<LeastBudget>(options.budget)) {
    if (failed(findLeast()))
      return failure();
    outcome.budgetBytes = least->arenaBytes;
    return *least;
  }
  if (auto *bytes = std::get_if<ByteBudget>(&options.budget))
    outcome.budgetBytes = bytes->bytes;
  else if (auto *percent = std::get_if<PercentBudget>(&options.budget))
    outcome.budgetBytes =
        solver::percentOfPeak(storeAll->arenaBytes, percent->percent);
  if (std::holds_alternative<StoreAllBudget>(options.budget) ||
      outcome.budgetBytes >= storeAll->arenaBytes)
    return *storeAll;
  return planWithin(outcome.budgetBytes);
}

FailureOr<PlanOutcome> StepPlanner::run() {
  if (failed(analyze()))
    return failure();
  if (!options.keepOrder && failed(reorder()))
    return failure();
  if (failed(planStoreAll()))
    return failure();
  PlanOutcome outcome;
  outcome.storeAllPeakBytes = storeAll->arenaBytes;
  outcome.residentBytes = memory->getResidentBytes();
  outcome.floorBytes = solver::provedFloor(problem).bytes;
  outcome.costOnce = storeAll->result.onceCost;
  auto plan = choosePlan(outcome);
  if (failed(plan))
    return failure();
  if (least) {
    outcome.smallestFeasibleBytes = least->arenaBytes;
    outcome.leastCostPlanned = least->result.cost;
    outcome.leastCostBound = least->result.boundCost;
  }
  if (!plan->result.hasPlan()) {
    refuse(outcome, plan->result);
    return outcome;
  }
  accept(outcome, *plan);
  applySchedule(function, *memory, plan->result.schedule);
  function->setAttr("plan.order", UnitAttr::get(function.getContext()));
  if (failed(analyze()) || failed(assignOffsets(function, *memory)) ||
      failed(verifyPlaces(function, *memory)))
    return failure();
  return outcome;
}

double percentAbove(int64_t value, int64_t reference) {
  if (reference <= 0)
    return 0;
  return 100.0 *
         (static_cast<double>(value) / static_cast<double>(reference) - 1.0);
}

FailureOr<PlanOutcome> planStep(func::FuncOp function, const CostModel &costs,
                                const runtime::Backend &backend,
                                const PlanOptions &options) {
  return StepPlanner(function, costs, backend, options).run();
}

} // namespace lowtide
