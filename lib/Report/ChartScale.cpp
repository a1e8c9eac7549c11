//===- ChartScale.cpp - Axis ticks and downsampling -----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ChartScale.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace lowtide;
using namespace lowtide::report;

static ChartColumn makeColumn(const std::vector<TimelineRow> &timeline,
                              size_t begin, size_t end) {
  ChartColumn column;
  column.begin = begin;
  column.end = end;
  column.highest = begin;
  size_t perPhase[3] = {};
  for (size_t i = begin; i < end; ++i) {
    const TimelineRow &row = timeline[i];
    if (row.liveBytes > timeline[column.highest].liveBytes)
      column.highest = i;
    ++perPhase[static_cast<size_t>(row.phase)];
    column.hasRecomputed |= row.recomputed;
    column.hasUpdate |= row.phase == Phase::Update;
  }
  column.phase =
      static_cast<Phase>(std::max_element(perPhase, perPhase + 3) - perPhase);
  return column;
}

std::vector<ChartColumn>
report::stretchedColumns(const std::vector<TimelineRow> &timeline,
                         size_t count) {
  std::vector<ChartColumn> columns;
  size_t n = timeline.size();
  for (size_t c = 0; n > 0 && c < count; ++c) {
    size_t begin = c * n / count;
    size_t end = std::max(begin + 1, (c + 1) * n / count);
    columns.push_back(makeColumn(timeline, begin, end));
  }
  return columns;
}

std::vector<ChartColumn>
report::chartColumns(const std::vector<TimelineRow> &timeline,
                     size_t maxColumns) {
  return stretchedColumns(timeline, std::min(timeline.size(), maxColumns));
}

std::string Ticks::label(double value) const {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*f", decimals, value);
  std::string text = buffer;
  size_t point = std::min(text.find('.'), text.size());
  std::string fraction = text.substr(point);
  return formatCount(std::stoll(text.substr(0, point))) + fraction;
}

Ticks report::makeTicks(double top, int count, bool wholeNumbers) {
  Ticks ticks;
  if (!(top > 0)) {
    ticks.values = {0};
    return ticks;
  }
  double rough = top / count;
  double power = std::pow(10.0, std::floor(std::log10(rough)));
  ticks.step = 10 * power;
  for (double multiple : {1.0, 2.0, 2.5, 5.0}) {
    if (multiple * power >= rough * 0.999) {
      ticks.step = multiple * power;
      break;
    }
  }
  if (wholeNumbers)
    ticks.step = std::max(1.0, std::ceil(ticks.step - 1e-9));
  double digits = -std::floor(std::log10(ticks.step) + 1e-9);
  ticks.decimals = static_cast<int>(std::max(0.0, digits));
  double scaled = ticks.step * std::pow(10.0, ticks.decimals);
  if (std::fabs(scaled - std::round(scaled)) > 1e-6)
    ++ticks.decimals;
  for (int i = 0; i * ticks.step <= top * 1.0001; ++i)
    ticks.values.push_back(i * ticks.step);
  return ticks;
}

int64_t report::chartTop(int64_t peakBytes,
                         std::initializer_list<std::optional<int64_t>> lines) {
  int64_t top = peakBytes;
  for (std::optional<int64_t> line : lines)
    if (line && *line / 3 <= peakBytes)
      top = std::max(top, *line);
  return std::max<int64_t>(top, 1);
}

std::string_view report::classColor(BufferClass cls) {
  switch (cls) {
  case BufferClass::Parameter:
    return "#3b5b7e";
  case BufferClass::OptimizerState:
    return "#7d9abb";
  case BufferClass::Statistic:
    return "#aebfd2";
  case BufferClass::Constant:
    return "#cfd8e2";
  case BufferClass::Input:
    return "#8c83b8";
  case BufferClass::Gradient:
    return "#eab04a";
  case BufferClass::Activation:
    return "#35a293";
  case BufferClass::Workspace:
    return "#d4617a";
  }
  return "#000000";
}

std::string_view report::phaseColor(Phase phase) {
  switch (phase) {
  case Phase::Forward:
    return "#9ccfc6";
  case Phase::Backward:
    return "#e7c896";
  case Phase::Update:
    return "#a9b6d3";
  }
  return "#000000";
}
