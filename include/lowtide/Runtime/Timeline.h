//===- Timeline.h - What a run was measured to do ---------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RUNTIME_TIMELINE_H
#define LOWTIDE_RUNTIME_TIMELINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::runtime {

/// Bytes that the step's kernel, or a library under it, asked of malloc.
struct OutsideAllocation {
  int32_t step = 0;
  int64_t bytes = 0;
};

/// One entry per step of the plan, of the last run; totals of all runs.
struct Timeline {
  std::vector<double> stepSeconds;
  /// Wall time of each run since the executor was created.
  std::vector<double> runSeconds;
  /// End of the highest block that a kernel or an input copy got, aligned.
  int64_t measuredPeakBytes = 0;
  /// Of the last run. Libraries that set things up at their first call are
  /// seen in the first run only.
  int64_t outsideArenaBytes = 0;
  std::vector<OutsideAllocation> outsideAllocations;
  /// False when this executable doesn't count.
  bool countedAllocations = false;

  /// Median of `runSeconds`, 0 before the first run.
  double medianRunSeconds() const;
};

} // namespace lowtide::runtime

#endif // LOWTIDE_RUNTIME_TIMELINE_H
