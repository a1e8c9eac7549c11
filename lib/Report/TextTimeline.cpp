//===- TextTimeline.cpp - The memory of a step, drawn in text -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "TextTimeline.h"

#include "ChartScale.h"
#include "lowtide/Support/Printable.h"

#include <algorithm>
#include <cmath>

using namespace lowtide;
using namespace lowtide::report;

namespace {

constexpr std::string_view solid = "█";
constexpr std::string_view eighths[] = {" ", "▁", "▂", "▃", "▄",
                                        "▅", "▆", "▇", "█"};

std::string_view shade(BufferClass cls) {
  switch (cls) {
  case BufferClass::Activation:
    return solid;
  case BufferClass::Gradient:
    return "▓";
  case BufferClass::Workspace:
    return "░";
  default:
    return "▒";
  }
}

class Chart {
public:
  Chart(const PlanReport &report, int columns, int lines);
  std::string draw() const;

private:
  std::string_view cell(size_t column, int line) const;
  std::string axisLabel(int line) const;
  std::string key() const;
  std::string bars() const;
  std::string captions() const;
  std::string marks(std::string_view name, bool ChartColumn::*flag) const;

  static constexpr int gutter = 10; ///< Columns left of the axis.

  const PlanReport &report;
  int lines;
  int64_t top;
  size_t peak;
  std::vector<ChartColumn> columns;
  Ticks ticks;
};

} // namespace

Chart::Chart(const PlanReport &report, int width, int lines)
    : report(report), lines(std::max(lines, 2)),
      peak(*peakRow(report.timeline)) {
  top = chartTop(report.timeline[peak].liveBytes, {report.budgetBytes});
  columns = stretchedColumns(report.timeline, std::max(width - gutter - 1, 8));
  ticks = makeTicks(toMib(double(top)), 4);
}

/// The fill of one cell; line 0 is the lowest.
std::string_view Chart::cell(size_t column, int line) const {
  const TimelineRow &row = report.timeline[columns[column].highest];
  double perLine = double(top) / lines;
  double height = double(row.liveBytes) / perLine - line;
  if (height <= 0)
    return " ";
  double middle = (line + std::min(height, 1.0) / 2) * perLine;
  double below = 0;
  std::string_view fill = solid;
  for (BufferClass cls : stackedClasses) {
    below += double(row.byClass[cls]);
    if (row.byClass[cls] > 0)
      fill = shade(cls);
    if (below > middle)
      break;
  }
  if (height >= 1)
    return fill;
  if (fill != solid)
    return height >= 0.5 ? fill : " ";
  return eighths[static_cast<int>(std::lround(height * 8))];
}

/// The tick that falls into a line, else nothing.
std::string Chart::axisLabel(int line) const {
  double perLine = toMib(double(top)) / lines;
  for (double value : ticks.values)
    if (value > 0 && std::lround(value / perLine) == line + 1)
      return ticks.label(value);
  return "";
}

std::string Chart::bars() const {
  std::string text;
  int budgetLine = -1;
  if (report.budgetBytes && *report.budgetBytes <= top)
    budgetLine = std::clamp<int>(
        std::ceil(double(*report.budgetBytes) / double(top) * lines) - 1, 0,
        lines - 1);
  for (int line = lines - 1; line >= 0; --line) {
    std::string label = axisLabel(line);
    std::string bar = padLeft(label, gutter - 1);
    bar += label.empty() ? " │" : " ┤";
    for (size_t c = 0; c < columns.size(); ++c) {
      std::string_view fill = cell(c, line);
      bar += line == budgetLine && fill == " " ? "╌" : fill;
    }
    bar.erase(bar.find_last_not_of(' ') + 1);
    text += bar + '\n';
  }
  return text;
}

/// A caption line with a mark below every column that has the flag; empty
/// when none has.
std::string Chart::marks(std::string_view name, bool ChartColumn::*flag) const {
  std::string line = padLeft(name, gutter) + " ";
  bool any = false;
  for (const ChartColumn &column : columns) {
    any |= column.*flag;
    line += column.*flag ? "▴" : " ";
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return any ? line + '\n' : "";
}

std::string Chart::captions() const {
  auto isBackward = [&](const ChartColumn &column) {
    for (size_t i = column.begin; i < column.end; ++i)
      if (report.timeline[i].phase == Phase::Backward)
        return true;
    return false;
  };
  size_t turn = std::find_if(columns.begin(), columns.end(), isBackward) -
                columns.begin();
  size_t peakColumn = 0;
  while (columns[peakColumn].highest != peak && peakColumn + 1 < columns.size())
    ++peakColumn;

  std::string axis = padLeft("0", gutter - 1) + " └";
  std::string phases = padLeft("phase", gutter) + " ";
  for (size_t c = 0; c < columns.size(); ++c)
    axis += c == peakColumn ? "┻" : c == turn ? "┬" : "─";
  phases += padRight(turn > 0 ? "forward" : "", int(turn));
  if (turn < columns.size())
    phases += turn > 0 ? "│backward" : "backward";
  phases.erase(phases.find_last_not_of(' ') + 1);
  return axis + '\n' + phases + '\n' +
         marks("recompute", &ChartColumn::hasRecomputed) +
         marks("update", &ChartColumn::hasUpdate);
}

/// What the fills mean, of those that occur.
std::string Chart::key() const {
  std::string text = padLeft("MiB", gutter - 1) + " ";
  auto add = [&](std::string_view fill, std::string_view meaning) {
    for (const TimelineRow &row : report.timeline)
      for (BufferClass cls : stackedClasses)
        if (row.byClass[cls] > 0 && shade(cls) == fill) {
          text += " " + std::string(fill) + " " + std::string(meaning) + " ";
          return;
        }
  };
  add("▒", "resident");
  add("▓", "gradients");
  add("█", "activations");
  add("░", "workspace");
  if (report.budgetBytes && *report.budgetBytes <= top)
    text += " ╌ budget";
  return text + '\n';
}

std::string Chart::draw() const {
  const TimelineRow &row = report.timeline[peak];
  std::string peakLine = padLeft("peak", gutter) + " " +
                         formatMib(row.liveBytes) + " live at step " +
                         formatCount(row.step) + ", ";
  int width = gutter + 1 + int(columns.size());
  peakLine += elideMiddle(printable(row.node),
                          std::max(12, width - displayWidth(peakLine)));
  return key() + bars() + captions() + peakLine + '\n';
}

std::string report::drawTimeline(const PlanReport &report, int columns,
                                 int lines) {
  if (report.timeline.empty())
    return "  no steps to draw\n";
  return Chart(report, columns, lines).draw();
}
