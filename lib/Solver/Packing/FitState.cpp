//===- FitState.cpp - Bodies placed so far, and what follows --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// See FitState.h. Placing a body costs its slots, the bodies it meets, and the
// slots whose lowest body or whose stack may have changed; other slots are
// left alone. Undo walks the trail back.
//
// Tested by test/unit/Solver/Packing/PackBuffersTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "FitState.h"

#include <algorithm>
#include <random>

using namespace lowtide::solver;

/// Bodies alive throughout go to the bottom where that is level and nothing
/// has to be aligned; the search then never sees them.
bool FitState::isBase(const Body &b) const {
  return b.numRects == 1 && b.lo == 0 && b.hi == numSlots && !hasRounding &&
         std::equal(floor.begin() + 1, floor.end(), floor.begin());
}

/// Places what needs no search: pins, and what is alive throughout.
void FitState::placeBase() {
  for (const Body &b : model.bodies)
    hasRounding |= b.alignment > 1 || b.slackBytes > 0;
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].pinned < 0)
      continue;
    offsets[i] = model.bodies[i].pinned;
    for (const BodyRect &r : model.rectsOf(i))
      for (int32_t s = r.lo; s < r.hi; ++s)
        floor[s] = std::max(floor[s], offsets[i] + r.size);
  }
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    const Body &b = model.bodies[i];
    if (b.pinned >= 0 || !isBase(b))
      continue;
    offsets[i] = floor[0];
    isPlacedFirst[i] = true;
    std::fill(floor.begin(), floor.end(), floor[0] + b.extent);
  }
}

void FitState::addJob(int32_t body, int64_t capacityBytes) {
  const Body &b = model.bodies[body];
  FitJob job{body,
             b.lo,
             b.hi,
             b.extent,
             b.alignment,
             model.highestOffset(body, capacityBytes),
             int32_t(slotLists.size()),
             0};
  for (const BodyRect &r : model.rectsOf(body))
    for (int32_t s = r.lo; s < r.hi; ++s)
      if (slotLists.size() == size_t(job.firstSlot) || slotLists.back() != s)
        slotLists.push_back(s);
  job.numSlots = int32_t(slotLists.size()) - job.firstSlot;
  hasGaps |= job.numSlots < b.hi - b.lo;
  capacity = std::max(capacity, job.highest + job.size);
  jobs.push_back(job);
}

FitState::FitState(const BodyModel &model, int64_t capacityBytes,
                   uint64_t &steps)
    : model(model), steps(steps) {
  numSlots = model.numSlots;
  floor.assign(numSlots, 0);
  remaining.assign(numSlots, 0);
  count.assign(numSlots, 0);
  offsets.assign(model.bodies.size(), 0);
  isPlacedFirst.assign(model.bodies.size(), false);
  placeBase();
  for (size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].numRects && model.bodies[i].pinned < 0 &&
        !isPlacedFirst[i])
      addJob(int32_t(i), capacityBytes);
  slotWeight.assign(numSlots, 1.0);
  indexJobs();
  countJobs();
}

/// Which jobs are at a slot, which meet.
void FitState::indexJobs() {
  int32_t n = int32_t(jobs.size());
  words = (n + 63) / 64;
  slotWords = (numSlots + 63) / 64;
  slotJobs.assign(size_t(numSlots) * words, 0);
  jobSlots.assign(size_t(n) * slotWords, 0);
  neighbours.assign(size_t(n) * words, 0);
  dirty.assign(slotWords, 0);
  for (int32_t j = 0; j < n; ++j)
    for (int32_t s : slotsOf(j)) {
      slotJobs[size_t(s) * words + (j >> 6)] |= Word(1) << (j & 63);
      jobSlots[size_t(j) * slotWords + (s >> 6)] |= Word(1) << (s & 63);
    }
  for (int32_t j = 0; j < n; ++j) {
    Word *near = &neighbours[size_t(j) * words];
    for (int32_t s : slotsOf(j))
      for (int32_t w = 0; w < words; ++w)
        near[w] |= slotJobs[size_t(s) * words + w];
    near[j >> 6] &= ~(Word(1) << (j & 63));
  }
}

/// All jobs unplaced: the counters by slot, and the least offsets.
void FitState::countJobs() {
  unplaced.assign(words, 0);
  least.assign(jobs.size(), 0);
  optionsAt.assign(numSlots, 0);
  crossing.assign(numSlots, 0);
  hashA.assign(numSlots, 0);
  hashB.assign(numSlots, 0);
  std::mt19937_64 keys(12345);
  for (int32_t j = 0; j < int32_t(jobs.size()); ++j) {
    keyA.push_back(keys());
    keyB.push_back(keys());
    toggle(j, +1);
    for (int32_t s : slotsOf(j))
      least[j] = std::max(least[j], alignUp(floor[s], jobs[j].alignment));
  }
}

void FitState::change(Change::Kind kind, int32_t index, int64_t value) {
  switch (kind) {
  case Change::Floor:
    trail.push_back({kind, index, floor[index]});
    floor[index] = value;
    return;
  case Change::Least:
    trail.push_back({kind, index, least[index]});
    least[index] = value;
    return;
  case Change::Options:
    trail.push_back({kind, index, optionsAt[index]});
    optionsAt[index] = int32_t(value);
    return;
  }
}

/// Counts a job in (+1) or out (-1) of everything that is kept by slot.
void FitState::toggle(int32_t job, int32_t sign) {
  const FitJob &j = jobs[job];
  unplaced[job >> 6] ^= Word(1) << (job & 63);
  for (int32_t s : slotsOf(job)) {
    remaining[s] += sign * j.size;
    count[s] += sign;
  }
  for (int32_t s = j.lo; s + 1 < j.hi; ++s)
    crossing[s] += sign;
  hashA[j.lo] ^= keyA[job];
  hashB[j.lo] ^= keyB[job];
}

bool FitState::raise(int32_t job, int64_t to) {
  to = alignUp(to, jobs[job].alignment);
  if (to <= least[job])
    return true;
  int64_t old = least[job];
  change(Change::Least, job, to);
  // Look again where the job may have been the lowest, and where starting
  // everything at `to` would pass the capacity.
  for (int32_t s : slotsOf(job))
    if (floor[s] >= old || to + remaining[s] > capacity)
      dirty[s >> 6] |= Word(1) << (s & 63);
  return to <= jobs[job].highest;
}

bool FitState::checkSlot(int32_t slot) {
  if (count[slot] == 0)
    return true;
  steps += words + count[slot];
  int64_t lowest = INT64_MAX, highest = 0;
  int32_t options = 0;
  forEachUnplaced(slot, [&](int32_t j) {
    int64_t from = least[j];
    options = from < lowest ? 1 : options + (from == lowest);
    lowest = std::min(lowest, from);
    highest = std::max(highest, from);
  });
  if (lowest > floor[slot])
    change(Change::Floor, slot, lowest);
  if (options != optionsAt[slot])
    change(Change::Options, slot, options);
  int64_t slack = slackAt(slot);
  if (slack < 0)
    return false;
  return highest - lowest <= slack || stackFits(slot);
}

/// Whether the jobs at a slot can be stacked below the capacity when each
/// starts at its least offset or above: one machine with release dates.
bool FitState::stackFits(int32_t slot) {
  // Few offsets are distinct: sum the sizes of each.
  levels.clear();
  forEachUnplaced(slot, [&](int32_t j) {
    int64_t from = least[j];
    size_t i = levels.size();
    while (i > 0 && levels[i - 1].first > from)
      --i;
    if (i > 0 && levels[i - 1].first == from)
      levels[i - 1].second += jobs[j].size;
    else
      levels.insert(levels.begin() + i, {from, jobs[j].size});
  });
  steps += count[slot];
  int64_t at = 0;
  for (auto [from, size] : levels)
    at = std::max(at, from) + size;
  return at <= capacity;
}

bool FitState::checkDirty() {
  for (int32_t w = 0; w < slotWords; ++w) {
    while (dirty[w]) {
      int32_t s = w * 64 + __builtin_ctzll(dirty[w]);
      dirty[w] &= dirty[w] - 1;
      if (!checkSlot(s)) {
        slotWeight[s] += 1.0;
        std::fill(dirty.begin(), dirty.end(), 0);
        return false;
      }
    }
  }
  return true;
}

bool FitState::place(int32_t job) {
  ++nodes;
  steps += words + jobs[job].numSlots;
  const FitJob &j = jobs[job];
  int64_t top = least[job] + j.size;
  toggle(job, -1);
  placed.push_back(job);
  offsets[j.body] = least[job];
  for (int32_t s : slotsOf(job))
    change(Change::Floor, s, top);
  for (int32_t w = 0; w < slotWords; ++w)
    dirty[w] |= jobSlots[size_t(job) * slotWords + w];
  const Word *near = &neighbours[size_t(job) * words];
  for (int32_t w = 0; w < words; ++w)
    for (Word x = near[w] & unplaced[w]; x; x &= x - 1)
      if (!raise(w * 64 + __builtin_ctzll(x), top)) {
        std::fill(dirty.begin(), dirty.end(), 0);
        return false;
      }
  return checkDirty();
}

bool FitState::waste(int32_t slot, int64_t level) {
  ++nodes;
  change(Change::Floor, slot, level);
  dirty[slot >> 6] |= Word(1) << (slot & 63);
  bool ok = true;
  forEachUnplaced(slot, [&](int32_t j) { ok = ok && raise(j, level); });
  if (!ok) {
    std::fill(dirty.begin(), dirty.end(), 0);
    return false;
  }
  return checkDirty();
}

void FitState::undo(size_t trailMark, size_t placedMark) {
  while (trail.size() > trailMark) {
    const Change &c = trail.back();
    switch (c.kind) {
    case Change::Floor:
      floor[c.index] = c.old;
      break;
    case Change::Least:
      least[c.index] = c.old;
      break;
    case Change::Options:
      optionsAt[c.index] = int32_t(c.old);
      break;
    }
    trail.pop_back();
  }
  while (placed.size() > placedMark) {
    toggle(placed.back(), +1);
    placed.pop_back();
  }
}

int64_t FitState::nextLevel(int32_t slot, int64_t level) {
  int64_t next = INT64_MAX;
  forEachUnplaced(slot, [&](int32_t j) {
    if (least[j] > level) {
      next = std::min(next, least[j]);
      return;
    }
    const Word *near = &neighbours[size_t(j) * words];
    const Word *here = &slotJobs[size_t(slot) * words];
    for (int32_t w = 0; w < words; ++w)
      for (Word x = near[w] & unplaced[w] & ~here[w]; x; x &= x - 1) {
        int32_t c = w * 64 + __builtin_ctzll(x);
        next =
            std::min(next, alignUp(least[c] + jobs[c].size, jobs[j].alignment));
      }
  });
  return next;
}

std::pair<uint64_t, uint64_t> FitState::stateHash(int32_t lo,
                                                  int32_t hi) const {
  uint64_t a = uint64_t(lo) << 32 | uint64_t(hi), b = 0;
  auto add = [&](uint64_t x) {
    a = (a ^ x) * 0x9E3779B97F4A7C15ull;
    a ^= a >> 29;
    b = (b + x) * 0xD1B54A32D192ED03ull;
    b ^= b >> 31;
  };
  uint64_t jobsA = 0, jobsB = 0;
  for (int32_t s = lo; s < hi; ++s) {
    add(uint64_t(floor[s]));
    jobsA ^= hashA[s];
    jobsB ^= hashB[s];
  }
  add(jobsA);
  add(jobsB);
  return {a, b};
}

bool FitState::areEqual(int32_t a, int32_t b) const {
  const Word *slotsA = &jobSlots[size_t(a) * slotWords];
  return jobs[a].size == jobs[b].size && jobs[a].highest == jobs[b].highest &&
         jobs[a].alignment == jobs[b].alignment &&
         std::equal(slotsA, slotsA + slotWords,
                    &jobSlots[size_t(b) * slotWords]);
}

bool FitState::isConsistent() {
  for (size_t j = 0; j < jobs.size(); ++j)
    if (least[j] > jobs[j].highest)
      return false;
  for (int32_t s = 0; s < numSlots; ++s)
    if (!checkSlot(s))
      return false;
  return true;
}
