//===- AssignOffsets.cpp - Every value gets an address --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The arena of a space holds resident storages from offset 0 on, in the order
// of the arguments, and above them whatever the packing solver places. Places
// are written as `plan.places`, `plan.place` and `plan.workspace`; the verifier
// of form F4 works from those attributes and lifetimes alone.
//
// Tested by test/Transforms/assign-offsets.mlir.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Plan/IR/Plan.h"
#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Solver/Placement/PlaceSchedule.h"
#include "lowtide/Transforms/PlanStep.h"

#include <numeric>

using namespace mlir;

namespace lowtide {

static constexpr StringRef deviceSpace = "device";

solver::PackingOptions packingOptions() {
  solver::PackingOptions options;
  options.effort = 0.02;
  return options;
}

static SmallVector<int64_t> residentOffsets(const StepMemory &memory) {
  SmallVector<int64_t> offsets(memory.getStorages().size(), -1);
  int64_t next = 0;
  for (auto [id, storage] : llvm::enumerate(memory.getStorages()))
    if (storage.resident) {
      offsets[id] = next;
      next += storage.bytes;
    }
  return offsets;
}

/// The place of every storage, in problem order as `extractRematProblem` makes
/// it.
static void takeOffsets(const StepMemory &memory,
                        const solver::SchedulePlacement &placement,
                        SmallVectorImpl<int64_t> &offsets) {
  int64_t resident = memory.getResidentBytes();
  for (auto [stepOp, step] : llvm::zip(memory.getOps(), placement.steps)) {
    size_t output = 0;
    for (StorageId id : stepOp.writes)
      if (id != noStorage && !memory.getStorages()[id].resident)
        offsets[id] = resident + step.outputOffsetsBytes[output++];
  }
}

LogicalResult assignOffsets(func::FuncOp function, const StepMemory &memory) {
  MLIRContext *context = function.getContext();
  solver::RematProblem problem = extractRematProblem(memory);
  auto placement =
      solver::placeSchedule(problem, problem.order, packingOptions());
  if (!placement)
    return function.emitError() << llvm::toString(placement.takeError());
  SmallVector<int64_t> offsets = residentOffsets(memory);
  takeOffsets(memory, *placement, offsets);
  auto placeOf = [&](Value value) -> Attribute {
    StorageId id = memory.getStorage(value);
    if (id == noStorage)
      return plan::PlaceAttr::get(context, deviceSpace, 0, 0);
    return plan::PlaceAttr::get(context, deviceSpace, offsets[id],
                                memory.getStorages()[id].bytes);
  };
  for (BlockArgument argument : function.getArguments())
    function.setArgAttr(argument.getArgNumber(), "plan.place",
                        placeOf(argument));
  for (Operation &op : function.getBody().front().without_terminator()) {
    SmallVector<Attribute> places;
    for (Value result : op.getResults())
      places.push_back(placeOf(result));
    op.setAttr("plan.places", ArrayAttr::get(context, places));
    op.removeAttr("plan.workspace");
  }
  for (auto [stepOp, step] : llvm::zip(memory.getOps(), placement->steps))
    if (stepOp.workspaceBytes > 0)
      stepOp.op->setAttr("plan.workspace",
                         plan::PlaceAttr::get(context, deviceSpace,
                                              memory.getResidentBytes() +
                                                  step.workspaceOffsetBytes,
                                              stepOp.workspaceBytes));
  function->setAttr("plan.arena", plan::ArenaAttr::get(context, deviceSpace,
                                                       placement->arenaBytes,
                                                       memory.getAlignment()));
  return success();
}

namespace {

/// A range of bytes and the steps that need it, [begin, end).
struct LiveRange {
  int64_t begin, end;
  int64_t offset, bytes;
  Value value; ///< Null for a workspace.
  Operation *op;
};

} // namespace

/// Live ranges of all storages and workspaces from attributes and uses.
static SmallVector<LiveRange> liveRanges(func::FuncOp function,
                                         const StepMemory &memory) {
  auto ops = memory.getOps();
  auto storages = memory.getStorages();
  int64_t end = ops.size();
  SmallVector<LiveRange> ranges(storages.size());
  for (auto [range, storage] : llvm::zip(ranges, storages)) {
    plan::PlaceAttr place;
    if (auto argument = dyn_cast<BlockArgument>(storage.base)) {
      place = function.getArgAttrOfType<plan::PlaceAttr>(
          argument.getArgNumber(), "plan.place");
    } else {
      auto result = cast<OpResult>(storage.base);
      if (auto places =
              result.getOwner()->getAttrOfType<ArrayAttr>("plan.places"))
        place = dyn_cast<plan::PlaceAttr>(places[result.getResultNumber()]);
    }
    range = {storage.resident ? 0 : end,
             storage.resident ? end : 0,
             place ? place.getOffset() : -1,
             storage.bytes,
             storage.base,
             storage.base.getDefiningOp()};
  }
  for (auto [t, stepOp] : llvm::enumerate(ops)) {
    auto at = static_cast<int64_t>(t);
    for (StorageId id : stepOp.writes)
      if (id != noStorage) {
        ranges[id].begin = std::min(ranges[id].begin, at);
        ranges[id].end = std::max(ranges[id].end, at + 1);
      }
    for (StorageId id : stepOp.reads)
      ranges[id].end = std::max(ranges[id].end, at + 1);
    if (auto place =
            stepOp.op->getAttrOfType<plan::PlaceAttr>("plan.workspace"))
      ranges.push_back({at, at + 1, place.getOffset(), stepOp.workspaceBytes,
                        Value(), stepOp.op});
    else if (stepOp.workspaceBytes > 0)
      ranges.push_back(
          {at, at + 1, -1, stepOp.workspaceBytes, Value(), stepOp.op});
  }
  for (auto [id, storage] : llvm::enumerate(storages))
    if (storage.liveToEnd)
      ranges[id].end = end;
  return ranges;
}

/// An overlap is allowed where the later range takes the earlier one's place at
/// the op that makes it.
static bool isDonation(const StepMemory &memory, const LiveRange &a,
                       const LiveRange &b) {
  const LiveRange &later = a.begin < b.begin ? b : a;
  const LiveRange &earlier = a.begin < b.begin ? a : b;
  if (!later.value || !earlier.value || earlier.end != later.begin + 1 ||
      earlier.offset != later.offset)
    return false;
  StorageId result = memory.getStorage(later.value);
  StorageId operand = memory.getStorage(earlier.value);
  return llvm::any_of(memory.getOps()[later.begin].donations,
                      [&](StorageDonation d) {
                        return d.result == result && d.operand == operand;
                      });
}

static std::string describe(const LiveRange &range) {
  return range.value ? "'" + getValueName(range.value) + "'"
                     : "the workspace of '" + getNodeName(range.op).str() + "'";
}

/// The value whose bytes `value` views.
static Value viewedRoot(Value value) {
  while (auto kernel = value.getDefiningOp<KernelOpInterface>()) {
    auto viewed = kernel.getViewedOperand();
    if (!viewed)
      break;
    value = kernel->getOperand(*viewed);
  }
  return value;
}

/// An argument's bytes are replaced once, after all that needs the old ones.
static LogicalResult verifyOverwrites(func::FuncOp function,
                                      const StepMemory &memory) {
  auto storages = memory.getStorages();
  SmallVector<Value> current(storages.size());
  // Whether `value` is what its storage held before it was replaced.
  auto isLost = [&](Value value) {
    StorageId id = memory.getStorage(value);
    return id != noStorage && current[id] && viewedRoot(value) != current[id];
  };
  auto refuse = [&](const Twine &who, Value value) {
    return function.emitError() << who << " needs '" << getValueName(value)
                                << "' after the plan has replaced it";
  };
  for (const StepOp &stepOp : memory.getOps()) {
    for (Value operand : stepOp.op->getOperands())
      if (isLost(operand))
        return refuse("'" + getNodeName(stepOp.op) + "'", operand);
    for (auto [result, id] : llvm::zip(stepOp.op->getResults(), stepOp.writes))
      if (id != noStorage && storages[id].resident)
        current[id] = result;
  }
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    if (isLost(value))
      return refuse("the step's end", value);
  return success();
}

LogicalResult verifyPlaces(func::FuncOp function, const StepMemory &memory) {
  auto arena = function->getAttrOfType<plan::ArenaAttr>("plan.arena");
  if (!arena)
    return function.emitError("has no planned arena");
  if (failed(verifyOverwrites(function, memory)))
    return failure();
  SmallVector<LiveRange> ranges = liveRanges(function, memory);
  llvm::erase_if(ranges, [](const LiveRange &r) { return r.bytes == 0; });
  for (const LiveRange &range : ranges)
    if (range.offset < 0 || range.offset % arena.getAlignment() != 0 ||
        range.offset > arena.getBytes() - range.bytes)
      return function.emitError()
             << "the plan puts " << describe(range) << " (" << range.bytes
             << " bytes) at offset " << range.offset << " of an arena of "
             << arena.getBytes();
  // Sweep over steps with the live ranges sorted by offset: neighbours that
  // overlap are the only pairs to look at.
  SmallVector<size_t> byBegin(ranges.size());
  std::iota(byBegin.begin(), byBegin.end(), 0);
  llvm::stable_sort(byBegin, [&](size_t a, size_t b) {
    return ranges[a].begin < ranges[b].begin;
  });
  std::vector<size_t> live;
  for (size_t next : byBegin) {
    const LiveRange &range = ranges[next];
    llvm::erase_if(live,
                   [&](size_t i) { return ranges[i].end <= range.begin; });
    for (size_t i : live) {
      const LiveRange &other = ranges[i];
      bool apart = other.offset + other.bytes <= range.offset ||
                   range.offset + range.bytes <= other.offset;
      if (!apart && !isDonation(memory, other, range))
        return function.emitError()
               << "the plan puts " << describe(other) << " and "
               << describe(range) << " on the same bytes at step "
               << range.begin;
    }
    live.push_back(next);
  }
  return success();
}

} // namespace lowtide
