//===- ChartScale.h - Axis ticks and downsampling ---------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What the drawn charts share: a timeline cut into columns in which no peak is
// lost, round axis ticks, and colours.
//
// Worked example: 7 steps in 3 columns gives [0, 2), [2, 4), [4, 7); each
// column is drawn as its highest step, so the highest step of all is drawn at
// its exact height.
//
// Tested by test/unit/Report/ChartScaleTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_REPORT_CHARTSCALE_H
#define LOWTIDE_LIB_REPORT_CHARTSCALE_H

#include "lowtide/Report/PlanReport.h"

#include <string>
#include <vector>

namespace lowtide::report {

/// Rows [begin, end) of a timeline, drawn as row `highest`.
struct ChartColumn {
  size_t begin = 0;
  size_t end = 0;
  size_t highest = 0;
  Phase phase = Phase::Forward; ///< Of most of the rows.
  bool hasRecomputed = false;
  bool hasUpdate = false;
};

/// At most `maxColumns` columns that cover the timeline in order.
std::vector<ChartColumn> chartColumns(const std::vector<TimelineRow> &timeline,
                                      size_t maxColumns);

/// The same, but always `count` columns: a short timeline repeats its rows.
std::vector<ChartColumn>
stretchedColumns(const std::vector<TimelineRow> &timeline, size_t count);

/// Round values from 0 to at most `top`, about `count` of them.
struct Ticks {
  double step = 1;
  std::vector<double> values;
  int decimals = 0;
  std::string label(double value) const;
};
Ticks makeTicks(double top, int count, bool wholeNumbers = false);

/// The height of the chart: the most live bytes, and the given lines where
/// they don't dwarf it (more than three times as high).
int64_t chartTop(int64_t peakBytes,
                 std::initializer_list<std::optional<int64_t>> lines);

std::string_view classColor(BufferClass cls);
std::string_view phaseColor(Phase phase);

inline double toMib(double bytes) { return bytes / (1 << 20); }

} // namespace lowtide::report

#endif // LOWTIDE_LIB_REPORT_CHARTSCALE_H
