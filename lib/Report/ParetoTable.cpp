//===- ParetoTable.cpp - Extra time against bytes, as text ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/Render.h"

#include "TextTable.h"
#include "lowtide/Support/Printable.h"

#include <algorithm>
#include <cmath>

using namespace lowtide;
using namespace lowtide::report;
using Align = TextTable::Align;

std::vector<ParetoPoint> report::sortedPoints(const ParetoReport &report) {
  std::vector<ParetoPoint> points = report.points;
  std::stable_sort(points.begin(), points.end(),
                   [](const ParetoPoint &a, const ParetoPoint &b) {
                     return a.budgetBytes > b.budgetBytes;
                   });
  return points;
}

/// A bar of the planned extra time: solid up to the bound, light above it.
static std::string bar(const ParetoPoint &point, double mostPercent,
                       int columns) {
  if (!point.extraPercent || !(mostPercent > 0))
    return "";
  auto length = [&](double percent) {
    return std::clamp<long>(std::lround(percent / mostPercent * columns), 0,
                            columns);
  };
  long planned = length(*point.extraPercent);
  long proved = std::min(planned, length(point.lowerBoundPercent.value_or(0)));
  std::string text;
  for (long i = 0; i < planned; ++i)
    text += i < proved ? "█" : "░";
  return text;
}

static void addLimits(TextTable &table, const ParetoReport &report) {
  auto row = [&](std::string label, std::optional<int64_t> bytes,
                 std::string note) {
    if (bytes)
      table.row({std::move(label), formatMib(*bytes), std::move(note)});
  };
  row("store-all", report.storeAllPeakBytes, "nothing recomputed");
  row("smallest feasible", report.smallestFeasibleBytes, "");
  row("floor", report.floorBytes, "proved: nothing below works");
  row("resident", report.residentBytes, "parameters and state");
}

std::string report::renderTable(const ParetoReport &report,
                                const TableOptions &options) {
  int columns = textColumns(options.columns);
  std::vector<ParetoPoint> points = sortedPoints(report);
  double most = 0;
  for (const ParetoPoint &point : points)
    most = std::max(most, point.extraPercent.value_or(0));
  TextTable table({Align::Right, Align::Right, Align::Right, Align::Right,
                   Align::Left, Align::Left},
                  columns);
  table.row({"budget", "peak", "extra time", "at least", "status"});
  auto percent = [](const std::optional<double> &value) {
    return value ? formatExtra(*value) : std::string("");
  };
  for (const ParetoPoint &point : points)
    table.row({formatMib(point.budgetBytes),
               point.peakBytes ? formatMib(*point.peakBytes) : "",
               percent(point.extraPercent), percent(point.lowerBoundPercent),
               point.status,
               bar(point, most, std::clamp(columns - 64, 6, 40))});
  TextTable limits({Align::Left, Align::Right, Align::Left}, columns);
  addLimits(limits, report);
  std::string title = printable(report.model.empty() ? "step" : report.model);
  if (!report.device.empty())
    title += " on " + printable(report.device);
  std::string text = title + ": extra time against bytes\n\n";
  text += points.empty() ? "  no budgets were tried\n" : table.take();
  if (std::string more = limits.take(); !more.empty())
    text += '\n' + more;
  return text;
}
