//===- BodyModel.cpp - One memory space in its plainest form --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// See BodyModel.h. Four steps: gather bodies, cut each into disjoint
// rectangles in raw time, map time to slots, divide bytes by the unit.
// O(n log n) where bodies have few members.
//
// Tested by test/unit/Solver/Packing/PackBuffersTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "BodyModel.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace lowtide::solver;

namespace {
/// A rectangle in raw time and bytes.
struct RawRect {
  int64_t lower, upper, low, high;
};

struct RawBody {
  std::vector<RawRect> rects;
  int64_t alignment = 1;
  int64_t pinned = -1;
  /// The true top; rectangles are rounded up.
  int64_t topBytes = 0;
};

/// Gathers the members of every body, with their distances.
class BodyGatherer {
public:
  BodyGatherer(const PackingProblem &problem, int32_t space)
      : problem(problem), space(space) {}

  llvm::Error gather(std::vector<BodyModel::Member> &members,
                     std::vector<RawBody> &bodies);

private:
  llvm::Error relate();
  llvm::Error place(int32_t buffer, int32_t leader, int64_t delta);
  int32_t leaderOf(int32_t buffer, int64_t &delta);

  const PackingProblem &problem;
  int32_t space;
  /// buffer = parent + delta.
  std::vector<int32_t> parent;
  std::vector<int64_t> deltaToParent;
};
} // namespace

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static int64_t roundUp(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

int32_t BodyGatherer::leaderOf(int32_t buffer, int64_t &delta) {
  delta = 0;
  while (parent[buffer] != buffer) {
    delta += deltaToParent[buffer];
    buffer = parent[buffer];
  }
  return buffer;
}

/// Records that `buffer` lies `delta` bytes above `other`.
llvm::Error BodyGatherer::place(int32_t buffer, int32_t other, int64_t delta) {
  int64_t fromLeader = 0, otherFromLeader = 0;
  int32_t a = leaderOf(buffer, fromLeader);
  int32_t b = leaderOf(other, otherFromLeader);
  int64_t shift = otherFromLeader + delta - fromLeader;
  if (a != b) {
    parent[a] = b;
    deltaToParent[a] = shift;
    return llvm::Error::success();
  }
  if (shift != 0)
    return fail("groups and alias sets ask for two places of buffer '" +
                problem.buffers[buffer].name + "'");
  return llvm::Error::success();
}

/// Alias sets lie at one place, groups behind one another.
llvm::Error BodyGatherer::relate() {
  size_t n = problem.buffers.size();
  parent.resize(n);
  std::iota(parent.begin(), parent.end(), 0);
  deltaToParent.assign(n, 0);
  std::map<int32_t, int32_t> aliasFirst;
  std::map<int32_t, std::vector<int32_t>> groups;
  for (size_t i = 0; i < n; ++i) {
    const PackingBuffer &b = problem.buffers[i];
    if (b.space != space)
      continue;
    if (b.aliasSet >= 0) {
      int32_t first = aliasFirst.try_emplace(b.aliasSet, i).first->second;
      if (first != int32_t(i))
        if (llvm::Error error = place(i, first, 0))
          return error;
    }
    if (b.group >= 0)
      groups[b.group].push_back(i);
  }
  for (auto &[group, list] : groups) {
    int64_t end = 0;
    for (int32_t index : list) {
      const PackingBuffer &b = problem.buffers[index];
      int64_t start = roundUp(end, b.alignment);
      if (llvm::Error error = place(index, list.front(), start))
        return error;
      end = start + b.sizeBytes;
      if (end > int64_t(1) << 62)
        return fail("a group is taller than 2^62 bytes");
    }
  }
  return llvm::Error::success();
}

llvm::Error BodyGatherer::gather(std::vector<BodyModel::Member> &members,
                                 std::vector<RawBody> &bodies) {
  if (llvm::Error error = relate())
    return error;
  size_t n = problem.buffers.size();
  // Distances from the lowest member, so that they are never negative.
  std::map<int32_t, int64_t> lowest;
  std::vector<int32_t> leader(n, -1);
  std::vector<int64_t> delta(n, 0);
  for (size_t i = 0; i < n; ++i) {
    if (problem.buffers[i].space != space)
      continue;
    leader[i] = leaderOf(i, delta[i]);
    auto [it, isNew] = lowest.try_emplace(leader[i], delta[i]);
    it->second = std::min(it->second, delta[i]);
  }
  std::map<int32_t, int32_t> bodyOf;
  for (size_t i = 0; i < n; ++i) {
    if (leader[i] < 0)
      continue;
    auto [it, isNew] = bodyOf.try_emplace(leader[i], bodies.size());
    if (isNew)
      bodies.emplace_back();
    RawBody &body = bodies[it->second];
    const PackingBuffer &b = problem.buffers[i];
    int64_t low = delta[i] - lowest[leader[i]];
    if (low % b.alignment)
      return fail("the group of buffer '" + b.name +
                  "' starts below its alignment");
    body.alignment = std::lcm(body.alignment, b.alignment);
    if (body.alignment > int64_t(1) << 50)
      return fail("alignments of the group of '" + b.name + "' don't agree");
    if (b.pinnedOffsetBytes) {
      int64_t base = *b.pinnedOffsetBytes - low;
      if (base < 0 || (body.pinned >= 0 && body.pinned != base))
        return fail("pins ask for two places of buffer '" + b.name + "'");
      body.pinned = base;
    }
    body.topBytes = std::max(body.topBytes, low + b.sizeBytes);
    if (b.sizeBytes > 0)
      for (const LifeInterval &life : b.lifetime)
        body.rects.push_back({life.lower, life.upper, low, low + b.sizeBytes});
    members.push_back({int32_t(i), it->second, low});
  }
  return llvm::Error::success();
}

/// Cuts rectangles that may overlap into disjoint ones: for every stretch of
/// time between two events the union of the address stretches, stretches with
/// the same union joined.
static std::vector<RawRect> makeDisjoint(std::vector<RawRect> rects) {
  if (rects.size() < 2)
    return rects;
  std::vector<int64_t> times;
  for (const RawRect &r : rects) {
    times.push_back(r.lower);
    times.push_back(r.upper);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::sort(rects.begin(), rects.end(), [](const RawRect &a, const RawRect &b) {
    return std::tie(a.low, a.high) < std::tie(b.low, b.high);
  });
  std::vector<RawRect> out;
  std::map<std::pair<int64_t, int64_t>, size_t> open;
  for (size_t i = 0; i + 1 < times.size(); ++i) {
    std::vector<std::pair<int64_t, int64_t>> stretches;
    for (const RawRect &r : rects) {
      if (r.lower > times[i] || r.upper <= times[i])
        continue;
      if (!stretches.empty() && r.low <= stretches.back().second)
        stretches.back().second = std::max(stretches.back().second, r.high);
      else
        stretches.push_back({r.low, r.high});
    }
    std::map<std::pair<int64_t, int64_t>, size_t> next;
    for (auto stretch : stretches) {
      auto it = open.find(stretch);
      size_t index = it != open.end() ? it->second : out.size();
      if (it == open.end())
        out.push_back({times[i], 0, stretch.first, stretch.second});
      out[index].upper = times[i + 1];
      next[stretch] = index;
    }
    open = std::move(next);
  }
  return out;
}

/// The unit: divides every size, distance and pin; alignments divide it or
/// are multiples of it.
static int64_t findUnit(const std::vector<RawBody> &bodies) {
  int64_t unit = 0;
  for (const RawBody &body : bodies) {
    for (const RawRect &r : body.rects)
      unit = std::gcd(std::gcd(unit, r.low), r.high);
    if (body.pinned > 0 && !body.rects.empty())
      unit = std::gcd(unit, body.pinned);
  }
  unit = std::max<int64_t>(unit, 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (const RawBody &body : bodies)
      if (!body.rects.empty() && unit % body.alignment &&
          body.alignment % unit) {
        unit = std::gcd(unit, body.alignment);
        changed = true;
      }
  }
  return unit;
}

namespace {
struct TimeEvent {
  int64_t time;
  bool isStart;
  int32_t rect;
};
} // namespace

/// A new slot begins with the first start after an end.
static void assignSlots(const std::vector<RawRect> &raw, BodyModel &model) {
  std::vector<TimeEvent> events;
  events.reserve(raw.size() * 2);
  for (size_t i = 0; i < raw.size(); ++i) {
    events.push_back({raw[i].lower, true, int32_t(i)});
    events.push_back({raw[i].upper, false, int32_t(i)});
  }
  std::sort(events.begin(), events.end(),
            [](const TimeEvent &a, const TimeEvent &b) {
              return std::tie(a.time, a.isStart, a.rect) <
                     std::tie(b.time, b.isStart, b.rect);
            });
  int32_t slot = -1;
  bool lastWasStart = false;
  for (const TimeEvent &event : events) {
    if (event.isStart && !lastWasStart)
      ++slot;
    lastWasStart = event.isStart;
    if (event.isStart)
      model.rects[event.rect].lo = slot;
    else
      model.rects[event.rect].hi = slot + 1;
  }
  model.numSlots = slot + 1;
}

static void measure(BodyModel &model, const std::vector<RawBody> &raw) {
  std::vector<int64_t> change(model.numSlots + 1, 0);
  for (const BodyRect &r : model.rects) {
    change[r.lo] += r.size;
    change[r.hi] -= r.size;
  }
  model.live.assign(model.numSlots, 0);
  int64_t now = 0;
  for (int32_t s = 0; s < model.numSlots; ++s) {
    now += change[s];
    model.live[s] = now;
    if (now > model.maxLive) {
      model.maxLive = now;
      model.fullestSlot = s;
    }
  }
  int64_t mostSlack = 0;
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    Body &body = model.bodies[i];
    if (body.numRects == 0)
      continue;
    bool first = true;
    for (const BodyRect &r : model.rectsOf(int32_t(i))) {
      body.lo = first ? r.lo : std::min(body.lo, r.lo);
      body.hi = std::max(body.hi, r.hi);
      body.extent = std::max(body.extent, r.low + r.size);
      body.area += double(r.size) * double(r.hi - r.lo);
      first = false;
    }
    body.slackBytes = body.extent * model.unitBytes - raw[i].topBytes;
    mostSlack = std::max(mostSlack, body.slackBytes);
  }
  // Only the topmost body of the fullest slot may leave its rounding unused.
  model.lowerBoundBytes =
      std::max<int64_t>(0, model.maxLive * model.unitBytes - mostSlack);
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    int64_t top = raw[i].topBytes + std::max<int64_t>(raw[i].pinned, 0);
    if (model.bodies[i].numRects)
      model.lowerBoundBytes = std::max(model.lowerBoundBytes, top);
  }
}

llvm::Expected<BodyModel>
lowtide::solver::buildBodyModel(const PackingProblem &problem, int32_t space) {
  BodyModel model;
  std::vector<RawBody> bodies;
  if (llvm::Error error =
          BodyGatherer(problem, space).gather(model.members, bodies))
    return std::move(error);
  int64_t step = 0;
  for (const RawBody &body : bodies)
    if (!body.rects.empty())
      step = std::gcd(step, body.alignment);
  step = std::max<int64_t>(step, 1);
  std::vector<RawRect> raw;
  for (size_t i = 0; i < bodies.size(); ++i) {
    for (RawRect &r : bodies[i].rects)
      r.high = roundUp(r.high, step);
    bodies[i].rects = makeDisjoint(std::move(bodies[i].rects));
  }
  model.unitBytes = findUnit(bodies);
  int64_t unit = model.unitBytes;
  model.bodies.resize(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    Body &body = model.bodies[i];
    body.firstRect = int32_t(raw.size());
    body.numRects = int32_t(bodies[i].rects.size());
    body.alignment = std::max<int64_t>(1, bodies[i].alignment / unit);
    body.pinned = bodies[i].pinned < 0 ? -1 : bodies[i].pinned / unit;
    for (const RawRect &r : bodies[i].rects) {
      model.rects.push_back(
          {0, 0, r.low / unit, (r.high - r.low) / unit, int32_t(i)});
      raw.push_back(r);
    }
  }
  assignSlots(raw, model);
  measure(model, bodies);
  return model;
}

int64_t BodyModel::highestOffset(int32_t body, int64_t capacityBytes) const {
  const Body &b = bodies[body];
  int64_t room = capacityBytes + b.slackBytes - b.extent * unitBytes;
  if (room < 0)
    return -1;
  return room / unitBytes / b.alignment * b.alignment;
}

int64_t BodyModel::heightBytes(llvm::ArrayRef<int64_t> offsets) const {
  int64_t height = 0;
  for (size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].numRects)
      height = std::max(height, (offsets[i] + bodies[i].extent) * unitBytes -
                                    bodies[i].slackBytes);
  return height;
}
