//===- PlanDiff.cpp - What a plan changed in a schedule -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: two node sequences, which nodes moved. Naming every node whose
// position changed would name all nodes behind one clone.
//
// Idea: match the nodes of both schedules by name. Walk the new schedule and
// write down each matched node's old position; a longest increasing subsequence
// of these numbers is a largest set of nodes that kept their order. The others
// moved.
//
// Worked example: before a b c d, after a c d b. Old positions 0 2 3 1; a
// longest increasing subsequence is 0 2 3, so only b moved (1 → 3).
//
// Complexity: O(n log n). When several longest subsequences exist, the one
// whose elements end lowest is taken.
//
// What it does not do: it doesn't follow renamed nodes; those are removed and
// added.
//
// Reference: M. L. Fredman, On computing the length of longest increasing
// subsequences, Discrete Mathematics 11, 1975.
//
// Tested by test/unit/Report/PlanDiffTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/PlanDiff.h"

#include "lowtide/Report/PlanReport.h"
#include "lowtide/Support/Printable.h"

#include <algorithm>
#include <map>

using namespace lowtide;
using namespace lowtide::report;

/// Tells clones from first runs, and the k-th of a name from the others.
static std::string identity(const ScheduledNode &node) {
  return node.recomputeOf.empty() ? "=" + node.node : "~" + node.node;
}

/// Marks the members of a longest increasing subsequence.
static std::vector<bool>
longestIncreasing(const std::vector<int64_t> &numbers) {
  std::vector<size_t> tails; // Index of the lowest end, per length.
  std::vector<size_t> previous(numbers.size(), SIZE_MAX);
  for (size_t i = 0; i < numbers.size(); ++i) {
    auto at = std::lower_bound(
        tails.begin(), tails.end(), numbers[i],
        [&](size_t tail, int64_t number) { return numbers[tail] < number; });
    if (at != tails.begin())
      previous[i] = *(at - 1);
    if (at == tails.end())
      tails.push_back(i);
    else
      *at = i;
  }
  std::vector<bool> isMember(numbers.size(), false);
  for (size_t i = tails.empty() ? SIZE_MAX : tails.back(); i != SIZE_MAX;
       i = previous[i])
    isMember[i] = true;
  return isMember;
}

PlanDiff report::diffPlans(const Schedule &before, const Schedule &after) {
  // Old positions per identity, taken in order.
  std::map<std::string, std::vector<int64_t>> oldPositions;
  for (size_t i = 0; i < before.size(); ++i)
    oldPositions[identity(before[i])].push_back(int64_t(i));
  std::map<std::string, size_t> taken;
  std::map<std::string, size_t> cloneIndex;

  PlanDiff diff;
  std::vector<bool> isMatched(before.size(), false);
  std::vector<int64_t> matchedOld, matchedNew;
  for (size_t i = 0; i < after.size(); ++i) {
    const ScheduledNode &node = after[i];
    std::string id = identity(node);
    auto old = oldPositions.find(id);
    size_t k = taken[id]++;
    if (old != oldPositions.end() && k < old->second.size()) {
      isMatched[size_t(old->second[k])] = true;
      matchedOld.push_back(old->second[k]);
      matchedNew.push_back(int64_t(i));
    } else if (node.recomputeOf.empty()) {
      diff.added.push_back(node.node);
    } else {
      auto [entry, isNew] =
          cloneIndex.try_emplace(node.recomputeOf, diff.cloned.size());
      if (isNew)
        diff.cloned.push_back({node.recomputeOf, {}});
      diff.cloned[entry->second].positions.push_back(int64_t(i));
    }
  }
  for (size_t i = 0; i < before.size(); ++i)
    if (!isMatched[i])
      diff.removed.push_back(before[i].node);
  std::vector<bool> kept = longestIncreasing(matchedOld);
  for (size_t m = 0; m < kept.size(); ++m)
    if (!kept[m])
      diff.reordered.push_back(
          {after[size_t(matchedNew[m])].node, matchedOld[m], matchedNew[m]});
  return diff;
}

template <typename T, typename Fn>
static void renderKind(std::string &text, std::string_view name,
                       const std::vector<T> &changes, int maxLines,
                       Fn describe) {
  if (changes.empty())
    return;
  text +=
      std::string(name) + ": " + formatCount(int64_t(changes.size())) + "\n";
  size_t shown = std::min(changes.size(), size_t(std::max(maxLines, 0)));
  for (size_t i = 0; i < shown; ++i)
    text += "  " + describe(changes[i]) + "\n";
  if (shown < changes.size())
    text +=
        "  … and " + formatCount(int64_t(changes.size() - shown)) + " more\n";
}

std::string report::renderDiff(const PlanDiff &diff, int maxLines) {
  if (diff.isEmpty())
    return "the schedules are the same\n";
  std::string text;
  auto name = [](const std::string &node) { return printable(node); };
  renderKind(text, "added", diff.added, maxLines, name);
  renderKind(text, "removed", diff.removed, maxLines, name);
  renderKind(text, "cloned", diff.cloned, maxLines,
             [](const PlanDiff::Clone &clone) {
               std::string line = printable(clone.original) + ", again at ";
               for (size_t i = 0; i < clone.positions.size(); ++i)
                 line += (i ? ", " : "") + formatCount(clone.positions[i]);
               return line;
             });
  renderKind(text, "reordered", diff.reordered, maxLines,
             [](const PlanDiff::Move &move) {
               return printable(move.node) + ", " + formatCount(move.from) +
                      " → " + formatCount(move.to);
             });
  return text;
}
