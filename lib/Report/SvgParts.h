//===- SvgParts.h - Frames, axes and legends of our pictures ----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What the timeline, the address map and the Pareto picture have in common.
//
// Tested by test/unit/Report/RenderTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_REPORT_SVGPARTS_H
#define LOWTIDE_LIB_REPORT_SVGPARTS_H

#include "ChartScale.h"
#include "lowtide/Report/PlanReport.h"
#include "lowtide/Support/SvgWriter.h"

#include <string>
#include <vector>

namespace lowtide::report {

inline constexpr std::string_view inkColor = "#22303c";
inline constexpr std::string_view softInkColor = "#6b7a89";
inline constexpr std::string_view gridColor = "#e6ebf0";
inline constexpr std::string_view budgetColor = "#c2273d";

/// Where the plot lies in the picture, and the values at its edges.
struct Plot {
  double width = 960, height = 500; ///< Of the whole picture.
  double left = 70, right = 842, top = 74, bottom = 368;
  double xMax = 1, yMax = 1;

  double x(double value) const { return left + value / xMax * (right - left); }
  double y(double value) const {
    return bottom - value / yMax * (bottom - top);
  }
};

/// White page, title and subtitle; sets the fonts.
SvgWriter beginPicture(const Plot &plot, const std::string &title,
                       const std::string &subtitle,
                       const SvgWriter::Attributes &more = {});

/// Grid lines and labels; the values are in units of the axis.
void drawYAxis(SvgWriter &svg, const Plot &plot, const Ticks &ticks,
               double valuePerUnit, const std::string &title);
void drawXAxis(SvgWriter &svg, const Plot &plot, const Ticks &ticks, double y,
               const std::string &title, double valuePerUnit = 1);

/// A dashed line across the plot with its name and value to the right of it.
struct Level {
  std::string name;
  int64_t bytes;
  std::string_view color;
  std::string dashes;
};
/// Labels that would touch are moved apart; levels above the plot are left out.
void drawLevels(SvgWriter &svg, const Plot &plot, std::vector<Level> levels);

struct LegendEntry {
  std::string label;
  std::string_view color;
};
void drawLegend(SvgWriter &svg, double x, double y,
                const std::vector<LegendEntry> &entries);

/// The legend entries of the classes that some item has.
template <typename Has>
std::vector<LegendEntry> classLegend(Has hasClass) {
  std::vector<LegendEntry> entries;
  for (BufferClass cls : stackedClasses)
    if (hasClass(cls))
      entries.push_back({std::string(classLabel(cls)), classColor(cls)});
  return entries;
}

/// "planned peak 471.8 MiB, 50.0 % of store-all · extra time +8.1 %, …".
std::string summaryLine(const PlanReport &report);
std::string titleLine(const std::string &model, const std::string &device);

} // namespace lowtide::report

#endif // LOWTIDE_LIB_REPORT_SVGPARTS_H
