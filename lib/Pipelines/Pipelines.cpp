//===- Pipelines.cpp - From a file to a planned step ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Pipelines/Pipelines.h"

#include "lowtide/Analysis/KernelCalls.h"
#include "lowtide/Codegen/BuildExecPlan.h"
#include "lowtide/Dialect/Onnx/IR/Onnx.h"
#include "lowtide/Dialect/Plan/IR/Plan.h"
#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Rules/Cost.h"
#include "lowtide/Rules/Gradient.h"
#include "lowtide/Transforms/Shapes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include <cstring>

using namespace mlir;

namespace lowtide {

void registerAll(DialectRegistry &registry) {
  registry.insert<func::FuncDialect, onnx::OnnxDialect, train::TrainDialect,
                  plan::PlanDialect>();
  registerGradientRules(registry);
  registerCostRules(registry);
  registerTrainingForms(registry);
}

func::FuncOp getMain(const Model &model) {
  ModuleOp module = *model.module;
  return module.lookupSymbol<func::FuncOp>("main");
}

bool isStep(const Model &model) {
  return getMain(model)->hasAttr("train.step");
}

bool isPlanned(const Model &model) {
  return getMain(model)->hasAttr("plan.arena");
}

/// Float32 weights in float64, so that the file of a float64 step holds what
/// its types say.
static void widenWeights(WeightStore &weights, MLIRContext *context) {
  auto wide = Float64Type::get(context);
  SmallVector<std::string> names;
  for (const auto &[name, entry] : weights.entries())
    if (entry.type.getElementType().isF32())
      names.push_back(name);
  for (const std::string &name : names) {
    const WeightStore::Entry &entry = *weights.find(name);
    int64_t count = entry.type.getNumElements();
    std::vector<char> bytes(count * sizeof(double));
    for (int64_t i = 0; i < count; ++i) {
      float narrow = 0;
      std::memcpy(&narrow, entry.bytes.data() + i * sizeof(float),
                  sizeof(float));
      double value = narrow;
      std::memcpy(bytes.data() + i * sizeof(double), &value, sizeof(double));
    }
    weights.set(
        name,
        mlir::cast<RankedTensorType>(entry.type.cloneWith(std::nullopt, wide)),
        std::move(bytes));
  }
}

LogicalResult prepareForward(Model &model, const ForwardOptions &options) {
  func::FuncOp function = getMain(model);
  if (options.float64) {
    if (failed(convertToFloat64(function)))
      return failure();
    widenWeights(model.weights, function.getContext());
  }
  return bindDimensions(function, options.sizeByName);
}

/// What the step was made with, for people who read the file.
static DictionaryAttr describeStep(Builder &builder,
                                   const StepOptions &options) {
  const OptimizerSpec &optimizer = options.optimizer;
  NamedAttrList attrs;
  StringRef loss =
      options.loss == StepOptions::Loss::CrossEntropy       ? "cross-entropy"
      : options.loss == StepOptions::Loss::MeanSquaredError ? "mse"
                                                            : "output";
  attrs.set("loss", builder.getStringAttr(loss));
  StringRef kind = optimizer.kind == OptimizerSpec::Kind::None    ? "none"
                   : optimizer.kind == OptimizerSpec::Kind::AdamW ? "adamw"
                                                                  : "sgd";
  attrs.set("optimizer", builder.getStringAttr(kind));
  if (optimizer.kind != OptimizerSpec::Kind::None) {
    attrs.set("lr", builder.getF64FloatAttr(optimizer.learningRate));
    attrs.set("weight_decay", builder.getF64FloatAttr(optimizer.weightDecay));
  }
  return attrs.getDictionary(builder.getContext());
}

LogicalResult makeStep(Model &model, const StepOptions &options) {
  func::FuncOp function = getMain(model);
  if (failed(buildStep(function, options)))
    return failure();
  Builder builder(function.getContext());
  function->setAttr("train.options", describeStep(builder, options));
  model.forwardModel = std::move(model.source);
  model.source.clear();
  return verify(*model.module);
}

llvm::Expected<Target> makeTarget(StringRef device, StringRef costsPath) {
  auto spec = loadDeviceSpec(device);
  if (!spec)
    return spec.takeError();
  runtime::BackendOptions backendOptions;
  backendOptions.threads = spec->threads;
  auto backend = runtime::createCpuBackend(backendOptions);
  if (costsPath.empty())
    return Target{CostModel(std::move(*spec)), std::move(backend)};
  auto measured = loadMeasuredCosts(costsPath);
  if (!measured)
    return measured.takeError();
  return Target{CostModel(std::move(*spec), std::move(*measured)),
                std::move(backend)};
}

static DictionaryAttr summarize(Builder &builder, const PlanOutcome &outcome,
                                const DeviceSpec &device) {
  NamedAttrList attrs;
  for (auto [name, value] :
       std::initializer_list<std::pair<StringRef, int64_t>>{
           {"budget_bytes", outcome.budgetBytes},
           {"planned_peak_bytes", outcome.arenaBytes},
           {"store_all_peak_bytes", outcome.storeAllPeakBytes},
           {"resident_bytes", outcome.residentBytes},
           {"floor_bytes", outcome.floorBytes},
           {"max_live_bytes", outcome.maxLiveBytes},
           {"step_cost_picoseconds", outcome.costOnce},
           {"planned_cost_picoseconds", outcome.costPlanned},
           {"bound_cost_picoseconds", outcome.costBound},
           {"threads", device.threads}})
    attrs.set(name, builder.getI64IntegerAttr(value));
  attrs.set("status",
            builder.getStringAttr(solver::statusName(outcome.status)));
  attrs.set("stopped_by", builder.getStringAttr(outcome.stoppedBy));
  attrs.set("device", builder.getStringAttr(device.name));
  return attrs.getDictionary(builder.getContext());
}

PlanOutcome readOutcome(const Model &model) {
  PlanOutcome outcome;
  auto summary = getMain(model)->getAttrOfType<DictionaryAttr>("plan.summary");
  if (!summary)
    return outcome;
  auto number = [&](StringRef name) {
    auto attr = summary.getAs<IntegerAttr>(name);
    return attr ? attr.getInt() : 0;
  };
  auto text = [&](StringRef name) {
    auto attr = summary.getAs<StringAttr>(name);
    return attr ? attr.str() : "";
  };
  outcome.budgetBytes = number("budget_bytes");
  outcome.arenaBytes = number("planned_peak_bytes");
  outcome.storeAllPeakBytes = number("store_all_peak_bytes");
  outcome.residentBytes = number("resident_bytes");
  outcome.floorBytes = number("floor_bytes");
  outcome.maxLiveBytes = number("max_live_bytes");
  outcome.costOnce = number("step_cost_picoseconds");
  outcome.costPlanned = number("planned_cost_picoseconds");
  outcome.costBound = number("bound_cost_picoseconds");
  outcome.stoppedBy = text("stopped_by");
  outcome.status = text("status") == "optimal" ? solver::RematStatus::Optimal
                                               : solver::RematStatus::Feasible;
  return outcome;
}

FailureOr<PlanOutcome> planModel(Model &model, const Target &target,
                                 const PlanOptions &options) {
  func::FuncOp function = getMain(model);
  if (isPlanned(model)) {
    removeClones(function);
    function->removeAttr("plan.arena");
    function->removeAttr("plan.summary");
  }
  auto outcome = planStep(function, target.costs, *target.backend, options);
  if (failed(outcome) || !outcome->hasPlan())
    return outcome;
  Builder builder(function.getContext());
  function->setAttr("plan.summary",
                    summarize(builder, *outcome, target.costs.getSpec()));
  if (failed(verify(*model.module)))
    return failure();
  return outcome;
}

FailureOr<runtime::ExecPlan> makeExecPlan(const Model &model,
                                          const Target &target) {
  func::FuncOp function = getMain(model);
  auto memory = StepMemory::analyze(function, target.costs, *target.backend);
  if (failed(memory) || failed(verifyPlaces(function, *memory)))
    return failure();
  return buildExecPlan(function, *memory, target.costs.getSpec());
}

} // namespace lowtide
