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
  FailureOr<PlacedPlan> planLeast();
  FailureOr<PlacedPlan> planStoreAll();
  void refuse(PlanOutcome &outcome, const solver::RematResult &result);
  void accept(PlanOutcome &outcome, const PlacedPlan &plan);

  func::FuncOp function;
  const CostModel &costs;
  const runtime::Backend &backend;
  const PlanOptions &options;
  std::optional<StepMemory> memory;
  solver::RematProblem problem;
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
  auto placement = solver::placeSchedule(problem, result.schedule, packingOptions());
  if (!placement)
    return function.emitError() << llvm::toString(placement.takeError());
  return PlacedPlan{std::move(result), placement->arenaBytes,
                    placement->maxLiveBytes};
}

FailureOr<PlacedPlan> StepPlanner::planStoreAll() {
  solver::RematResult result;
  result.status = solver::RematStatus::Optimal;
  result.schedule = problem.order;
  for (const solver::RematOp &op : problem.ops)
    result.onceCost += op.cost;
  result.cost = result.boundCost = result.onceCost;
  return place(std::move(result));
}

FailureOr<PlacedPlan> StepPlanner::planWithin(int64_t budgetBytes) {
  int64_t asked = budgetBytes;
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    solver::RematResult result =
        solver::solveRemat(problem, solverOptions(asked));
    if (!result.error.empty())
      return function.emitError() << "the planner failed: " << result.error;
    if (!result.hasPlan()) {
      // The margin for addresses counts for what the user has to give.
      if (result.smallestFeasibleBytes > 0)
        result.smallestFeasibleBytes += budgetBytes - asked;
      return PlacedPlan{std::move(result), 0, 0};
    }
    auto plan = place(std::move(result));
    if (failed(plan) || plan->arenaBytes <= budgetBytes)
      return plan;
    asked -= plan->arenaBytes - budgetBytes;
  }
  solver::RematResult none;
  none.status = solver::RematStatus::Timeout;
  return PlacedPlan{std::move(none), 0, 0};
}

FailureOr<PlacedPlan> StepPlanner::planLeast() {
  solver::RematResult result = solver::minimizePeak(problem, solverOptions(0));
  if (!result.error.empty())
    return function.emitError() << "the planner failed: " << result.error;
  if (!result.hasPlan())
    return PlacedPlan{std::move(result), 0, 0};
  return place(std::move(result));
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
  outcome.status = plan.result.status;
  outcome.arenaBytes = plan.arenaBytes;
  outcome.maxLiveBytes = plan.maxLiveBytes;
  outcome.costPlanned = plan.result.cost;
  outcome.costBound = plan.result.boundCost;
  if (plan.result.stoppedBy != "done")
    outcome.stoppedBy = plan.result.stoppedBy;
}

FailureOr<PlanOutcome> StepPlanner::run() {
  if (failed(analyze()))
    return failure();
  if (!options.keepOrder && failed(reorder()))
    return failure();
  auto storeAll = planStoreAll();
  if (failed(storeAll))
    return failure();
  PlanOutcome outcome;
  outcome.storeAllPeakBytes = storeAll->arenaBytes;
  outcome.residentBytes = memory->getResidentBytes();
  outcome.floorBytes = solver::provedFloor(problem).bytes;
  outcome.costOnce = storeAll->result.onceCost;
  FailureOr<PlacedPlan> plan = storeAll;
  bool least = std::holds_alternative<LeastBudget>(options.budget);
  if (auto *bytes = std::get_if<ByteBudget>(&options.budget))
    outcome.budgetBytes = bytes->bytes;
  else if (auto *percent = std::get_if<PercentBudget>(&options.budget))
    outcome.budgetBytes =
        solver::percentOfPeak(storeAll->arenaBytes, percent->percent);
  if (least)
    plan = planLeast();
  else if (outcome.budgetBytes > 0 &&
           outcome.budgetBytes < storeAll->arenaBytes)
    plan = planWithin(outcome.budgetBytes);
  if (failed(plan))
    return failure();
  if (!plan->result.hasPlan()) {
    refuse(outcome, plan->result);
    return outcome;
  }
  if (least)
    outcome.budgetBytes = plan->arenaBytes;
  accept(outcome, *plan);
  applySchedule(function, *memory, plan->result.schedule);
  if (failed(analyze()) || failed(assignOffsets(function, *memory)) ||
      failed(verifyPlaces(function, *memory)))
    return failure();
  return outcome;
}

FailureOr<PlanOutcome> planStep(func::FuncOp function, const CostModel &costs,
                                const runtime::Backend &backend,
                                const PlanOptions &options) {
  return StepPlanner(function, costs, backend, options).run();
}

} // namespace lowtide
