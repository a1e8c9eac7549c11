//===- TimelineSvg.cpp - The memory of a step as a picture ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "TimelineSvg.h"

#include "lowtide/Report/Render.h"
#include "lowtide/Support/Printable.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::report;

namespace {

class Picture {
public:
  explicit Picture(const PlanReport &report);
  TimelinePicture draw();

private:
  std::vector<double> heights(BufferClass upTo) const;
  std::string areaPath(const std::vector<double> &heights, bool closed) const;
  void areas();
  void phases();
  void strip(double y, std::string_view label);
  void peakMarker();
  void legend();

  const PlanReport &report;
  Plot plot;
  std::vector<ChartColumn> columns;
  SvgWriter svg;
};

constexpr double stripHeight = 9;

} // namespace

Picture::Picture(const PlanReport &report)
    : report(report), columns(chartColumns(report.timeline, maxPictureColumns)),
      svg(beginPicture(plot, titleLine(report.model, report.device),
                       summaryLine(report), {{"class", "timeline"}})) {
  int64_t peakBytes = 0;
  if (std::optional<size_t> peak = peakRow(report.timeline))
    peakBytes = report.timeline[*peak].liveBytes;
  plot.xMax = std::max<double>(double(report.timeline.size()), 1);
  plot.yMax = 1.06 * double(chartTop(peakBytes, {report.budgetBytes,
                                                 report.storeAllPeakBytes}));
}

/// Bytes of the classes up to one, per column.
std::vector<double> Picture::heights(BufferClass upTo) const {
  std::vector<double> result;
  for (const ChartColumn &column : columns) {
    const TimelineRow &row = report.timeline[column.highest];
    double sum = 0;
    for (BufferClass cls : stackedClasses) {
      sum += double(row.byClass[cls]);
      if (cls == upTo)
        break;
    }
    result.push_back(sum);
  }
  return result;
}

/// A staircase over the columns, closed along the bottom when it is an area.
std::string Picture::areaPath(const std::vector<double> &heights,
                              bool closed) const {
  std::string path;
  std::string lastY;
  for (size_t c = 0; c < columns.size(); ++c) {
    std::string y = svgNumber(plot.y(heights[c]));
    std::string left = svgNumber(plot.x(double(columns[c].begin)));
    if (c == 0)
      path = closed ? "M" + left + " " + svgNumber(plot.bottom) + "V" + y
                    : "M" + left + " " + y;
    else if (y != lastY)
      path += "H" + left + "V" + y;
    lastY = y;
  }
  path += "H" + svgNumber(plot.x(double(report.timeline.size())));
  if (closed)
    path += "V" + svgNumber(plot.bottom) + "Z";
  return path;
}

/// The tallest area first: each is drawn down to the bottom and covered by the
/// next, which leaves no seams.
void Picture::areas() {
  for (auto cls = stackedClasses.rbegin(); cls != stackedClasses.rend();
       ++cls) {
    bool isEmpty = std::all_of(
        columns.begin(), columns.end(), [&](const ChartColumn &column) {
          return report.timeline[column.highest].byClass[*cls] == 0;
        });
    if (!isEmpty)
      svg.path(areaPath(heights(*cls), true),
               {{"fill", std::string(classColor(*cls))}});
  }
  std::vector<double> live;
  for (const ChartColumn &column : columns)
    live.push_back(double(report.timeline[column.highest].liveBytes));
  svg.path(areaPath(live, false), {{"fill", "none"},
                                   {"stroke", std::string(inkColor)},
                                   {"stroke-opacity", "0.55"},
                                   {"stroke-width", "1"},
                                   {"stroke-linejoin", "round"}});
}

void Picture::strip(double y, std::string_view label) {
  svg.rect({plot.left, y, plot.right - plot.left, stripHeight},
           {{"fill", "#f3f5f8"}});
  svg.text(plot.right + 12, y + stripHeight, label,
           {{"fill", std::string(softInkColor)}});
}

/// The strip of phases with one box per run of equal phases, and the strip of
/// recomputed ops.
void Picture::phases() {
  double phaseY = plot.bottom + 8;
  double recomputeY = phaseY + stripHeight + 5;
  strip(phaseY, "phase");
  strip(recomputeY, "recompute");
  auto boxes = [&](double y, auto sameBox, auto colorOf) {
    for (size_t c = 0; c < columns.size();) {
      size_t end = c + 1;
      while (end < columns.size() && sameBox(columns[c], columns[end]))
        ++end;
      double left = plot.x(double(columns[c].begin));
      double right = plot.x(double(columns[end - 1].end));
      std::string_view color = colorOf(columns[c]);
      if (!color.empty())
        svg.rect({left, y, std::max(right - left, 0.8), stripHeight},
                 {{"fill", std::string(color)}});
      c = end;
    }
  };
  boxes(
      phaseY,
      [](const ChartColumn &a, const ChartColumn &b) {
        return a.phase == b.phase;
      },
      [](const ChartColumn &a) { return phaseColor(a.phase); });
  boxes(
      recomputeY,
      [](const ChartColumn &a, const ChartColumn &b) {
        return a.hasRecomputed == b.hasRecomputed;
      },
      [](const ChartColumn &a) -> std::string_view {
        return a.hasRecomputed ? "#7a4fa3" : "";
      });
}

void Picture::peakMarker() {
  size_t peak = *peakRow(report.timeline);
  const TimelineRow &row = report.timeline[peak];
  double x = plot.x(double(peak) + 0.5);
  double y = plot.y(double(row.liveBytes));
  std::string text = formatMib(row.liveBytes) + " live at step " +
                     formatCount(row.step) + ", " +
                     elideMiddle(printable(row.node), 36);
  double width = 6.6 * displayWidth(text) + 18;
  // Above the lines when there is room, else just below the curve.
  bool isAbove = y - plot.top > 56;
  double boxY = isAbove ? y - 48 : y + 22;
  double boxX = std::clamp(x - width / 2, plot.left + 6,
                           std::max(plot.left + 6, plot.right - 6 - width));
  svg.line(x, y, x, isAbove ? boxY + 22 : boxY,
           {{"stroke", std::string(inkColor)}});
  svg.element("circle", {{"cx", svgNumber(x)},
                         {"cy", svgNumber(y)},
                         {"r", "4"},
                         {"fill", "#ffffff"},
                         {"stroke", std::string(inkColor)},
                         {"stroke-width", "2"}});
  svg.rect({boxX, boxY, width, 22}, {{"rx", "4"},
                                     {"fill", "#ffffff"},
                                     {"fill-opacity", "0.94"},
                                     {"stroke", std::string(inkColor)},
                                     {"stroke-opacity", "0.35"}});
  svg.text(boxX + width / 2, boxY + 15, text, {{"text-anchor", "middle"}});
}

void Picture::legend() {
  drawLegend(
      svg, plot.left, plot.height - 42, classLegend([&](BufferClass cls) {
        return std::any_of(
            report.timeline.begin(), report.timeline.end(),
            [&](const TimelineRow &row) { return row.byClass[cls] > 0; });
      }));
  std::vector<LegendEntry> strips;
  for (Phase phase : {Phase::Forward, Phase::Backward, Phase::Update})
    if (std::any_of(report.timeline.begin(), report.timeline.end(),
                    [&](const TimelineRow &row) { return row.phase == phase; }))
      strips.push_back({std::string(phaseKey(phase)), phaseColor(phase)});
  if (std::any_of(report.timeline.begin(), report.timeline.end(),
                  [](const TimelineRow &row) { return row.recomputed; }))
    strips.push_back({"recomputed", "#7a4fa3"});
  drawLegend(svg, plot.left, plot.height - 18, strips);
}

TimelinePicture Picture::draw() {
  Ticks bytes = makeTicks(toMib(plot.yMax), 7);
  drawYAxis(svg, plot, bytes, 1 << 20, "MiB");
  if (columns.empty()) {
    svg.text((plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2,
             "no steps to draw", {{"text-anchor", "middle"}});
    return {plot, columns, svg.take()};
  }
  areas();
  phases();
  drawXAxis(svg, plot, makeTicks(plot.xMax, 8, true), plot.bottom + 35, "step");
  std::vector<Level> levels;
  if (report.storeAllPeakBytes)
    levels.push_back(
        {"store-all", *report.storeAllPeakBytes, softInkColor, "2 4"});
  if (report.budgetBytes)
    levels.push_back({"budget", *report.budgetBytes, budgetColor, "7 4"});
  drawLevels(svg, plot, levels);
  peakMarker();
  legend();
  return {plot, columns, svg.take()};
}

TimelinePicture report::drawTimelinePicture(const PlanReport &report) {
  return Picture(report).draw();
}

std::string report::renderSvg(const PlanReport &report) {
  return drawTimelinePicture(report).svg;
}
