//===- PackBuffers.cpp - Offsets for buffers, with proof ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: offsets for all buffers of all spaces, as low as can be shown.
//
// Idea: each space becomes a BodyModel. Fast placements come first; where they
// miss the lower bound (or the capacity) the order is improved under a counted
// effort. The answer is verified by code that knows nothing of the search.
//
// Tested by test/unit/Solver/Packing/PackBuffersTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Packing/PackBuffers.h"

#include "BodyModel.h"
#include "ExactSearch.h"
#include "GreedyPlacement.h"
#include "InfeasibleSubset.h"
#include "LayeredPlacement.h"

#include <algorithm>
#include <chrono>
#include <set>

using namespace lowtide::solver;

llvm::StringRef lowtide::solver::toString(PackingStatus status) {
  switch (status) {
  case PackingStatus::Optimal:
    return "optimal";
  case PackingStatus::Feasible:
    return "feasible";
  case PackingStatus::Infeasible:
    return "infeasible";
  case PackingStatus::Timeout:
    return "timeout";
  }
  return "timeout";
}

llvm::StringRef lowtide::solver::toString(PackingStop stop) {
  switch (stop) {
  case PackingStop::Complete:
    return "done";
  case PackingStop::Effort:
    return "effort";
  case PackingStop::Clock:
    return "clock";
  }
  return "done";
}

namespace {
/// What one space came to.
struct SpaceResult {
  std::vector<int64_t> offsets;
  int64_t heightBytes = 0;
  int64_t lowerBoundBytes = 0;
  bool isComplete = true;
};

class Packer {
public:
  Packer(const PackingProblem &problem, const PackingOptions &options)
      : problem(problem), options(options),
        start(std::chrono::steady_clock::now()) {}

  llvm::Expected<PackingResult> run();

private:
  bool isLate() {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count() < options.timeLimitSeconds)
      return false;
    sawClock = true;
    return true;
  }
  Placement placeFast(const BodyModel &model, int64_t goal);
  SpaceResult packSpace(const BodyModel &model);
  FitVerdict tryHeight(const BodyModel &model, int64_t targetBytes,
                       uint64_t work, SpaceResult &space);
  void halveGap(const BodyModel &model, int64_t goal, uint64_t work,
                SpaceResult &space);
  void lowerHeight(const BodyModel &model, int64_t goal, SpaceResult &space);
  void setWitness(const BodyModel &model, const SpaceResult &packed);
  void settle();

  const PackingProblem &problem;
  const PackingOptions &options;
  std::chrono::steady_clock::time_point start;
  bool sawClock = false;
  bool allComplete = true;
  PackingResult result;
};
} // namespace

/// Bodies above which layers come before orders, orders aren't tried at all,
/// and the exact search isn't either.
static constexpr size_t kManyBodies = 2000, kMostOrdered = 20000,
                        kMostSearched = 2000;

Placement Packer::placeFast(const BodyModel &model, int64_t goal) {
  auto late = [this] { return isLate(); };
  size_t n = model.bodies.size();
  Placement layered;
  if (n > kManyBodies && isLayerable(model)) {
    layered = placeInLayers(model, goal, result.steps, late);
    if (layered.heightBytes <= goal || n > kMostOrdered)
      return layered;
  }
  // Small inputs are the search's; large ones live on good orders.
  double work =
      options.effort * (n > kManyBodies ? 2e8 : std::min(5e6, 2e3 * n * n));
  Placement ordered =
      placeGreedily(model, goal, options.seed, result.steps + uint64_t(work),
                    result.steps, late);
  return ordered.heightBytes < layered.heightBytes ? ordered : layered;
}

/// Fast placements, then exact search for ever lower heights.
SpaceResult Packer::packSpace(const BodyModel &model) {
  SpaceResult space;
  space.lowerBoundBytes = model.lowerBoundBytes;
  int64_t goal =
      std::max(model.lowerBoundBytes, problem.capacityBytes.value_or(0));
  Placement placement = placeFast(model, goal);
  space.offsets = std::move(placement.offsets);
  space.heightBytes = placement.heightBytes;
  bool canSearch = model.bodies.size() <= kMostSearched && isSearchable(model);
  bool isHopeless =
      problem.capacityBytes && *problem.capacityBytes < model.lowerBoundBytes;
  if (space.heightBytes > goal && !isHopeless && options.effort > 0) {
    if (canSearch)
      lowerHeight(model, goal, space);
    else if (hasFewOrders(model)) {
      Placement best = placeInEveryOrder(model, result.steps);
      space.offsets = std::move(best.offsets);
      space.heightBytes = space.lowerBoundBytes = best.heightBytes;
    }
  }
  space.isComplete = space.heightBytes <= space.lowerBoundBytes ||
                     (problem.capacityBytes &&
                      (space.heightBytes <= *problem.capacityBytes ||
                       space.lowerBoundBytes > *problem.capacityBytes));
  return space;
}

/// Searches at the goal; where that stays open, halves the gap between what is
/// known to work and what isn't settled, down to one byte below the best. A
/// hasty round comes first, so that a short time limit finds something too.
void Packer::lowerHeight(const BodyModel &model, int64_t goal,
                         SpaceResult &space) {
  uint64_t share = uint64_t(options.effort * 3e8);
  if (problem.capacityBytes) {
    tryHeight(model, goal, share * 40, space);
    return;
  }
  for (uint64_t work : {share / 20, share})
    if (space.heightBytes > space.lowerBoundBytes && !sawClock)
      halveGap(model, goal, work, space);
}

void Packer::halveGap(const BodyModel &model, int64_t goal, uint64_t work,
                      SpaceResult &space) {
  int64_t open = goal - 1; // the highest target that gave no packing
  for (int64_t target = goal; space.heightBytes > space.lowerBoundBytes;) {
    bool isLast = target == space.heightBytes - 1;
    FitVerdict verdict =
        tryHeight(model, target, isLast ? work * 2 : work, space);
    if (sawClock || (verdict == FitVerdict::Unknown && isLast))
      return;
    if (verdict != FitVerdict::Fits)
      open = std::max(open, target);
    int64_t gap = space.heightBytes - open;
    bool isNarrow = gap <= std::max(2 * model.unitBytes, open / 2048);
    target = isNarrow ? space.heightBytes - 1 : open + gap / 2;
  }
}

FitVerdict Packer::tryHeight(const BodyModel &model, int64_t targetBytes,
                             uint64_t work, SpaceResult &space) {
  FitResult fit = searchFit(model, targetBytes, options.seed, work,
                            result.steps, [this] { return isLate(); });
  if (fit.verdict == FitVerdict::Fits) {
    space.offsets = std::move(fit.offsets);
    space.heightBytes = model.heightBytes(space.offsets);
  }
  if (fit.verdict == FitVerdict::Impossible)
    space.lowerBoundBytes = std::max(space.lowerBoundBytes, targetBytes + 1);
  return fit.verdict;
}

/// The buffers alive at the fullest slot, or, where the bound comes from a
/// search, a few that can't be packed below it.
void Packer::setWitness(const BodyModel &model, const SpaceResult &packed) {
  if (packed.lowerBoundBytes > model.lowerBoundBytes) {
    result.witness.clear();
    for (const BodyModel::Member &member : model.members)
      result.witness.push_back(member.buffer);
    result.witness =
        shrinkInfeasible(problem, result.witness, packed.lowerBoundBytes - 1,
                         uint64_t(options.effort * 1e6), result.steps,
                         [this] { return isLate(); });
    return;
  }
  std::vector<bool> isLive(model.bodies.size(), false);
  for (const BodyRect &r : model.rects)
    if (r.lo <= model.fullestSlot && model.fullestSlot < r.hi)
      isLive[r.body] = true;
  result.witness.clear();
  for (const BodyModel::Member &member : model.members)
    if (isLive[member.body] && problem.buffers[member.buffer].sizeBytes > 0)
      result.witness.push_back(member.buffer);
}

void Packer::settle() {
  result.heightBytes = heightOf(problem, result.offsetsBytes);
  result.maxLiveBytes = maxLiveBytes(problem);
  bool isOptimal = result.heightBytes <= result.lowerBoundBytes;
  bool fits =
      !problem.capacityBytes || result.heightBytes <= *problem.capacityBytes;
  if (problem.capacityBytes && result.lowerBoundBytes > *problem.capacityBytes)
    result.status = PackingStatus::Infeasible;
  else if (fits)
    result.status =
        isOptimal ? PackingStatus::Optimal : PackingStatus::Feasible;
  else
    result.status = PackingStatus::Timeout;
  if (!isOptimal && !allComplete)
    result.stoppedBy = sawClock ? PackingStop::Clock : PackingStop::Effort;
}

llvm::Expected<PackingResult> Packer::run() {
  if (llvm::Error error = checkPackingProblem(problem))
    return std::move(error);
  std::set<int32_t> spaces;
  for (const PackingBuffer &b : problem.buffers)
    spaces.insert(b.space);
  result.offsetsBytes.assign(problem.buffers.size(), 0);
  for (int32_t space : spaces) {
    llvm::Expected<BodyModel> model = buildBodyModel(problem, space);
    if (!model)
      return model.takeError();
    SpaceResult packed = packSpace(*model);
    if (packed.heightBytes == INT64_MAX)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "no offsets below 2^62 were found for these buffers");
    allComplete &= packed.isComplete;
    for (const BodyModel::Member &member : model->members) {
      const PackingBuffer &b = problem.buffers[member.buffer];
      result.offsetsBytes[member.buffer] =
          b.pinnedOffsetBytes ? *b.pinnedOffsetBytes
                              : packed.offsets[member.body] * model->unitBytes +
                                    member.deltaBytes;
    }
    if (result.witness.empty() ||
        packed.lowerBoundBytes > result.lowerBoundBytes)
      setWitness(*model, packed);
    result.lowerBoundBytes =
        std::max(result.lowerBoundBytes, packed.lowerBoundBytes);
  }
  settle();
  return std::move(result);
}

llvm::Expected<PackingResult>
lowtide::solver::packBuffers(const PackingProblem &problem,
                             const PackingOptions &options) {
  return Packer(problem, options).run();
}
