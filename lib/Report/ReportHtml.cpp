//===- ReportHtml.cpp - A plan as one page --------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/Render.h"

#include "HtmlPage.h"
#include "TimelineSvg.h"
#include "lowtide/Support/JsonWriter.h"
#include "lowtide/Support/Printable.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::report;

static constexpr size_t maxTableRows = 500;

static std::string bytesNote(int64_t bytes) {
  return formatCount(bytes) + " bytes";
}

static void addFigures(HtmlPage &page, const PlanReport &report) {
  std::vector<HtmlPage::Figure> figures;
  if (report.plannedPeakBytes) {
    std::string note = bytesNote(*report.plannedPeakBytes);
    if (report.measuredPeakBytes)
      note = *report.measuredPeakBytes == *report.plannedPeakBytes
                 ? "measured the same, to the byte"
                 : "measured " + formatMib(*report.measuredPeakBytes);
    figures.push_back(
        {formatMib(*report.plannedPeakBytes), "planned peak", note});
  }
  if (report.budgetBytes)
    figures.push_back({formatMib(*report.budgetBytes), "budget",
                       bytesNote(*report.budgetBytes)});
  if (report.storeAllPeakBytes)
    figures.push_back({formatMib(*report.storeAllPeakBytes), "store-all peak",
                       "nothing recomputed"});
  if (report.extraPercent)
    figures.push_back({formatExtra(*report.extraPercent), "extra time",
                       report.lowerBoundPercent
                           ? "at least " +
                                 formatExtra(*report.lowerBoundPercent) +
                                 " (proved)"
                           : ""});
  std::string gap =
      report.gapPercent ? "gap " + formatPercent(*report.gapPercent) : "";
  if (report.stoppedBy == "clock")
    gap += " (stopped by the clock)";
  figures.push_back({report.status, "status", gap});
  if (report.check)
    figures.push_back({*report.check, "check",
                       report.outsideArenaBytes
                           ? formatCount(*report.outsideArenaBytes) +
                                 " bytes outside the arena"
                           : "against the step without clones"});
  page.figures(figures);
}

/// What the page's script needs to say about each column of the picture.
static std::string timelineData(const PlanReport &report,
                                const TimelinePicture &picture) {
  using Layout = JsonWriter::Layout;
  JsonWriter json;
  json.beginObject();
  json.attribute("left", picture.plot.left);
  json.attribute("right", picture.plot.right);
  json.attribute("top", picture.plot.top);
  json.attribute("bottom", picture.plot.bottom);
  json.attribute("rows", int64_t(report.timeline.size()));
  json.key("classes");
  json.beginArray(Layout::OneLine);
  for (BufferClass cls : stackedClasses)
    json.value(classLabel(cls));
  json.endArray();
  json.key("columns");
  json.beginArray();
  for (const ChartColumn &column : picture.columns) {
    const TimelineRow &row = report.timeline[column.highest];
    json.beginArray(Layout::OneLine);
    json.value(int64_t(column.begin));
    json.value(int64_t(column.end));
    json.value(row.step);
    json.value(phaseKey(row.phase));
    json.value(elideMiddle(printable(row.node), 160));
    json.value(row.liveBytes);
    json.value(int64_t(row.recomputed));
    json.beginArray();
    for (BufferClass cls : stackedClasses)
      json.value(row.byClass[cls]);
    json.endArray();
    json.endArray();
  }
  json.endArray();
  json.endObject();
  return json.take();
}

static void addPictures(HtmlPage &page, const PlanReport &report) {
  TimelinePicture picture = drawTimelinePicture(report);
  page.heading("Memory over the step");
  page.picture(picture.svg);
  page.data("timeline-data", timelineData(report, picture));
  if (report.buffers.empty())
    return;
  page.heading("The arena");
  if (report.fragmentation && report.arenaBytes)
    page.paragraph(formatPercent(100 * *report.fragmentation) + " of the " +
                   formatMib(*report.arenaBytes) +
                   " arena is empty when most bytes are live.");
  page.picture(renderAddressMap(report));
}

/// A table of at most `maxTableRows` items.
template <typename T, typename Fn>
static void addList(HtmlPage &page, const std::string &title,
                    std::vector<HtmlPage::Column> columns,
                    const std::vector<T> &items, Fn makeRow) {
  if (items.empty())
    return;
  page.heading(title);
  std::vector<HtmlPage::Row> rows;
  for (size_t i = 0; i < std::min(items.size(), maxTableRows); ++i)
    rows.push_back(makeRow(items[i]));
  page.table(columns, rows);
  if (items.size() > maxTableRows)
    page.paragraph("… and " +
                   formatCount(int64_t(items.size() - maxTableRows)) +
                   " more in the JSON report.");
}

static void addClasses(HtmlPage &page, const PlanReport &report) {
  if (!report.byClass)
    return;
  std::vector<BufferClass> classes;
  for (BufferClass cls : stackedClasses)
    if ((*report.byClass)[cls] > 0)
      classes.push_back(cls);
  double total = double(std::max<int64_t>(report.byClass->total(), 1));
  addList(page, "At the peak, by class",
          {{"class"}, {"size", true}, {"share", true}, {"bytes", true}},
          classes, [&](BufferClass cls) -> HtmlPage::Row {
            int64_t bytes = (*report.byClass)[cls];
            return {std::string(classLabel(cls)), formatMib(bytes),
                    formatPercent(100 * double(bytes) / total),
                    formatCount(bytes)};
          });
}

static void addNextSteps(HtmlPage &page, const PlanReport &report) {
  std::vector<HtmlPage::Row> rows;
  auto percent = [](const std::optional<double> &value) {
    return value ? formatExtra(*value) : std::string("?");
  };
  for (const BudgetOption &option : budgetOptions(report)) {
    bool isRefused = report.smallestFeasibleBytes &&
                     option.bytes < *report.smallestFeasibleBytes;
    rows.push_back(
        {option.label == "smallest" ? "smallest feasible" : option.label,
         formatMib(option.bytes), formatCount(option.bytes),
         isRefused ? "refused" : percent(option.extraPercent),
         isRefused ? "" : percent(option.lowerBoundPercent)});
  }
  if (report.floorBytes)
    rows.push_back({"floor: proved, nothing below works",
                    formatMib(*report.floorBytes),
                    formatCount(*report.floorBytes)});
  if (report.residentBytes)
    rows.push_back({"resident: parameters and state",
                    formatMib(*report.residentBytes),
                    formatCount(*report.residentBytes)});
  if (rows.empty())
    return;
  page.heading("What to do next");
  for (const std::string &sentence : budgetAdvice(report))
    page.paragraph(sentence);
  page.table({{"budget"},
              {"size", true},
              {"bytes", true},
              {"extra time", true},
              {"at least", true}},
             rows);
}

static void addForcedBy(HtmlPage &page, const PlanReport &report) {
  if (!report.forcedBy)
    return;
  addList(page, "What forces the memory: " + report.forcedBy->op, {{"tensor"}},
          report.forcedBy->tensors,
          [](const std::string &tensor) -> HtmlPage::Row { return {tensor}; });
}

std::string report::renderHtml(const PlanReport &report) {
  HtmlPage page(titleLine(report.model, report.device), summaryLine(report));
  addFigures(page, report);
  addForcedBy(page, report);
  addPictures(page, report);
  addNextSteps(page, report);
  addClasses(page, report);
  addList(page, "Largest tensors at the peak",
          {{"tensor"}, {"size", true}, {"kept alive by"}}, report.topAtPeak,
          [](const PeakTensor &tensor) -> HtmlPage::Row {
            return {tensor.tensor, formatMib(tensor.bytes), tensor.keptAliveBy};
          });
  addList(page, "Recomputed ops", {{"op"}, {"costs", true}, {"saves", true}},
          report.recomputed, [](const RecomputedNode &node) -> HtmlPage::Row {
            return {node.node, formatSeconds(node.costSeconds),
                    formatMib(node.bytesSaved)};
          });
  return page.take();
}
