//===- MakeReport.cpp - What a report says of a plan ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Reads a planned function once: when each storage and workspace is live, what
// it belongs to, who reads it last. Storages that take each other's place count
// once, at the step where the place changes hands as the new one.
//
// Tested by test/Tools/report.test.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Plan/IR/Plan.h"
#include "lowtide/Pipelines/Pipelines.h"

using namespace mlir;

namespace lowtide {

namespace {

/// When and where a storage is.
struct Life {
  int64_t first = -1, last = -1; ///< Steps, both included.
  int64_t offset = 0;
  Operation *lastReader = nullptr;
};

class ReportBuilder {
public:
  ReportBuilder(func::FuncOp function, const StepMemory &memory)
      : function(function), memory(memory), lives(memory.getStorages().size()) {
  }

  void fill(report::PlanReport &report);

private:
  void findLives();
  void endDonatedLives();
  void fillTimeline(report::PlanReport &report);
  void fillBuffers(report::PlanReport &report);
  void fillPeak(report::PlanReport &report);
  void fillRecomputed(report::PlanReport &report);
  int64_t offsetOf(Value value);

  func::FuncOp function;
  const StepMemory &memory;
  SmallVector<Life> lives;
};

} // namespace

int64_t ReportBuilder::offsetOf(Value value) {
  plan::PlaceAttr place;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    place = function.getArgAttrOfType<plan::PlaceAttr>(argument.getArgNumber(),
                                                       "plan.place");
  } else {
    auto result = cast<OpResult>(value);
    auto places = result.getOwner()->getAttrOfType<ArrayAttr>("plan.places");
    if (places)
      place = dyn_cast<plan::PlaceAttr>(places[result.getResultNumber()]);
  }
  return place ? place.getOffset() : 0;
}

void ReportBuilder::findLives() {
  auto ops = memory.getOps();
  auto end = static_cast<int64_t>(ops.size()) - 1;
  for (auto [t, stepOp] : llvm::enumerate(ops)) {
    auto at = static_cast<int64_t>(t);
    for (StorageId id : stepOp.writes)
      if (id != noStorage) {
        if (lives[id].first < 0)
          lives[id].first = at;
        lives[id].last = at;
      }
    for (StorageId id : stepOp.reads) {
      lives[id].last = at;
      lives[id].lastReader = stepOp.op;
    }
  }
  for (auto [life, storage] : llvm::zip(lives, memory.getStorages())) {
    life.offset = offsetOf(storage.base);
    if (storage.resident)
      life.first = 0;
    if (storage.resident || storage.liveToEnd)
      life.last = end;
  }
  endDonatedLives();
}

void ReportBuilder::endDonatedLives() {
  for (auto [t, stepOp] : llvm::enumerate(memory.getOps()))
    for (StorageDonation donation : stepOp.donations) {
      Life &from = lives[donation.operand];
      if (from.last == static_cast<int64_t>(t) &&
          from.offset == lives[donation.result].offset &&
          !memory.getStorages()[donation.operand].liveToEnd)
        from.last = static_cast<int64_t>(t) - 1;
    }
}

void ReportBuilder::fillTimeline(report::PlanReport &report) {
  auto ops = memory.getOps();
  // Differences per step, summed up below.
  std::vector<report::ClassBytes> begins(ops.size() + 1), ends(ops.size() + 1);
  for (auto [life, storage] : llvm::zip(lives, memory.getStorages())) {
    if (life.first < 0 || life.last < life.first)
      continue;
    begins[life.first][storage.cls] += storage.bytes;
    ends[life.last + 1][storage.cls] += storage.bytes;
  }
  report::ClassBytes live;
  for (auto [t, stepOp] : llvm::enumerate(ops)) {
    for (report::BufferClass cls : report::stackedClasses)
      live[cls] += begins[t][cls] - ends[t][cls];
    report::TimelineRow row;
    row.step = static_cast<int64_t>(t);
    row.node = getNodeName(stepOp.op).str();
    row.phase = getPhase(stepOp.op);
    row.byClass = live;
    row.byClass[report::BufferClass::Workspace] += stepOp.workspaceBytes;
    row.liveBytes = row.byClass.total();
    row.recomputed = stepOp.op->hasAttr("plan.recompute_of");
    report.timeline.push_back(std::move(row));
  }
}

void ReportBuilder::fillBuffers(report::PlanReport &report) {
  for (auto [life, storage] : llvm::zip(lives, memory.getStorages())) {
    if (life.first < 0 || life.last < life.first || storage.bytes == 0)
      continue;
    report.buffers.push_back({getValueName(storage.base), life.offset,
                              storage.bytes, life.first, life.last,
                              storage.cls});
  }
  for (auto [t, stepOp] : llvm::enumerate(memory.getOps()))
    if (auto place =
            stepOp.op->getAttrOfType<plan::PlaceAttr>("plan.workspace"))
      report.buffers.push_back(
          {getNodeName(stepOp.op).str() + " (workspace)", place.getOffset(),
           place.getBytes(), static_cast<int64_t>(t), static_cast<int64_t>(t),
           report::BufferClass::Workspace});
}

void ReportBuilder::fillPeak(report::PlanReport &report) {
  auto peak = report::peakRow(report.timeline);
  if (!peak)
    return;
  auto at = static_cast<int64_t>(*peak);
  constexpr size_t longest = 20;
  SmallVector<StorageId> live;
  for (auto [id, life] : llvm::enumerate(lives))
    if (life.first >= 0 && life.first <= at && life.last >= at)
      live.push_back(id);
  auto storages = memory.getStorages();
  llvm::stable_sort(live, [&](StorageId a, StorageId b) {
    return storages[a].bytes > storages[b].bytes;
  });
  for (StorageId id : ArrayRef(live).take_front(longest)) {
    std::string reader = "the whole step";
    if (!storages[id].resident)
      reader = storages[id].liveToEnd ? "a result of the step"
               : lives[id].lastReader ? getNodeName(lives[id].lastReader).str()
                                      : "";
    report.topAtPeak.push_back(
        {getValueName(storages[id].base), storages[id].bytes, reader});
  }
}

void ReportBuilder::fillRecomputed(report::PlanReport &report) {
  constexpr double picosecond = 1e-12;
  for (const StepOp &stepOp : memory.getOps()) {
    auto of = stepOp.op->getAttrOfType<StringAttr>("plan.recompute_of");
    if (!of)
      continue;
    int64_t bytes = 0;
    for (StorageId id : stepOp.writes)
      if (id != noStorage)
        bytes += memory.getStorages()[id].bytes;
    report.recomputed.push_back(
        {of.str(), static_cast<double>(stepOp.cost) * picosecond, bytes});
  }
}

void ReportBuilder::fill(report::PlanReport &report) {
  findLives();
  fillTimeline(report);
  fillBuffers(report);
  fillPeak(report);
  fillRecomputed(report);
}

static void fillFigures(report::PlanReport &report,
                        const PlanOutcome &outcome) {
  constexpr double picosecond = 1e-12;
  report.status = solver::statusName(outcome.status);
  report.stoppedBy = outcome.stoppedBy;
  bool isStoreAll = outcome.hasPlan() && outcome.budgetBytes == 0;
  report.budgetBytes =
      isStoreAll ? outcome.storeAllPeakBytes : outcome.budgetBytes;
  report.storeAllPeakBytes = outcome.storeAllPeakBytes;
  report.residentBytes = outcome.residentBytes;
  report.floorBytes = outcome.floorBytes;
  report.stepCostSeconds = static_cast<double>(outcome.costOnce) * picosecond;
  if (outcome.smallestFeasibleBytes > 0)
    report.smallestFeasibleBytes = outcome.smallestFeasibleBytes;
  if (outcome.leastCostPlanned > 0)
    report.whatNext.push_back(
        {"smallest", outcome.smallestFeasibleBytes,
         percentAbove(outcome.leastCostPlanned, outcome.costOnce),
         percentAbove(outcome.leastCostBound, outcome.costOnce)});
  if (!outcome.forcedByNode.empty())
    report.forcedBy =
        report::ForcedBy{outcome.forcedByNode, outcome.forcedByTensors};
  if (!outcome.hasPlan())
    return;
  report.plannedPeakBytes = outcome.arenaBytes;
  report.arenaBytes = outcome.arenaBytes;
  report.maxLiveBytes = outcome.maxLiveBytes;
  report.extraPercent = percentAbove(outcome.costPlanned, outcome.costOnce);
  report.lowerBoundPercent = percentAbove(outcome.costBound, outcome.costOnce);
  report.gapPercent = percentAbove(outcome.costPlanned, outcome.costBound);
}

FailureOr<report::PlanReport> makeReport(const Model &model,
                                         const Target &target,
                                         const PlanOutcome &outcome,
                                         StringRef modelName) {
  report::PlanReport report;
  report.model = modelName.str();
  report.device = target.costs.getSpec().name;
  fillFigures(report, outcome);
  if (outcome.hasPlan()) {
    func::FuncOp function = getMain(model);
    auto memory = StepMemory::analyze(function, target.costs, *target.backend);
    if (failed(memory))
      return failure();
    ReportBuilder(function, *memory).fill(report);
  }
  report::completeReport(report);
  return report;
}

} // namespace lowtide
