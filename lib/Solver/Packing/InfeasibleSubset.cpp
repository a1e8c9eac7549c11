//===- InfeasibleSubset.cpp - Few buffers that can't be packed ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: which buffers are to blame when a problem has no packing?
//
// Idea: leave out a half, a quarter, ... a single one of the buffers, taken in
// the order of their lives, wherever the rest still has a proof that it can't
// be packed. What remains can't be packed either.
//
// Example: of a..h only c, d and e meet; the first half that can go is e..h
// without e, the last single ones are a and b.
//
// Complexity: one bounded search for each try, at most kMostTries of them.
// The result is small, not the smallest.
//
// Tested by test/unit/Solver/Packing/PackBuffersTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "InfeasibleSubset.h"
#include "ExactSearch.h"

#include <algorithm>

using namespace lowtide::solver;

static constexpr int kMostTries = 120;

/// Whether these buffers alone have a proof, cheap enough to repeat.
static bool isProvedInfeasible(const PackingProblem &problem,
                               const std::vector<int32_t> &buffers,
                               int64_t capacityBytes, uint64_t workLimit,
                               uint64_t &steps,
                               const std::function<bool()> &isLate) {
  PackingProblem part;
  for (int32_t index : buffers)
    part.buffers.push_back(problem.buffers[index]);
  if (part.buffers.empty())
    return false;
  auto model = buildBodyModel(part, part.buffers.front().space);
  if (!model) {
    llvm::consumeError(model.takeError());
    return false;
  }
  if (model->lowerBoundBytes > capacityBytes)
    return true;
  if (!isSearchable(*model))
    return false;
  return searchFit(*model, capacityBytes, 0, workLimit, steps, isLate)
             .verdict == FitVerdict::Impossible;
}

std::vector<int32_t> lowtide::solver::shrinkInfeasible(
    const PackingProblem &problem, std::vector<int32_t> buffers,
    int64_t capacityBytes, uint64_t workLimit, uint64_t &steps,
    const std::function<bool()> &isLate) {
  std::sort(buffers.begin(), buffers.end(), [&](int32_t a, int32_t b) {
    int64_t lowerA = problem.buffers[a].lifetime.front().lower;
    int64_t lowerB = problem.buffers[b].lifetime.front().lower;
    return std::tie(lowerA, a) < std::tie(lowerB, b);
  });
  int numTries = 0;
  for (size_t chunk = buffers.size() / 2; chunk > 0; chunk /= 2)
    for (size_t from = 0; from < buffers.size();) {
      if (++numTries > kMostTries || isLate())
        return buffers;
      std::vector<int32_t> rest(buffers.begin(), buffers.begin() + from);
      size_t to = std::min(buffers.size(), from + chunk);
      rest.insert(rest.end(), buffers.begin() + to, buffers.end());
      if (isProvedInfeasible(problem, rest, capacityBytes, workLimit, steps,
                             isLate))
        buffers = std::move(rest);
      else
        from = to;
    }
  return buffers;
}
