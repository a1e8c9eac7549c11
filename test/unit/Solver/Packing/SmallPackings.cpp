//===- SmallPackings.cpp - All small packings, and brute force ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "SmallPackings.h"

using namespace lowtide;
using namespace lowtide::solver;

static void extend(PackingProblem &problem, int left, int firstKind,
                   int numTimes, int maxSize,
                   const std::function<void(const PackingProblem &)> &visit) {
  if (left == 0)
    return visit(problem);
  int kind = 0;
  for (int lower = 0; lower < numTimes; ++lower)
    for (int upper = lower + 1; upper <= numTimes; ++upper)
      for (int size = 1; size <= maxSize; ++size, ++kind) {
        if (kind < firstKind)
          continue;
        addBuffer(problem, "", lower, upper, size);
        extend(problem, left - 1, kind, numTimes, maxSize, visit);
        problem.buffers.pop_back();
      }
}

void test::forEachSmallPacking(
    int numBuffers, int numTimes, int maxSize,
    const std::function<void(const PackingProblem &)> &visit) {
  PackingProblem problem;
  extend(problem, numBuffers, 0, numTimes, maxSize, visit);
}

namespace {
class Force {
public:
  explicit Force(const PackingProblem &problem) : problem(problem) {}

  bool fits(int64_t height) {
    limit = height;
    offsets.clear();
    return place();
  }

private:
  bool meet(const PackingBuffer &a, const PackingBuffer &b) const {
    for (const LifeInterval &x : a.lifetime)
      for (const LifeInterval &y : b.lifetime)
        if (x.lower < y.upper && y.lower < x.upper)
          return true;
    return false;
  }

  bool mayLie(int64_t offset) const {
    const PackingBuffer &b = problem.buffers[offsets.size()];
    if (offset % b.alignment ||
        (b.pinnedOffsetBytes && *b.pinnedOffsetBytes != offset))
      return false;
    int64_t groupEnd = -1;
    for (size_t i = 0; i < offsets.size(); ++i) {
      const PackingBuffer &other = problem.buffers[i];
      if (other.space != b.space)
        continue;
      if (b.group >= 0 && other.group == b.group)
        groupEnd = offsets[i] + other.sizeBytes;
      if (b.aliasSet >= 0 && other.aliasSet == b.aliasSet) {
        if (offsets[i] != offset)
          return false;
        continue;
      }
      if (meet(b, other) && offset < offsets[i] + other.sizeBytes &&
          offsets[i] < offset + b.sizeBytes)
        return false;
    }
    return groupEnd < 0 ||
           offset == (groupEnd + b.alignment - 1) / b.alignment * b.alignment;
  }

  bool place() {
    if (offsets.size() == problem.buffers.size())
      return true;
    int64_t size = problem.buffers[offsets.size()].sizeBytes;
    for (int64_t offset = 0; offset + size <= limit; ++offset) {
      if (!mayLie(offset))
        continue;
      offsets.push_back(offset);
      if (place())
        return true;
      offsets.pop_back();
    }
    return false;
  }

  const PackingProblem &problem;
  int64_t limit = 0;
  std::vector<int64_t> offsets;
};
} // namespace

int64_t test::leastHeightByForce(const PackingProblem &problem) {
  Force force(problem);
  for (int64_t height = maxLiveBytes(problem); height < 1000; ++height)
    if (force.fits(height))
      return height;
  return -1;
}
