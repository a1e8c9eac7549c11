//===- ExactSearch.cpp - Fit bodies under a capacity, or prove not --------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: offsets such that nothing passes the capacity, or the certainty
// that there are none.
//
// Idea: some packing, if there is one, lets no body sink any further. So look
// at a valley, a run of slots filled equally high between higher ones, and at
// one slot of it: either one of the bodies left there starts exactly at the
// floor (then it lies within the valley and leaves no hole), or none does and
// the floor rises to the next offset that can occur there. Those choices
// exclude each other and miss nothing. The slot with the fewest choices is
// taken, weighted by how often branches ended there. Where no body crosses
// from a slot to the next the rest falls into parts that are solved alone;
// states (floors and bodies left) that failed are remembered.
//
// Most of the luck is in which body is tried first: long, tall, flush with the
// walls of the valley, level with the floor beside it. So dives are short, and
// each restart weighs these wishes anew; what failed stays remembered.
//
// Example: capacity 3, a [0,2) 2 tall, b [1,3) 1, c [2,4) 2, slots {a,b} and
// {b,c}. All floors are 0. In the first slot a or b starts at 0. With a there,
// b can't start below 2 and the second slot has only c at 0: it fits.
//
// Complexity: exponential at worst; a step costs the slots it touches. Groups
// with parts at different heights and pins in mid-air are not taken.
//
// Reference: Moffitt, "MiniMalloc: A lightweight memory allocator for
// hardware-accelerated machine learning" (2023), for the problem and the idea
// of settled floors; Burke, Kendall, Whitwell, "A new placement heuristic for
// the orthogonal stock-cutting problem" (2004), for valleys.
//
// Tested by test/unit/Solver/Packing/PackBuffersTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ExactSearch.h"
#include "FitState.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <random>

using namespace lowtide::solver;

namespace {
class Search : public FitState {
public:
  Search(const BodyModel &model, int64_t capacityBytes, uint64_t seed,
         uint64_t &steps, const std::function<bool()> &isLate)
      : FitState(model, capacityBytes, steps), random(seed * 7919 + 17),
        isLate(isLate), jobNoise(jobs.size(), 0.0) {}

  FitResult run(uint64_t stepLimit);

private:
  enum class Answer { Yes, No, Stopped };

  Answer solve(int32_t lo, int32_t hi);
  Answer branch(int32_t lo, int32_t hi);
  int32_t chooseSlot(int32_t lo, int32_t hi, int64_t &next);
  double score(int32_t job, int32_t runLo, int32_t runHi) const;
  bool isSpent();
  void drawWeights();

  std::mt19937_64 random;
  const std::function<bool()> &isLate;
  /// Of the dive, of the run, and of the last look at the clock.
  uint64_t stopAt = 0, stepEnd = 0, checkedAt = 0;
  bool late = false;
  double wSize = 1, wLength = 1, wFlush = 1, wLevel = 1;
  std::vector<double> jobNoise;
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> failed;
};
} // namespace

static constexpr size_t kMostRemembered = size_t(1) << 22;

bool lowtide::solver::isSearchable(const BodyModel &model) {
  std::vector<int64_t> floor(model.numSlots, 0);
  std::vector<std::pair<int64_t, int32_t>> pins;
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    const Body &b = model.bodies[i];
    for (const BodyRect &r : model.rectsOf(i))
      if (r.low != 0 || r.size != b.extent)
        return false;
    if (b.pinned >= 0 && b.numRects)
      pins.push_back({b.pinned, int32_t(i)});
  }
  std::sort(pins.begin(), pins.end());
  // Residents come first and span everything: no need to walk the slots.
  size_t numResident = 0;
  int64_t base = 0;
  for (auto [offset, body] : pins) {
    const Body &b = model.bodies[body];
    if (offset != base || b.numRects != 1 || b.lo > 0 || b.hi < model.numSlots)
      break;
    base += b.extent;
    ++numResident;
  }
  std::fill(floor.begin(), floor.end(), base);
  for (size_t i = numResident; i < pins.size(); ++i)
    for (const BodyRect &r : model.rectsOf(pins[i].second))
      for (int32_t s = r.lo; s < r.hi; ++s) {
        if (floor[s] != pins[i].first)
          return false;
        floor[s] = pins[i].first + r.size;
      }
  return true;
}

int32_t Search::chooseSlot(int32_t lo, int32_t hi, int64_t &next) {
  // A body with gaps may lie over several valleys: keep to the lowest slot.
  int64_t lowest = INT64_MAX;
  if (hasGaps)
    for (int32_t s = lo; s < hi; ++s)
      if (count[s])
        lowest = std::min(lowest, floor[s]);
  // Valleys: runs of equal floors between higher ones.
  int32_t best = -1;
  double bestKey = HUGE_VAL;
  for (int32_t a = lo; a < hi;) {
    if (count[a] == 0) {
      ++a;
      continue;
    }
    int32_t b = a + 1;
    while (b < hi && count[b] && floor[b] == floor[a])
      ++b;
    bool isValley = (a == lo || count[a - 1] == 0 || floor[a - 1] > floor[a]) &&
                    (b == hi || count[b] == 0 || floor[b] > floor[a]);
    if (hasGaps)
      isValley = floor[a] == lowest;
    if (isValley) {
      for (int32_t s = a; s < b; ++s) {
        double key = (optionsAt[s] + (slackAt(s) > 0)) / slotWeight[s];
        if (key < bestKey) {
          bestKey = key;
          best = s;
        }
      }
    }
    a = b;
  }
  if (best < 0)
    return best;
  int64_t slack = slackAt(best);
  next = slack > 0 ? nextLevel(best, floor[best]) : INT64_MAX;
  if (next == INT64_MAX || next - floor[best] > slack)
    next = -1;
  return best;
}

double Search::score(int32_t job, int32_t runLo, int32_t runHi) const {
  const FitJob &j = jobs[job];
  double s = wSize * std::log(double(j.size)) +
             wLength * std::log(double(j.numSlots)) + jobNoise[job];
  s += wFlush * ((j.lo == runLo) + (j.hi == runHi));
  int64_t top = least[job] + j.size;
  if (j.lo == runLo && runLo > 0 && floor[runLo - 1] == top)
    s += wLevel;
  if (j.hi == runHi && runHi < numSlots && floor[runHi] == top)
    s += wLevel;
  return s;
}

Search::Answer Search::branch(int32_t lo, int32_t hi) {
  int64_t next = -1;
  int32_t slot = chooseSlot(lo, hi, next);
  assert(slot >= 0 && "unplaced bodies must leave a valley");
  int64_t level = floor[slot];
  int32_t runLo = slot, runHi = slot + 1;
  while (runLo > lo && floor[runLo - 1] == level)
    --runLo;
  while (runHi < hi && floor[runHi] == level)
    ++runHi;
  llvm::SmallVector<std::pair<double, int32_t>, 16> options;
  forEachUnplaced(slot, [&](int32_t j) {
    if (least[j] != level)
      return;
    for (auto &[s, k] : options)
      if (areEqual(j, k))
        return;
    options.push_back({-score(j, runLo, runHi), j});
  });
  std::sort(options.begin(), options.end());
  size_t trailMark = trail.size(), placedMark = placed.size();
  for (auto [s, job] : options) {
    if (place(job)) {
      Answer answer = solve(lo, hi);
      if (answer != Answer::No)
        return answer;
    }
    undo(trailMark, placedMark);
    if (isSpent())
      return Answer::Stopped;
  }
  if (next >= 0) {
    if (waste(slot, next)) {
      Answer answer = solve(lo, hi);
      if (answer != Answer::No)
        return answer;
    }
    undo(trailMark, placedMark);
  }
  return Answer::No;
}

Search::Answer Search::solve(int32_t lo, int32_t hi) {
  if (isSpent())
    return Answer::Stopped;
  // Cut where no unplaced job crosses.
  llvm::SmallVector<std::pair<int32_t, int32_t>, 4> parts;
  for (int32_t s = lo; s < hi; ++s) {
    if (count[s] == 0)
      continue;
    int32_t first = s;
    while (s + 1 < hi && crossing[s] > 0)
      ++s;
    parts.push_back({first, s + 1});
  }
  if (parts.empty())
    return Answer::Yes;
  for (auto [a, b] : parts)
    if (failed.contains(stateHash(a, b)))
      return Answer::No;
  for (auto [a, b] : parts) {
    Answer answer = branch(a, b);
    if (answer == Answer::No && failed.size() < kMostRemembered)
      failed.insert(stateHash(a, b));
    if (answer != Answer::Yes)
      return answer;
  }
  return Answer::Yes;
}

bool Search::isSpent() {
  if (nodes > stopAt || steps > stepEnd || late)
    return true;
  if (steps - checkedAt < 1000000)
    return false;
  checkedAt = steps;
  late = isLate();
  return late;
}

/// Other tastes for the next dive; the first one is the same for all seeds.
void Search::drawWeights() {
  auto uniform = [&] { return double(random() >> 11) / double(1ull << 53); };
  wSize = uniform() * 2;
  wLength = uniform() * 3;
  wFlush = uniform() * 3;
  wLevel = uniform() * 3;
  double wNoise = uniform();
  for (double &noise : jobNoise)
    noise = wNoise * uniform();
}

FitResult Search::run(uint64_t stepLimit) {
  FitResult result;
  stepEnd = steps + stepLimit;
  if (!isConsistent()) {
    result.verdict = FitVerdict::Impossible;
    return result;
  }
  // A first dive must be able to reach the end.
  uint64_t length = std::max<uint64_t>(2000, 3 * jobs.size());
  while (steps < stepEnd) {
    stopAt = nodes + length;
    size_t trailMark = trail.size();
    Answer answer = solve(0, numSlots);
    if (answer == Answer::Yes) {
      result.verdict = FitVerdict::Fits;
      result.offsets = offsets;
      return result;
    }
    if (answer == Answer::No) {
      result.verdict = FitVerdict::Impossible;
      return result;
    }
    if (late)
      return result;
    undo(trailMark, 0);
    drawWeights();
    length = length * 1.05;
    for (double &w : slotWeight)
      w = 1 + (w - 1) * 0.5;
  }
  return result;
}

FitResult lowtide::solver::searchFit(const BodyModel &model,
                                     int64_t capacityBytes, uint64_t seed,
                                     uint64_t stepLimit, uint64_t &steps,
                                     const std::function<bool()> &isLate) {
  return Search(model, capacityBytes, seed, steps, isLate).run(stepLimit);
}
