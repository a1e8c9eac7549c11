//===- Passes.cpp - The passes of Lowtide ---------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Options in, a library function, failure out.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Transforms/Passes.h"

#include "lowtide/Dialect/Plan/IR/Plan.h"
#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Solver/Remat/Simulate.h"
#include "lowtide/Solver/Schedule/OrderOps.h"
#include "lowtide/Transforms/PlanStep.h"
#include "lowtide/Transforms/Shapes.h"

using namespace mlir;

namespace lowtide {

#define GEN_PASS_DEF_BINDDIMENSIONS
#define GEN_PASS_DEF_CONVERTPRECISION
#define GEN_PASS_DEF_BUILDSTEP
#define GEN_PASS_DEF_SCHEDULEOPS
#define GEN_PASS_DEF_REMATERIALIZE
#define GEN_PASS_DEF_ASSIGNOFFSETS
#define GEN_PASS_DEF_VERIFYFORM
#define GEN_PASS_DEF_REMOVECLONES
#define GEN_PASS_DEF_PRINTSTEPMEMORY
#include "lowtide/Transforms/Passes.h.inc"

namespace {

/// The device that passes plan for.
struct CpuTarget {
  CostModel costs;
  std::unique_ptr<runtime::Backend> backend;
};

} // namespace

static FailureOr<CpuTarget> makeCpuTarget(func::FuncOp function) {
  auto spec = loadDeviceSpec("cpu");
  if (!spec)
    return function.emitError() << llvm::toString(spec.takeError());
  runtime::BackendOptions options;
  options.threads = spec->threads;
  return CpuTarget{CostModel(std::move(*spec)),
                   runtime::createCpuBackend(options)};
}

static FailureOr<StepMemory> analyzeForCpu(func::FuncOp function) {
  auto target = makeCpuTarget(function);
  if (failed(target))
    return failure();
  return StepMemory::analyze(function, target->costs, *target->backend);
}

/// The problem of the step in the order that it has.
static FailureOr<solver::RematProblem>
extractChecked(func::FuncOp function, const StepMemory &memory) {
  solver::RematProblem problem = extractRematProblem(memory);
  if (llvm::Error error = solver::checkProblem(problem))
    return function.emitError()
           << "the step can't be planned: " << llvm::toString(std::move(error));
  return problem;
}

static void markOrdered(func::FuncOp function) {
  function->setAttr("plan.order", UnitAttr::get(function.getContext()));
}

//===----------------------------------------------------------------------===//
// Shapes and the step
//===----------------------------------------------------------------------===//

namespace {

struct BindDimensions : impl::BindDimensionsBase<BindDimensions> {
  using BindDimensionsBase::BindDimensionsBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    std::map<std::string, int64_t> sizeByName;
    for (const std::string &text : dims) {
      auto [name, digits] = StringRef(text).rsplit('=');
      int64_t size = 0;
      if (name.empty() || digits.getAsInteger(10, size) || size < 1) {
        getOperation().emitError() << "dims: '" << text << "' is no NAME=SIZE";
        return signalPassFailure();
      }
      sizeByName[name.str()] = size;
    }
    if (failed(bindDimensions(getOperation(), sizeByName)))
      signalPassFailure();
  }
};

struct ConvertPrecision : impl::ConvertPrecisionBase<ConvertPrecision> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(convertToFloat64(getOperation())))
      signalPassFailure();
  }
};

struct BuildStep : impl::BuildStepBase<BuildStep> {
  using BuildStepBase::BuildStepBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    StepOptions options;
    options.loss = loss;
    options.output = output;
    options.classAxis = classAxis;
    options.optimizer.kind = optimizer;
    options.optimizer.learningRate = learningRate;
    options.optimizer.momentum = momentum;
    options.optimizer.weightDecay = weightDecay;
    options.wrt.assign(wrt.begin(), wrt.end());
    options.trainingMode = trainingMode;
    if (failed(buildStep(getOperation(), options)))
      signalPassFailure();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static LogicalResult scheduleOps(func::FuncOp function) {
  auto memory = analyzeForCpu(function);
  if (failed(memory))
    return failure();
  auto problem = extractChecked(function, *memory);
  if (failed(problem))
    return failure();
  auto ordered = solver::orderForLeastPeak(*problem);
  if (!ordered)
    return function.emitError() << llvm::toString(ordered.takeError());
  if (ordered->peakBytes < ordered->inputOrderPeakBytes)
    applySchedule(function, *memory, ordered->order);
  markOrdered(function);
  return success();
}

static LogicalResult rematerialize(func::FuncOp function,
                                   const solver::RematOptions &options) {
  auto memory = analyzeForCpu(function);
  if (failed(memory))
    return failure();
  auto problem = extractChecked(function, *memory);
  if (failed(problem))
    return failure();
  solver::RematResult result = solver::solveRemat(*problem, options);
  if (!result.error.empty())
    return function.emitError() << "the planner failed: " << result.error;
  if (!result.hasPlan())
    return function.emitError() << "no plan within " << options.budgetBytes
                                << " bytes; smallest feasible budget: "
                                << result.smallestFeasibleBytes << " bytes";
  applySchedule(function, *memory, result.schedule);
  markOrdered(function);
  return success();
}

static LogicalResult printStepMemory(func::FuncOp function) {
  auto memory = analyzeForCpu(function);
  if (failed(memory))
    return failure();
  for (auto [id, storage] : llvm::enumerate(memory->getStorages())) {
    // The storage that an update in place would have had.
    if (memory->getStorage(storage.base) != static_cast<StorageId>(id))
      continue;
    emitRemark(storage.base.getLoc())
        << "storage '" << getValueName(storage.base) << "': " << storage.bytes
        << " bytes, " << StringRef(runtime::toString(storage.cls))
        << (storage.resident    ? ", resident"
            : storage.liveToEnd ? ", live to the end"
                                : "");
  }
  auto problem = extractChecked(function, *memory);
  if (failed(problem))
    return failure();
  auto simulation = solver::simulate(*problem, problem->order);
  if (!simulation)
    return function.emitError() << llvm::toString(simulation.takeError());
  for (auto [stepOp, liveBytes] :
       llvm::zip(memory->getOps(), simulation->liveBytes))
    emitRemark(stepOp.op->getLoc()) << "live: " << liveBytes << " bytes";
  emitRemark(function.getLoc())
      << "peak: " << simulation->peakBytes << " bytes, "
      << memory->getResidentBytes() << " resident";
  return success();
}

namespace {

struct ScheduleOps : impl::ScheduleOpsBase<ScheduleOps> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(scheduleOps(getOperation())))
      signalPassFailure();
  }
};

struct Rematerialize : impl::RematerializeBase<Rematerialize> {
  using RematerializeBase::RematerializeBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    solver::RematOptions options;
    options.budgetBytes = budgetBytes;
    options.effort = effort;
    if (failed(rematerialize(getOperation(), options)))
      signalPassFailure();
  }
};

struct AssignOffsets : impl::AssignOffsetsBase<AssignOffsets> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    auto memory = analyzeForCpu(getOperation());
    if (failed(memory) || failed(assignOffsets(getOperation(), *memory)) ||
        failed(verifyPlaces(getOperation(), *memory)))
      signalPassFailure();
  }
};

struct VerifyForm : impl::VerifyFormBase<VerifyForm> {
  using VerifyFormBase::VerifyFormBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    auto target = makeCpuTarget(getOperation());
    if (failed(target) || failed(verifyForm(getOperation(), form, target->costs,
                                            *target->backend)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

struct RemoveClones : impl::RemoveClonesBase<RemoveClones> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    removeClones(getOperation());
  }
};

struct PrintStepMemory : impl::PrintStepMemoryBase<PrintStepMemory> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(printStepMemory(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace lowtide
