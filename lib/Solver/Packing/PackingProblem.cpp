//===- PackingProblem.cpp - Check problems, judge solutions ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: decide whether given offsets are a packing.
//
// Idea: sweep over time. The buffers alive are kept in a set ordered by
// offset; a buffer that enters is compared with its two neighbours, which is
// enough while the set is free of overlaps. Members of one alias set count as
// one entry, as tall as the tallest member alive.
//
// Example: a [0,4) at 0..8, b [2,6) at 4..12: b enters at 2, its neighbour
// below ends at 8 > 4, so the answer is rejected and both are named.
//
// Complexity: O(n log n). It shares nothing with the algorithms that it
// judges. Tested by test/unit/Solver/Packing/PackingProblemTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Packing/PackingProblem.h"

#include <algorithm>
#include <map>
#include <set>

using namespace lowtide::solver;

namespace {
/// One end of a life interval; ends come before starts of the same instant.
struct LifeEvent {
  int64_t time;
  bool isStart;
  int32_t buffer;
  bool operator<(const LifeEvent &o) const {
    return std::tie(time, isStart, buffer) <
           std::tie(o.time, o.isStart, o.buffer);
  }
};

/// The stretch of addresses that one buffer or alias set holds right now.
struct Occupant {
  int64_t end;
  int32_t buffer;
};
} // namespace

/// Far below 2^63, so that no sum of an offset and a size overflows.
static constexpr int64_t kMostBytes = int64_t(1) << 61;
static constexpr int64_t kMostOffset = int64_t(1) << 62;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string quoted(const PackingProblem &problem, int32_t index) {
  const std::string &name = problem.buffers[index].name;
  return "buffer '" + (name.empty() ? std::to_string(index) : name) + "'";
}

static std::vector<LifeEvent> sortedEvents(const PackingProblem &problem) {
  std::vector<LifeEvent> events;
  events.reserve(problem.buffers.size() * 2);
  for (auto [index, buffer] : llvm::enumerate(problem.buffers)) {
    if (buffer.sizeBytes == 0)
      continue;
    for (const LifeInterval &life : buffer.lifetime) {
      events.push_back({life.lower, true, int32_t(index)});
      events.push_back({life.upper, false, int32_t(index)});
    }
  }
  std::sort(events.begin(), events.end());
  return events;
}

int32_t lowtide::solver::addBuffer(PackingProblem &problem,
                                   llvm::StringRef name, int64_t lower,
                                   int64_t upper, int64_t sizeBytes,
                                   int64_t alignment) {
  PackingBuffer buffer;
  buffer.name = name.str();
  buffer.lifetime.push_back({lower, upper});
  buffer.sizeBytes = sizeBytes;
  buffer.alignment = alignment;
  problem.buffers.push_back(std::move(buffer));
  return int32_t(problem.buffers.size()) - 1;
}

static llvm::Error checkBuffer(const PackingProblem &problem, int32_t index) {
  const PackingBuffer &b = problem.buffers[index];
  std::string who = quoted(problem, index);
  if (b.sizeBytes < 0)
    return fail(who + " has size " + llvm::Twine(b.sizeBytes) +
                ", which is negative");
  if (b.sizeBytes > kMostBytes)
    return fail(who + " has size " + llvm::Twine(b.sizeBytes) +
                ", which is past 2^61");
  if (b.alignment < 1 || b.alignment > (int64_t(1) << 40))
    return fail(who + " has alignment " + llvm::Twine(b.alignment) +
                ", which is not within 1..2^40");
  if (b.lifetime.empty())
    return fail(who + " has no lifetime");
  for (size_t i = 0; i < b.lifetime.size(); ++i) {
    if (b.lifetime[i].lower >= b.lifetime[i].upper)
      return fail(who + " is alive from " + llvm::Twine(b.lifetime[i].lower) +
                  " to " + llvm::Twine(b.lifetime[i].upper) +
                  ", which is empty");
    if (i && b.lifetime[i].lower < b.lifetime[i - 1].upper)
      return fail(who + " has life intervals that overlap or are unsorted");
  }
  if (std::optional<int64_t> pin = b.pinnedOffsetBytes) {
    if (*pin < 0 || *pin % b.alignment || *pin > kMostBytes)
      return fail(who + " is pinned at " + llvm::Twine(*pin) +
                  ", which is not a multiple of " + llvm::Twine(b.alignment) +
                  " within 0..2^61");
  }
  return llvm::Error::success();
}

/// The most bytes of one alias set that are alive: its tallest member.
static int64_t tallest(const PackingProblem &problem,
                       const std::set<int32_t> &alive) {
  int64_t most = 0;
  for (int32_t index : alive)
    most = std::max(most, problem.buffers[index].sizeBytes);
  return most;
}

/// Max live in 128 bits, since an input may claim anything.
static __int128 maxLiveWide(const PackingProblem &problem) {
  std::map<int32_t, __int128> live;
  std::map<int32_t, std::set<int32_t>> aliveInSet;
  __int128 most = 0;
  for (const LifeEvent &event : sortedEvents(problem)) {
    const PackingBuffer &b = problem.buffers[event.buffer];
    int64_t change = event.isStart ? b.sizeBytes : -b.sizeBytes;
    if (b.aliasSet >= 0) {
      std::set<int32_t> &alive = aliveInSet[b.aliasSet];
      int64_t before = tallest(problem, alive);
      if (event.isStart)
        alive.insert(event.buffer);
      else
        alive.erase(event.buffer);
      change = tallest(problem, alive) - before;
    }
    __int128 &now = live[b.space];
    now += change;
    most = std::max(most, now);
  }
  return most;
}

llvm::Error
lowtide::solver::checkPackingProblem(const PackingProblem &problem) {
  if (problem.buffers.size() > size_t(1) << 28)
    return fail("more than 2^28 buffers");
  std::map<int32_t, int32_t> spaceOfGroup, spaceOfAlias;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (llvm::Error error = checkBuffer(problem, int32_t(i)))
      return error;
    const PackingBuffer &b = problem.buffers[i];
    if (b.group >= 0 &&
        spaceOfGroup.try_emplace(b.group, b.space).first->second != b.space)
      return fail(quoted(problem, i) + " is in another space than its group");
    if (b.aliasSet >= 0 &&
        spaceOfAlias.try_emplace(b.aliasSet, b.space).first->second != b.space)
      return fail(quoted(problem, i) +
                  " is in another space than its alias set");
  }
  if (problem.capacityBytes && *problem.capacityBytes < 0)
    return fail("the capacity is negative");
  if (maxLiveWide(problem) > kMostBytes)
    return fail("more than 2^61 bytes are alive at one instant");
  return llvm::Error::success();
}

int64_t lowtide::solver::maxLiveBytes(const PackingProblem &problem) {
  return int64_t(std::min<__int128>(maxLiveWide(problem), INT64_MAX));
}

int64_t lowtide::solver::heightOf(const PackingProblem &problem,
                                  llvm::ArrayRef<int64_t> offsetsBytes) {
  int64_t height = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (problem.buffers[i].sizeBytes > 0)
      height = std::max(height, offsetsBytes[i] + problem.buffers[i].sizeBytes);
  return height;
}

static llvm::Error verifyOffsets(const PackingProblem &problem,
                                 llvm::ArrayRef<int64_t> offsets) {
  std::map<int32_t, int64_t> groupEnd, aliasOffset;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const PackingBuffer &b = problem.buffers[i];
    int64_t offset = offsets[i];
    std::string who = quoted(problem, i) + " at " + std::to_string(offset);
    if (offset < 0 || offset % b.alignment || offset > kMostOffset)
      return fail(who + " is not at a multiple of " + llvm::Twine(b.alignment) +
                  " within 0..2^62");
    if (b.pinnedOffsetBytes && *b.pinnedOffsetBytes != offset)
      return fail(who + " should be at " + llvm::Twine(*b.pinnedOffsetBytes));
    if (b.aliasSet >= 0) {
      int64_t first = aliasOffset.try_emplace(b.aliasSet, offset).first->second;
      if (first != offset)
        return fail(who + " should be at " + llvm::Twine(first) +
                    " with its alias set");
    }
    if (b.group >= 0) {
      auto [it, isFirst] = groupEnd.try_emplace(b.group, 0);
      int64_t next = (it->second + b.alignment - 1) / b.alignment * b.alignment;
      if (!isFirst && next != offset)
        return fail(who + " should be at " + llvm::Twine(next) +
                    " behind its group");
      it->second = offset + b.sizeBytes;
    }
  }
  return llvm::Error::success();
}

namespace {
/// The sweep of `verifyPacking`: who holds which addresses now.
class Sweep {
public:
  Sweep(const PackingProblem &problem, llvm::ArrayRef<int64_t> offsets)
      : problem(problem), offsets(offsets) {}

  llvm::Error enter(int32_t index) {
    const PackingBuffer &b = problem.buffers[index];
    if (b.aliasSet < 0)
      return insert(b.space, offsets[index], {end(index), index});
    std::set<int32_t> &alive = aliveInSet[b.aliasSet];
    if (!alive.empty())
      occupied[b.space].erase(offsets[index]);
    alive.insert(index);
    return insert(b.space, offsets[index],
                  {offsets[index] + tallest(problem, alive), index});
  }

  llvm::Error leave(int32_t index) {
    const PackingBuffer &b = problem.buffers[index];
    occupied[b.space].erase(offsets[index]);
    if (b.aliasSet < 0)
      return llvm::Error::success();
    std::set<int32_t> &alive = aliveInSet[b.aliasSet];
    alive.erase(index);
    if (alive.empty())
      return llvm::Error::success();
    return insert(b.space, offsets[index],
                  {offsets[index] + tallest(problem, alive), *alive.begin()});
  }

private:
  int64_t end(int32_t index) const {
    return offsets[index] + problem.buffers[index].sizeBytes;
  }

  llvm::Error insert(int32_t space, int64_t offset, Occupant occupant) {
    std::map<int64_t, Occupant> &held = occupied[space];
    auto above = held.lower_bound(offset);
    if (above != held.end() && above->first < occupant.end)
      return overlap(occupant.buffer, above->second.buffer);
    if (above != held.begin()) {
      auto below = std::prev(above);
      if (below->second.end > offset)
        return overlap(occupant.buffer, below->second.buffer);
    }
    held.emplace(offset, occupant);
    return llvm::Error::success();
  }

  llvm::Error overlap(int32_t a, int32_t b) const {
    return fail(quoted(problem, a) + " at " + llvm::Twine(offsets[a]) +
                " overlaps " + quoted(problem, b) + " at " +
                llvm::Twine(offsets[b]) + " in time and space");
  }

  const PackingProblem &problem;
  llvm::ArrayRef<int64_t> offsets;
  std::map<int32_t, std::map<int64_t, Occupant>> occupied;
  std::map<int32_t, std::set<int32_t>> aliveInSet;
};
} // namespace

llvm::Error lowtide::solver::verifyPacking(const PackingProblem &problem,
                                           const PackingSolution &solution) {
  llvm::ArrayRef<int64_t> offsets = solution.offsetsBytes;
  if (offsets.size() != problem.buffers.size())
    return fail(llvm::Twine(offsets.size()) + " offsets for " +
                llvm::Twine(problem.buffers.size()) + " buffers");
  if (llvm::Error error = verifyOffsets(problem, offsets))
    return error;
  Sweep sweep(problem, offsets);
  for (const LifeEvent &event : sortedEvents(problem))
    if (llvm::Error error = event.isStart ? sweep.enter(event.buffer)
                                          : sweep.leave(event.buffer))
      return error;
  int64_t height = heightOf(problem, offsets);
  if (height != solution.heightBytes)
    return fail("the height is " + llvm::Twine(height) + " but " +
                llvm::Twine(solution.heightBytes) + " is claimed");
  if (problem.capacityBytes && height > *problem.capacityBytes)
    return fail("the height is " + llvm::Twine(height) +
                " but the capacity is " + llvm::Twine(*problem.capacityBytes));
  return llvm::Error::success();
}
