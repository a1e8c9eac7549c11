//===- SvgParts.cpp - Frames, axes and legends of our pictures ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "SvgParts.h"

#include "lowtide/Support/Printable.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::report;

static std::string ink(std::string_view color) { return std::string(color); }

SvgWriter report::beginPicture(const Plot &plot, const std::string &title,
                               const std::string &subtitle,
                               const SvgWriter::Attributes &more) {
  SvgWriter::Attributes attributes = {
      {"font-family",
       "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"},
      {"font-size", "12"},
      {"fill", ink(inkColor)}};
  attributes.insert(attributes.end(), more.begin(), more.end());
  SvgWriter svg(plot.width, plot.height, title + ". " + subtitle, attributes);
  svg.rect({0, 0, plot.width, plot.height}, {{"fill", "#ffffff"}});
  int titleColumns = int((plot.width - 48) / 10);
  int subtitleColumns = int((plot.width - 48) / 6.4);
  svg.text(24, 31, elideMiddle(printable(title), titleColumns),
           {{"font-size", "18"}, {"font-weight", "600"}});
  svg.text(24, 52, elideMiddle(printable(subtitle), subtitleColumns),
           {{"font-size", "13"}, {"fill", ink(softInkColor)}});
  return svg;
}

void report::drawYAxis(SvgWriter &svg, const Plot &plot, const Ticks &ticks,
                       double valuePerUnit, const std::string &title) {
  for (double value : ticks.values) {
    double y = plot.y(value * valuePerUnit);
    svg.line(plot.left, y, plot.right, y,
             {{"stroke", ink(value == 0 ? softInkColor : gridColor)}});
    svg.text(plot.left - 9, y + 4, ticks.label(value),
             {{"text-anchor", "end"}, {"fill", ink(softInkColor)}});
  }
  double middle = (plot.top + plot.bottom) / 2;
  svg.text(20, middle, title,
           {{"text-anchor", "middle"},
            {"fill", ink(softInkColor)},
            {"transform", "rotate(-90 20 " + svgNumber(middle) + ")"}});
}

void report::drawXAxis(SvgWriter &svg, const Plot &plot, const Ticks &ticks,
                       double y, const std::string &title,
                       double valuePerUnit) {
  for (double value : ticks.values) {
    double x = plot.x(value * valuePerUnit);
    svg.line(x, y, x, y + 4, {{"stroke", ink(softInkColor)}});
    svg.text(x, y + 17, ticks.label(value),
             {{"text-anchor", "middle"}, {"fill", ink(softInkColor)}});
  }
  svg.text(plot.right + 26, y + 17, title, {{"fill", ink(softInkColor)}});
}

void report::drawLevels(SvgWriter &svg, const Plot &plot,
                        std::vector<Level> levels) {
  std::erase_if(levels, [&](const Level &level) {
    return double(level.bytes) > plot.yMax;
  });
  std::stable_sort(
      levels.begin(), levels.end(),
      [](const Level &a, const Level &b) { return a.bytes < b.bytes; });
  double lowestFree = plot.bottom;
  for (const Level &level : levels) {
    double y = plot.y(double(level.bytes));
    svg.line(plot.left, y, plot.right + 4, y,
             {{"stroke", ink(level.color)},
              {"stroke-width", "1.4"},
              {"stroke-dasharray", level.dashes}});
    // Two lines of text, 28 units high, centred on the level if that is free.
    double labelY = std::min(y, lowestFree - 14);
    lowestFree = labelY - 16;
    svg.text(plot.right + 12, labelY - 2, level.name,
             {{"font-weight", "600"}, {"fill", ink(level.color)}});
    svg.text(plot.right + 12, labelY + 13, formatMib(level.bytes),
             {{"fill", ink(level.color)}});
  }
}

void report::drawLegend(SvgWriter &svg, double x, double y,
                        const std::vector<LegendEntry> &entries) {
  for (const LegendEntry &entry : entries) {
    svg.rect({x, y - 10, 12, 12}, {{"rx", "2.5"}, {"fill", ink(entry.color)}});
    svg.text(x + 17, y, entry.label);
    x += 17 + 7.2 * displayWidth(entry.label) + 18;
  }
}

std::string report::titleLine(const std::string &model,
                              const std::string &device) {
  std::string title = model.empty() ? "Training step" : model;
  return device.empty() ? title : title + " on " + device;
}

std::string report::summaryLine(const PlanReport &report) {
  std::string line;
  auto add = [&](const std::string &part) {
    line += (line.empty() ? "" : "  ·  ") + part;
  };
  if (report.plannedPeakBytes) {
    std::string part = "peak " + formatMib(*report.plannedPeakBytes);
    if (report.storeAllPeakBytes && *report.storeAllPeakBytes > 0)
      part += " = " +
              formatPercent(100.0 * double(*report.plannedPeakBytes) /
                            double(*report.storeAllPeakBytes)) +
              " of store-all";
    add(part);
  }
  if (report.extraPercent)
    add("time " + formatExtra(*report.extraPercent));
  if (report.lowerBoundPercent)
    add("proved least " + formatExtra(*report.lowerBoundPercent));
  if (!report.status.empty())
    add(report.status);
  return line;
}
