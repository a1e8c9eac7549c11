#include "ExactSearch.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <random>

using namespace lowtide::solver;

namespace {
using Word = uint64_t;

struct Job {
  int32_t body;
  int32_t lo, hi;
  int64_t size, alignment;
  int64_t highest; // last allowed offset
  int32_t firstSlot, numSlots;
};

struct Hash128 {
  uint64_t a = 0, b = 0;
  void add(uint64_t x) {
    a = (a ^ x) * 0x9E3779B97F4A7C15ull;
    a ^= a >> 29;
    b = (b + x) * 0xD1B54A32D192ED03ull;
    b ^= b >> 31;
  }
};

class Search {
public:
  Search(const BodyModel &model, int64_t capacityBytes, uint64_t seed,
         uint64_t &steps, const std::function<bool()> &isLate);

  FitResult run(uint64_t stepLimit);

private:
  struct Change {
    enum Kind { Floor, Least, Options } kind;
    int32_t index;
    int64_t old;
  };
  enum class Answer { Yes, No, Stopped };

  bool isBase(const Body &b) const;
  void placeBase();
  void addJob(int32_t body, int64_t capacityBytes);
  void setUp(int64_t capacityBytes);
  Answer solve(int32_t lo, int32_t hi);
  Answer branch(int32_t lo, int32_t hi);
  int32_t chooseSlot(int32_t lo, int32_t hi, int64_t &next);
  bool place(int32_t job);
  bool waste(int32_t slot, int64_t level);
  void change(Change::Kind kind, int32_t index, int64_t value);
  void toggle(int32_t job, int32_t sign);
  bool raise(int32_t job, int64_t least);
  bool checkDirty();
  bool checkSlot(int32_t slot);
  bool stackFits(int32_t slot);
  void undo(size_t trailMark, size_t placedMark);
  int64_t nextLevel(int32_t slot, int64_t level);
  double score(int32_t job, int32_t runLo, int32_t runHi);
  Hash128 stateHash(int32_t lo, int32_t hi);
  void drawWeights();

  template <typename F>
  void forEachUnplaced(int32_t slot, F f) {
    const Word *bits = &slotJobs[size_t(slot) * words];
    for (int32_t w = 0; w < words; ++w)
      for (Word x = bits[w] & unplaced[w]; x; x &= x - 1)
        f(w * 64 + __builtin_ctzll(x));
  }
  bool isUnplaced(int32_t job) const {
    return unplaced[job >> 6] >> (job & 63) & 1;
  }
  static int64_t alignUp(int64_t v, int64_t a) {
    return a == 1 ? v : (v + a - 1) / a * a;
  }

  const BodyModel &model;
  std::mt19937_64 random;
  uint64_t &steps;
  const std::function<bool()> &isLate;
  uint64_t nodes = 0, stopAt = 0;
  bool late = false, hasRounding = false, hasGaps = false;
  std::vector<bool> isPlacedFirst;

  std::vector<Job> jobs;
  std::vector<int32_t> slotLists;
  int32_t words = 0, numSlots = 0, slotWords = 0;
  std::vector<Word> slotJobs, unplaced, neighbours, dirty, jobSlots;
  std::vector<int64_t> floor, remaining, least, offsets;
  std::vector<int32_t> count, optionsAt, crossing;
  std::vector<uint64_t> keyA, keyB, hashA, hashB;
  int64_t capacity = 0;
  std::vector<Change> trail;
  std::vector<int32_t> placed;
  std::vector<double> slotWeight, jobNoise;
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> failed;
  double wSize = 1, wLength = 1, wFlush = 1, wLevel = 1, wNoise = 0;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 32> levels;
};
} // namespace

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

Search::Search(const BodyModel &model, int64_t capacityBytes, uint64_t seed,
               uint64_t &steps, const std::function<bool()> &isLate)
    : model(model), random(seed * 7919 + 17), steps(steps), isLate(isLate) {
  setUp(capacityBytes);
}

/// Bodies alive throughout go to the bottom where that is level and nothing
/// has to be aligned; the search then never sees them.
bool Search::isBase(const Body &b) const {
  return b.numRects == 1 && b.lo == 0 && b.hi == numSlots && !hasRounding &&
         std::equal(floor.begin() + 1, floor.end(), floor.begin());
}

/// Places what needs no search: pins, and what is alive throughout.
void Search::placeBase() {
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

void Search::addJob(int32_t body, int64_t capacityBytes) {
  const Body &b = model.bodies[body];
  Job job{body,
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

void Search::setUp(int64_t capacityBytes) {
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
  int32_t n = jobs.size();
  words = (n + 63) / 64;
  slotWords = (numSlots + 63) / 64;
  slotJobs.assign(size_t(numSlots) * words, 0);
  unplaced.assign(words, 0);
  jobSlots.assign(size_t(n) * slotWords, 0);
  neighbours.assign(size_t(n) * words, 0);
  dirty.assign(slotWords, 0);
  least.assign(n, 0);
  for (int32_t j = 0; j < n; ++j) {
    unplaced[j >> 6] |= Word(1) << (j & 63);
    for (int32_t k = 0; k < jobs[j].numSlots; ++k) {
      int32_t s = slotLists[jobs[j].firstSlot + k];
      slotJobs[size_t(s) * words + (j >> 6)] |= Word(1) << (j & 63);
      jobSlots[size_t(j) * slotWords + (s >> 6)] |= Word(1) << (s & 63);
      remaining[s] += jobs[j].size;
      ++count[s];
      least[j] = std::max(least[j], alignUp(floor[s], jobs[j].alignment));
    }
  }
  for (int32_t j = 0; j < n; ++j) {
    for (int32_t k = 0; k < jobs[j].numSlots; ++k) {
      int32_t s = slotLists[jobs[j].firstSlot + k];
      for (int32_t w = 0; w < words; ++w)
        neighbours[size_t(j) * words + w] |= slotJobs[size_t(s) * words + w];
    }
    neighbours[size_t(j) * words + (j >> 6)] &= ~(Word(1) << (j & 63));
  }
  optionsAt.assign(numSlots, 0);
  crossing.assign(numSlots, 0);
  hashA.assign(numSlots, 0);
  hashB.assign(numSlots, 0);
  std::mt19937_64 keys(12345);
  for (int32_t j = 0; j < n; ++j) {
    keyA.push_back(keys());
    keyB.push_back(keys());
    hashA[jobs[j].lo] ^= keyA[j];
    hashB[jobs[j].lo] ^= keyB[j];
    for (int32_t s = jobs[j].lo; s + 1 < jobs[j].hi; ++s)
      ++crossing[s];
  }
  slotWeight.assign(numSlots, 1.0);
  jobNoise.assign(n, 0.0);
}

void Search::change(Change::Kind kind, int32_t index, int64_t value) {
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
void Search::toggle(int32_t job, int32_t sign) {
  const Job &j = jobs[job];
  unplaced[job >> 6] ^= Word(1) << (job & 63);
  for (int32_t k = 0; k < j.numSlots; ++k) {
    int32_t s = slotLists[j.firstSlot + k];
    remaining[s] += sign * j.size;
    count[s] += sign;
  }
  for (int32_t s = j.lo; s + 1 < j.hi; ++s)
    crossing[s] += sign;
  hashA[j.lo] ^= keyA[job];
  hashB[j.lo] ^= keyB[job];
}

bool Search::raise(int32_t job, int64_t to) {
  to = alignUp(to, jobs[job].alignment);
  if (to <= least[job])
    return true;
  int64_t old = least[job];
  change(Change::Least, job, to);
  // Look again where the job may have been the lowest, and where starting
  // everything at `to` would pass the capacity.
  const Job &j = jobs[job];
  for (int32_t k = 0; k < j.numSlots; ++k) {
    int32_t s = slotLists[j.firstSlot + k];
    if (floor[s] >= old || to + remaining[s] > capacity)
      dirty[s >> 6] |= Word(1) << (s & 63);
  }
  return to <= jobs[job].highest;
}

bool Search::checkSlot(int32_t slot) {
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
  int64_t slack = capacity - floor[slot] - remaining[slot];
  if (slack < 0)
    return false;
  return highest - lowest <= slack || stackFits(slot);
}

/// Whether the jobs at a slot can be stacked below the capacity when each
/// starts at its least offset or above: one machine with release dates.
bool Search::stackFits(int32_t slot) {
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

bool Search::checkDirty() {
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

bool Search::place(int32_t job) {
  ++nodes;
  steps += words + jobs[job].numSlots;
  const Job &j = jobs[job];
  int64_t top = least[job] + j.size;
  toggle(job, -1);
  placed.push_back(job);
  offsets[j.body] = least[job];
  for (int32_t k = 0; k < j.numSlots; ++k) {
    int32_t s = slotLists[j.firstSlot + k];
    change(Change::Floor, s, top);
  }
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

bool Search::waste(int32_t slot, int64_t level) {
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

void Search::undo(size_t trailMark, size_t placedMark) {
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

/// The next offset that something at `slot` could have when nothing starts at
/// `level`.
int64_t Search::nextLevel(int32_t slot, int64_t level) {
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
        int64_t slack = capacity - floor[s] - remaining[s];
        double key = (optionsAt[s] + (slack > 0)) / slotWeight[s];
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
  int64_t slack = capacity - floor[best] - remaining[best];
  next = slack > 0 ? nextLevel(best, floor[best]) : INT64_MAX;
  if (next == INT64_MAX || next - floor[best] > slack)
    next = -1;
  return best;
}

double Search::score(int32_t job, int32_t runLo, int32_t runHi) {
  const Job &j = jobs[job];
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

Hash128 Search::stateHash(int32_t lo, int32_t hi) {
  Hash128 h;
  uint64_t jobsA = uint64_t(lo) << 32 | uint64_t(hi), jobsB = 0;
  for (int32_t s = lo; s < hi; ++s) {
    h.add(uint64_t(floor[s]));
    jobsA ^= hashA[s];
    jobsB ^= hashB[s];
  }
  h.add(jobsA);
  h.add(jobsB);
  return h;
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
      if (jobs[k].size == jobs[j].size && jobs[k].highest == jobs[j].highest &&
          jobs[k].alignment == jobs[j].alignment &&
          std::equal(&jobSlots[size_t(k) * slotWords],
                     &jobSlots[size_t(k) * slotWords] + slotWords,
                     &jobSlots[size_t(j) * slotWords]))
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
    if (nodes > stopAt)
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
  if (nodes > stopAt)
    return Answer::Stopped;
  if (late || ((nodes & 1023) == 0 && isLate())) {
    late = true;
    return Answer::Stopped;
  }
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
  for (auto [a, b] : parts) {
    Hash128 h = stateHash(a, b);
    if (failed.contains({h.a, h.b}))
      return Answer::No;
  }
  for (auto [a, b] : parts) {
    Answer answer = branch(a, b);
    if (answer == Answer::No) {
      Hash128 h = stateHash(a, b);
      if (failed.size() < (size_t(1) << 22))
        failed.insert({h.a, h.b});
    }
    if (answer != Answer::Yes)
      return answer;
  }
  return Answer::Yes;
}

void Search::drawWeights() {
  auto uniform = [&] { return double(random() >> 11) / double(1ull << 53); };
  wSize = uniform() * 2;
  wLength = uniform() * 3;
  wFlush = uniform() * 3;
  wLevel = uniform() * 3;
  wNoise = uniform();
  for (double &noise : jobNoise)
    noise = wNoise * uniform();
}

FitResult Search::run(uint64_t stepLimit) {
  FitResult result;
  uint64_t end = steps + stepLimit;
  bool isOpen = true;
  for (size_t j = 0; j < jobs.size(); ++j)
    isOpen &= least[j] <= jobs[j].highest;
  for (int32_t s = 0; s < numSlots; ++s)
    isOpen &= checkSlot(s);
  if (!isOpen) {
    result.verdict = FitVerdict::Impossible;
    return result;
  }
  // A first dive must be able to reach the end.
  uint64_t length = std::max<uint64_t>(2000, 3 * jobs.size());
  while (steps < end) {
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
