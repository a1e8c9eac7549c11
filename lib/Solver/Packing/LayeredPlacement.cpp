//===- LayeredPlacement.cpp - Place very many bodies ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: 100,000 buffers of a training step in well under a second.
//
// Idea: in a training step long lives nest: what the forward pass makes first
// the backward pass reads last. Bodies that live long are stacked on a
// skyline, the longest first, which is tight as far as they nest. Short ones
// then go into the lowest gap above that skyline, looking only at the short
// ones around them.
//
// Example: a [0,9), b [1,8), c [2,7) of one unit stack to 0, 1, 2; then the
// short t [1,2) meets a and b alone and goes to 2.
//
// Complexity: O(n log n) for the skyline, a segment tree over slots; a short
// body costs its slots and the short bodies it meets. Gaps below the skyline
// stay empty, so crossing long lives cost height.
//
// Tested by test/unit/Solver/Packing/PackBuffersTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "LayeredPlacement.h"
#include "ExactSearch.h"

#include <algorithm>

using namespace lowtide::solver;

bool lowtide::solver::isLayerable(const BodyModel &model) {
  for (const Body &b : model.bodies)
    if (b.numRects > 1)
      return false;
  return isSearchable(model);
}

namespace {
/// Heights over slots: the highest of a range, and raising a range to one
/// height.
class Skyline {
public:
  explicit Skyline(int32_t numSlots) {
    while (size < numSlots)
      size *= 2;
    most.assign(2 * size, 0);
    assigned.assign(2 * size, -1);
  }
  int64_t highest(int32_t lo, int32_t hi) {
    return highest(1, 0, size, lo, hi);
  }
  void assign(int32_t lo, int32_t hi, int64_t height) {
    assign(1, 0, size, lo, hi, height);
  }

private:
  void push(int32_t node) {
    if (assigned[node] < 0)
      return;
    for (int32_t child : {2 * node, 2 * node + 1})
      most[child] = assigned[child] = assigned[node];
    assigned[node] = -1;
  }
  int64_t highest(int32_t node, int32_t from, int32_t to, int32_t lo,
                  int32_t hi) {
    if (hi <= from || to <= lo)
      return 0;
    if (lo <= from && to <= hi)
      return most[node];
    push(node);
    int32_t middle = (from + to) / 2;
    return std::max(highest(2 * node, from, middle, lo, hi),
                    highest(2 * node + 1, middle, to, lo, hi));
  }
  void assign(int32_t node, int32_t from, int32_t to, int32_t lo, int32_t hi,
              int64_t height) {
    if (hi <= from || to <= lo)
      return;
    if (lo <= from && to <= hi) {
      most[node] = assigned[node] = height;
      return;
    }
    push(node);
    int32_t middle = (from + to) / 2;
    assign(2 * node, from, middle, lo, hi, height);
    assign(2 * node + 1, middle, to, lo, hi, height);
    most[node] = std::max(most[2 * node], most[2 * node + 1]);
  }

  int32_t size = 1;
  std::vector<int64_t> most, assigned;
};

class LayeredPlacer {
public:
  LayeredPlacer(const BodyModel &model, int32_t border, uint64_t &steps)
      : model(model), border(border), steps(steps), skyline(model.numSlots),
        shortAt(model.numSlots), offsets(model.bodies.size(), 0),
        stamp(model.bodies.size(), -1) {}

  Placement run(llvm::ArrayRef<int32_t> byLength,
                llvm::ArrayRef<int32_t> byNeed);

private:
  int64_t alignUp(int64_t value, int32_t body) const {
    int64_t a = model.bodies[body].alignment;
    return (value + a - 1) / a * a;
  }
  void stack(int32_t body) {
    const Body &b = model.bodies[body];
    offsets[body] = alignUp(skyline.highest(b.lo, b.hi), body);
    skyline.assign(b.lo, b.hi, offsets[body] + b.extent);
    ++steps;
  }
  void fit(int32_t body);

  const BodyModel &model;
  int32_t border;
  uint64_t &steps;
  Skyline skyline;
  std::vector<std::vector<int32_t>> shortAt; ///< per slot: short bodies there
  std::vector<int64_t> offsets;
  std::vector<int32_t> stamp;
  std::vector<std::pair<int64_t, int64_t>> around;
};
} // namespace

/// The lowest gap above the skyline that the short bodies around leave.
void LayeredPlacer::fit(int32_t body) {
  const Body &b = model.bodies[body];
  around.clear();
  for (int32_t s = b.lo; s < b.hi; ++s)
    for (int32_t other : shortAt[s])
      if (stamp[other] != body) {
        stamp[other] = body;
        around.push_back(
            {offsets[other], offsets[other] + model.bodies[other].extent});
      }
  std::sort(around.begin(), around.end());
  steps += around.size() + 1;
  int64_t at = alignUp(skyline.highest(b.lo, b.hi), body);
  for (auto [low, high] : around) {
    if (at + b.extent <= low)
      break;
    if (high > at)
      at = alignUp(high, body);
  }
  offsets[body] = at;
  for (int32_t s = b.lo; s < b.hi; ++s)
    shortAt[s].push_back(body);
}

Placement LayeredPlacer::run(llvm::ArrayRef<int32_t> byLength,
                             llvm::ArrayRef<int32_t> byNeed) {
  std::vector<std::pair<int64_t, int32_t>> pins;
  for (size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].pinned >= 0 && model.bodies[i].numRects)
      pins.push_back({model.bodies[i].pinned, int32_t(i)});
  std::sort(pins.begin(), pins.end());
  for (auto [offset, body] : pins) {
    const Body &b = model.bodies[body];
    offsets[body] = offset;
    skyline.assign(b.lo, b.hi, offset + b.extent);
  }
  for (int32_t body : byLength) {
    const Body &b = model.bodies[body];
    if (b.numRects && b.hi - b.lo > border)
      stack(body);
  }
  for (int32_t body : byNeed) {
    const Body &b = model.bodies[body];
    if (b.numRects && b.hi - b.lo <= border)
      fit(body);
  }
  Placement placement;
  placement.offsets = std::move(offsets);
  placement.heightBytes = model.heightBytes(placement.offsets);
  return placement;
}

Placement lowtide::solver::placeInLayers(const BodyModel &model,
                                         int64_t goalBytes, uint64_t &steps,
                                         const std::function<bool()> &isLate) {
  Placement best;
  std::vector<int32_t> byLength = makeOrder(model, BodyOrder::Length);
  for (BodyOrder need : {BodyOrder::Length, BodyOrder::Size})
    for (int32_t border : {32, 128, 8}) {
      std::vector<int32_t> byNeed =
          need == BodyOrder::Length ? byLength : makeOrder(model, need);
      Placement placement =
          LayeredPlacer(model, border, steps).run(byLength, byNeed);
      if (placement.heightBytes < best.heightBytes)
        best = std::move(placement);
      if (best.heightBytes <= goalBytes || isLate())
        return best;
    }
  return best;
}
