//===- ReportCsv.cpp - Timelines and Pareto points as rows ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/Render.h"
#include "lowtide/Support/CsvWriter.h"

using namespace lowtide;
using namespace lowtide::report;

std::string report::renderCsv(const PlanReport &report) {
  CsvWriter csv;
  for (std::string_view name : {"step", "node", "phase", "live_bytes"})
    csv.field(name);
  for (BufferClass cls : stackedClasses)
    csv.field(classKey(cls));
  csv.field(std::string_view("recomputed"));
  csv.endRow();
  for (const TimelineRow &row : report.timeline) {
    csv.field(row.step);
    csv.field(row.node);
    csv.field(phaseKey(row.phase));
    csv.field(row.liveBytes);
    for (BufferClass cls : stackedClasses)
      csv.field(row.byClass[cls]);
    csv.field(int64_t(row.recomputed));
    csv.endRow();
  }
  return csv.take();
}

std::string report::renderCsv(const ParetoReport &report) {
  CsvWriter csv;
  for (std::string_view name :
       {"budget_bytes", "planned_peak_bytes", "extra_percent",
        "lower_bound_percent", "status"})
    csv.field(name);
  csv.endRow();
  for (const ParetoPoint &point : sortedPoints(report)) {
    csv.field(point.budgetBytes);
    csv.field(point.peakBytes);
    csv.field(point.extraPercent);
    csv.field(point.lowerBoundPercent);
    csv.field(point.status);
    csv.endRow();
  }
  return csv.take();
}
