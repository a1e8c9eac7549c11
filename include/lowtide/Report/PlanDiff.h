//===- PlanDiff.h - What a plan changed in a schedule -----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Compares two schedules of the same step by node name: which nodes were
// added, removed, cloned for recomputation and moved. The moved ones are a
// smallest set: everything else keeps its order.
//
// Tested by test/unit/Report/PlanDiffTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_REPORT_PLANDIFF_H
#define LOWTIDE_REPORT_PLANDIFF_H

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::report {

/// One op of a schedule. `recomputeOf` names the node that it runs again and
/// is empty for a first run.
struct ScheduledNode {
  std::string node;
  std::string recomputeOf;
};
using Schedule = std::vector<ScheduledNode>;

struct PlanDiff {
  struct Clone {
    std::string original;
    std::vector<int64_t> positions; ///< Of the clones, in the new schedule.
  };
  struct Move {
    std::string node;
    int64_t from = 0; ///< Position in the old schedule.
    int64_t to = 0;   ///< Position in the new one.
  };

  std::vector<std::string> added;   ///< In the order of the new schedule.
  std::vector<std::string> removed; ///< In the order of the old one.
  std::vector<Clone> cloned;        ///< By first clone in the new schedule.
  std::vector<Move> reordered;      ///< By position in the new schedule.

  bool isEmpty() const {
    return added.empty() && removed.empty() && cloned.empty() &&
           reordered.empty();
  }
};

/// Clones that both schedules have are compared like other nodes. The k-th node
/// of a name in one schedule is the k-th of that name in the other.
PlanDiff diffPlans(const Schedule &before, const Schedule &after);

/// One line per change, at most `maxLines` of each kind.
std::string renderDiff(const PlanDiff &diff, int maxLines = 20);

} // namespace lowtide::report

#endif // LOWTIDE_REPORT_PLANDIFF_H
