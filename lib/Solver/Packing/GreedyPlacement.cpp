//===- GreedyPlacement.cpp - Place bodies one by one ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: a low packing of many bodies, fast.
//
// Idea: place bodies in a fixed order, each into the lowest (or tightest) gap
// that is free throughout its life. Good orders put first what is hard to
// place: tall, long, or alive when memory is fullest. Then repeat: bodies that
// stick out above the lower bound are moved forward in the order, and all are
// placed again.
//
// Example: x [0,2) 2, y [1,3) 1, z [2,4) 2 by start: x at 0, y at 2, z at 0,
// height 3. With y first: y at 0, x at 1, z at 1, height 3 as well.
//
// Complexity: O(n * (n + pieces met)) for one order, about 50 ms at 10,000
// bodies. It proves nothing. Large inputs are LayeredPlacement.cpp's.
//
// Tested by test/unit/Solver/Packing/PackBuffersTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "GreedyPlacement.h"

#include <algorithm>
#include <random>

using namespace lowtide::solver;

namespace {
/// A placed rectangle; the list of them is sorted by `low`.
struct Piece {
  int64_t low, high;
  int32_t lo, hi;
};

class Placer {
public:
  Placer(const BodyModel &model, Fit fit, uint64_t &steps)
      : model(model), fit(fit), steps(steps) {
    pieces.reserve(model.rects.size());
    offsets.assign(model.bodies.size(), 0);
  }

  void placeAt(int32_t body, int64_t offset) {
    isTooHigh |= offset > (int64_t(1) << 62) / model.unitBytes;
    if (isTooHigh)
      return;
    offsets[body] = offset;
    for (const BodyRect &r : model.rectsOf(body)) {
      Piece piece{offset + r.low, offset + r.low + r.size, r.lo, r.hi};
      auto at = std::upper_bound(
          pieces.begin(), pieces.end(), piece.low,
          [](int64_t low, const Piece &p) { return low < p.low; });
      pieces.insert(at, piece);
    }
  }

  void place(int32_t body) {
    if (model.bodies[body].numRects == 0)
      return;
    placeAt(body, model.bodies[body].numRects == 1 ? gapForRect(body)
                                                   : gapForBody(body));
  }

  std::vector<int64_t> offsets;
  /// Some offset passed what can be added up safely; the rest is dropped.
  bool isTooHigh = false;

private:
  static int64_t alignUp(int64_t value, int64_t alignment) {
    return alignment == 1 ? value
                          : (value + alignment - 1) / alignment * alignment;
  }

  int64_t gapForRect(int32_t body) {
    const BodyRect &r = model.rects[model.bodies[body].firstRect];
    int64_t alignment = model.bodies[body].alignment;
    int64_t cursor = 0, best = -1, bestRoom = INT64_MAX;
    steps += pieces.size();
    for (const Piece &p : pieces) {
      if (p.lo >= r.hi || r.lo >= p.hi)
        continue;
      if (p.low > cursor) {
        int64_t start = alignUp(cursor, alignment);
        int64_t room = p.low - start;
        if (room >= r.size && room < bestRoom) {
          best = start;
          bestRoom = room;
          if (fit == Fit::Lowest)
            return best;
        }
      }
      cursor = std::max(cursor, p.high);
    }
    return best >= 0 ? best : alignUp(cursor, alignment);
  }

  /// Every pair of a rectangle and a piece forbids a stretch of offsets.
  int64_t gapForBody(int32_t body) {
    forbidden.clear();
    steps += pieces.size();
    for (const Piece &p : pieces)
      for (const BodyRect &r : model.rectsOf(body))
        if (p.lo < r.hi && r.lo < p.hi)
          forbidden.push_back({p.low - r.low - r.size, p.high - r.low});
    std::sort(forbidden.begin(), forbidden.end());
    int64_t alignment = model.bodies[body].alignment;
    int64_t cursor = 0;
    for (auto [above, below] : forbidden) {
      if (alignUp(cursor, alignment) <= above)
        break;
      cursor = std::max(cursor, below);
    }
    return alignUp(cursor, alignment);
  }

  const BodyModel &model;
  Fit fit;
  uint64_t &steps;
  std::vector<Piece> pieces;
  std::vector<std::pair<int64_t, int64_t>> forbidden;
};
} // namespace

Placement lowtide::solver::placeInOrder(const BodyModel &model,
                                        llvm::ArrayRef<int32_t> order, Fit fit,
                                        uint64_t &steps) {
  Placer placer(model, fit, steps);
  for (size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].pinned >= 0)
      placer.placeAt(int32_t(i), model.bodies[i].pinned);
  for (int32_t body : order)
    placer.place(body);
  Placement placement;
  placement.offsets = std::move(placer.offsets);
  if (!placer.isTooHigh)
    placement.heightBytes = model.heightBytes(placement.offsets);
  return placement;
}

bool lowtide::solver::hasFewOrders(const BodyModel &model) {
  int32_t numFree = 0;
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    const Body &b = model.bodies[i];
    for (const BodyRect &r : model.rectsOf(i))
      if (b.pinned < 0 && (r.low != 0 || r.size != b.extent))
        return false;
    numFree += b.pinned < 0 && b.numRects > 0;
  }
  return numFree <= 7;
}

Placement lowtide::solver::placeInEveryOrder(const BodyModel &model,
                                             uint64_t &steps) {
  std::vector<int32_t> order;
  for (size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].pinned < 0 && model.bodies[i].numRects)
      order.push_back(int32_t(i));
  Placement best;
  do {
    Placement placement = placeInOrder(model, order, Fit::Lowest, steps);
    if (placement.heightBytes < best.heightBytes)
      best = std::move(placement);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

/// The fullest slot that each body lives through, in live units.
static std::vector<int64_t> hottest(const BodyModel &model) {
  std::vector<int64_t> heat(model.bodies.size(), 0);
  for (const BodyRect &r : model.rects)
    for (int32_t s = r.lo; s < r.hi; ++s)
      heat[r.body] = std::max(heat[r.body], model.live[s]);
  return heat;
}

std::vector<int32_t> lowtide::solver::makeOrder(const BodyModel &model,
                                                BodyOrder kind) {
  std::vector<int32_t> order;
  for (size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].pinned < 0)
      order.push_back(int32_t(i));
  std::vector<int64_t> heat;
  if (kind == BodyOrder::Heat || kind == BodyOrder::Breadth)
    heat = hottest(model);
  auto key = [&](int32_t index) -> std::pair<double, double> {
    const Body &b = model.bodies[index];
    double size = double(b.extent), length = b.hi - b.lo;
    switch (kind) {
    case BodyOrder::Size:
      return {-size, -length};
    case BodyOrder::Area:
      return {-b.area, -size};
    case BodyOrder::Length:
      return {-length, -size};
    case BodyOrder::Start:
      return {b.lo, -length};
    case BodyOrder::End:
      return {-b.hi, -length};
    case BodyOrder::Heat:
      return {-double(heat[index]), -length};
    case BodyOrder::Breadth:
      return {-double(heat[index]), -size};
    }
    return {0, 0};
  };
  std::vector<std::pair<double, double>> keys(model.bodies.size());
  for (int32_t index : order) {
    const Body &b = model.bodies[index];
    bool isResident = b.numRects == 1 && b.lo == 0 && b.hi == model.numSlots;
    keys[index] = isResident ? std::pair(-HUGE_VAL, 0.0) : key(index);
  }
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::tie(keys[a], a) < std::tie(keys[b], b);
  });
  return order;
}

namespace {
/// Repeats placements while the order improves.
class OrderImprover {
public:
  OrderImprover(const BodyModel &model, int64_t goalBytes, uint64_t seed,
                uint64_t stepLimit, uint64_t &steps,
                const std::function<bool()> &isLate)
      : model(model), goalBytes(goalBytes), random(seed + 1),
        stepLimit(stepLimit), steps(steps), isLate(isLate) {}

  Placement run();

private:
  bool isDone() const {
    return best.heightBytes <= goalBytes || steps > stepLimit || isLate();
  }
  void tryOrder(const std::vector<int32_t> &order, Fit fit) {
    Placement placement = placeInOrder(model, order, fit, steps);
    if (placement.heightBytes < best.heightBytes) {
      best = std::move(placement);
      bestOrder = order;
      bestFit = fit;
    }
  }
  void pushForward();

  const BodyModel &model;
  int64_t goalBytes;
  std::mt19937_64 random;
  uint64_t stepLimit;
  uint64_t &steps;
  const std::function<bool()> &isLate;
  Placement best;
  std::vector<int32_t> bestOrder;
  Fit bestFit = Fit::Lowest;
};
} // namespace

/// Up to this size all orders are tried, whatever the effort.
static constexpr size_t kMostTriedInAllOrders = 12000;

Placement OrderImprover::run() {
  for (BodyOrder kind :
       {BodyOrder::Length, BodyOrder::Heat, BodyOrder::Size, BodyOrder::Breadth,
        BodyOrder::Area, BodyOrder::Start, BodyOrder::End}) {
    std::vector<int32_t> order = makeOrder(model, kind);
    for (Fit fit : {Fit::Lowest, Fit::Tightest}) {
      tryOrder(order, fit);
      if (best.heightBytes <= goalBytes || isLate() ||
          (isDone() && model.bodies.size() > kMostTriedInAllOrders))
        return std::move(best);
    }
  }
  pushForward();
  return std::move(best);
}

/// Bodies above the lower bound move forward in the order by a random part of
/// their distance from its front; sideways steps are kept.
void OrderImprover::pushForward() {
  std::vector<int32_t> order = bestOrder;
  Placement now = best;
  int stale = 0;
  while (!isDone()) {
    std::vector<int32_t> next;
    std::vector<std::pair<double, int32_t>> keyed;
    for (size_t rank = 0; rank < order.size(); ++rank) {
      const Body &b = model.bodies[order[rank]];
      int64_t top = (now.offsets[order[rank]] + b.extent) * model.unitBytes -
                    b.slackBytes;
      double key = double(rank);
      bool isHigh = top > goalBytes;
      if (isHigh || random() % 64 == 0)
        key *= double(random() % 1000) / 1000.0;
      keyed.push_back({key, order[rank]});
    }
    std::sort(keyed.begin(), keyed.end());
    for (auto &[key, body] : keyed)
      next.push_back(body);
    Placement placement = placeInOrder(model, next, bestFit, steps);
    if (placement.heightBytes < best.heightBytes) {
      best = placement;
      bestOrder = next;
      stale = 0;
    }
    if (placement.heightBytes <= now.heightBytes || ++stale % 32 == 0) {
      now = placement.heightBytes <= now.heightBytes ? placement : best;
      order = placement.heightBytes <= now.heightBytes ? next : bestOrder;
    }
  }
}

Placement lowtide::solver::placeGreedily(const BodyModel &model,
                                         int64_t goalBytes, uint64_t seed,
                                         uint64_t stepLimit, uint64_t &steps,
                                         const std::function<bool()> &isLate) {
  return OrderImprover(model, goalBytes, seed, stepLimit, steps, isLate).run();
}
