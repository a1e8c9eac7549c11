//===- ReportTable.cpp - The report that people read first ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/Render.h"

#include "TextTable.h"
#include "TextTimeline.h"
#include "lowtide/Support/Printable.h"

#include <algorithm>
#include <cmath>

using namespace lowtide;
using namespace lowtide::report;
using Align = TextTable::Align;

namespace {

/// Writes the sections of one report, top to bottom.
class TableWriter {
public:
  TableWriter(const PlanReport &report, const TableOptions &options)
      : report(report), options(options),
        columns(textColumns(options.columns)) {}
  std::string write();

private:
  void headline();
  void memory();
  void time();
  void refusal();
  void run();
  void classes();
  void timeline();
  void tensors();
  void recomputed();
  void whatNext();

  void heading(std::string_view title) {
    out += '\n' + std::string(title) + '\n';
  }
  void restOfList(size_t all) {
    if (all > size_t(options.listRows))
      out += "  … and " + formatCount(int64_t(all) - options.listRows) +
             " more (in the JSON report)\n";
  }
  template <typename T>
  size_t shown(const std::vector<T> &list) const {
    return std::min(list.size(), size_t(options.listRows));
  }
  /// "50.0 %" of the store-all peak.
  std::string share(int64_t bytes) const {
    if (!report.storeAllPeakBytes || *report.storeAllPeakBytes <= 0)
      return "";
    return formatPercent(100.0 * double(bytes) /
                         double(*report.storeAllPeakBytes));
  }

  const PlanReport &report;
  const TableOptions &options;
  int columns;
  std::string out;
};

} // namespace

void TableWriter::headline() {
  out += printable(report.model.empty() ? "step" : report.model);
  if (!report.device.empty())
    out += " on " + printable(report.device);
  out += ": " + printable(report.status);
  if (report.stoppedBy == "clock")
    out += " (stopped by the clock)";
  out += '\n';
}

void TableWriter::memory() {
  TextTable table({Align::Left, Align::Right, Align::Right, Align::Right},
                  columns);
  auto row = [&](std::string label, std::optional<int64_t> bytes) {
    if (bytes)
      table.row({std::move(label), formatMib(*bytes), share(*bytes),
                 formatCount(*bytes) + " bytes"});
  };
  row("budget", report.budgetBytes);
  row("planned peak", report.plannedPeakBytes);
  row("measured peak", report.measuredPeakBytes);
  row("most live bytes", report.maxLiveBytes);
  row("store-all peak", report.storeAllPeakBytes);
  heading("Memory");
  out += table.take();
  if (report.fragmentation && *report.fragmentation > 0 && report.arenaBytes)
    out += "  " + formatPercent(100 * *report.fragmentation) + " of the " +
           formatMib(*report.arenaBytes) +
           " arena is empty when most bytes are live\n";
}

void TableWriter::time() {
  TextTable table({Align::Left, Align::Right, Align::Left}, columns);
  if (report.extraPercent)
    table.row({"extra time", formatExtra(*report.extraPercent),
               "of the step without recomputation"});
  if (report.lowerBoundPercent)
    table.row({"proved least", formatExtra(*report.lowerBoundPercent),
               "no plan within the budget takes less"});
  if (report.gapPercent)
    table.row({"gap", formatPercent(*report.gapPercent),
               *report.gapPercent == 0 ? "the plan is optimal"
                                       : "between the plan and that bound"});
  if (report.stepCostSeconds)
    table.row({"step", formatSeconds(*report.stepCostSeconds),
               "predicted, without recomputation"});
  if (report.measuredStepSeconds)
    table.row({"measured step", formatSeconds(*report.measuredStepSeconds),
               "median"});
  if (report.planSeconds)
    table.row({"planning", formatSeconds(*report.planSeconds)});
  if (std::string text = table.take(); !text.empty()) {
    heading("Time");
    out += text;
  }
}

void TableWriter::run() {
  if (!report.measuredPeakBytes && !report.check && !report.outsideArenaBytes)
    return;
  heading("Run");
  if (report.measuredPeakBytes && report.plannedPeakBytes)
    out += *report.measuredPeakBytes == *report.plannedPeakBytes
               ? "  measured peak = planned peak, to the byte\n"
               : "  measured peak DIFFERS from the planned peak by " +
                     formatCount(*report.measuredPeakBytes -
                                 *report.plannedPeakBytes) +
                     " bytes\n";
  if (report.outsideArenaBytes)
    out += "  " + formatCount(*report.outsideArenaBytes) +
           " bytes allocated outside the arena during a step\n";
  if (report.check)
    out +=
        "  check against the step without clones: " + printable(*report.check) +
        '\n';
}

void TableWriter::refusal() {
  bool isRefused = report.status == "infeasible" || report.status == "timeout";
  if (report.forcedBy) {
    heading(isRefused ? "What forces the memory" : "What forces the peak");
    out += "  op      " + printable(report.forcedBy->op) + '\n';
    const std::vector<std::string> &tensors = report.forcedBy->tensors;
    for (size_t i = 0; i < shown(tensors); ++i)
      out += "  tensor  " + printable(tensors[i]) + '\n';
    restOfList(tensors.size());
  }
}

void TableWriter::classes() {
  if (!report.byClass)
    return;
  int64_t total = std::max<int64_t>(report.byClass->total(), 1);
  int barColumns = std::clamp(columns - 46, 8, 40);
  TextTable table({Align::Left, Align::Right, Align::Right, Align::Left},
                  columns);
  for (BufferClass cls : stackedClasses) {
    int64_t bytes = (*report.byClass)[cls];
    if (bytes == 0)
      continue;
    double part = double(bytes) / double(total);
    std::string bar;
    for (int i = 0; i < std::lround(part * barColumns); ++i)
      bar += "█";
    table.row({std::string(classLabel(cls)), formatMib(bytes),
               formatPercent(100 * part), bar});
  }
  if (std::string text = table.take(); !text.empty()) {
    heading("At the peak, by class");
    out += text;
  }
}

void TableWriter::timeline() {
  if (report.timeline.empty())
    return;
  heading("Over the step");
  out += drawTimeline(report, columns, options.chartLines);
}

void TableWriter::tensors() {
  if (report.topAtPeak.empty())
    return;
  heading("Largest tensors at the peak, and what keeps them alive");
  TextTable table({Align::Right, Align::Left, Align::Left}, columns);
  table.shrink(1);
  for (size_t i = 0; i < shown(report.topAtPeak); ++i) {
    const PeakTensor &tensor = report.topAtPeak[i];
    table.row({formatMib(tensor.bytes),
               elideMiddle(printable(tensor.tensor), columns / 2 - 8),
               tensor.keptAliveBy.empty()
                   ? ""
                   : "for " + elideMiddle(printable(tensor.keptAliveBy),
                                          columns / 2 - 12)});
  }
  out += table.take();
  restOfList(report.topAtPeak.size());
}

void TableWriter::recomputed() {
  if (report.recomputed.empty())
    return;
  std::vector<RecomputedNode> nodes = report.recomputed;
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const RecomputedNode &a, const RecomputedNode &b) {
                     return a.costSeconds > b.costSeconds;
                   });
  double seconds = 0;
  for (const RecomputedNode &node : nodes)
    seconds += node.costSeconds;
  heading("Recomputed: " + formatCount(int64_t(nodes.size())) +
          (nodes.size() == 1 ? " op, " : " ops, ") + formatSeconds(seconds) +
          " in all, the most expensive first");
  TextTable table({Align::Right, Align::Left, Align::Left, Align::Right},
                  columns);
  table.shrink(1);
  for (size_t i = 0; i < shown(nodes); ++i)
    table.row({formatSeconds(nodes[i].costSeconds), nodes[i].node, "saves",
               formatMib(nodes[i].bytesSaved)});
  out += table.take();
  restOfList(nodes.size());
}

void TableWriter::whatNext() {
  TextTable table(
      {Align::Left, Align::Right, Align::Right, Align::Right, Align::Left},
      columns);
  table.row({"budget", "", "", "extra time", "at least"});
  auto percent = [](const std::optional<double> &value) {
    return value ? formatExtra(*value) : std::string("?");
  };
  for (const BudgetOption &option : budgetOptions(report)) {
    bool isRefused = report.smallestFeasibleBytes &&
                     option.bytes < *report.smallestFeasibleBytes;
    table.row({option.label == "smallest" ? "smallest feasible" : option.label,
               formatMib(option.bytes), share(option.bytes),
               isRefused ? "refused" : percent(option.extraPercent),
               isRefused ? "" : percent(option.lowerBoundPercent)});
  }
  if (report.floorBytes)
    table.row({"floor", formatMib(*report.floorBytes),
               share(*report.floorBytes), "", "proved: nothing below works"});
  if (report.residentBytes)
    table.row({"resident", formatMib(*report.residentBytes),
               share(*report.residentBytes), "", "parameters and state"});
  heading("What to do next");
  for (const std::string &sentence : budgetAdvice(report))
    out += "  " + sentence + '\n';
  out += table.take();
}

std::string TableWriter::write() {
  headline();
  memory();
  time();
  run();
  refusal();
  classes();
  timeline();
  tensors();
  recomputed();
  whatNext();
  return std::move(out);
}

std::string report::renderTable(const PlanReport &report,
                                const TableOptions &options) {
  return TableWriter(report, options).write();
}
