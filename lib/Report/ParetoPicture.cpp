//===- ParetoPicture.cpp - Extra time against bytes, drawn ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/Render.h"

#include "SvgParts.h"

#include <algorithm>
#include <cmath>

using namespace lowtide;
using namespace lowtide::report;

namespace {

constexpr std::string_view planColor = "#1f7f73";
constexpr std::string_view boundColor = "#b3702b";

/// Budgets grow to the right; the axis begins near the smallest.
class ParetoPicture {
public:
  explicit ParetoPicture(const ParetoReport &report);
  std::string draw();

private:
  double x(double bytes) const { return plot.x(bytes - lowestBytes); }
  std::string staircase(std::optional<double> ParetoPoint::*value) const;
  void bytesAxis();
  void limits();
  void gapArea();
  void curves();

  std::vector<ParetoPoint> points; ///< The smallest budget first.
  const ParetoReport &report;
  Plot plot;
  double lowestBytes = 0;
  SvgWriter svg;
};

} // namespace

ParetoPicture::ParetoPicture(const ParetoReport &report)
    : points(sortedPoints(report)), report(report),
      svg(beginPicture(
          plot, titleLine(report.model, report.device),
          "extra time of a step against its memory budget; between two "
          "points, the plan on the left works and the bound on "
          "the right holds")) {
  std::reverse(points.begin(), points.end());
  double lowest = INFINITY, highest = 1, most = 0;
  auto widen = [&](std::optional<int64_t> bytes) {
    if (!bytes)
      return;
    lowest = std::min(lowest, double(*bytes));
    highest = std::max(highest, double(*bytes));
  };
  for (ParetoPoint &point : points) {
    widen(point.budgetBytes);
    for (std::optional<double> *percent :
         {&point.extraPercent, &point.lowerBoundPercent}) {
      if (*percent && !std::isfinite(**percent))
        percent->reset();
      most = std::max(most, percent->value_or(0));
    }
  }
  widen(report.storeAllPeakBytes);
  widen(report.floorBytes);
  if (!std::isfinite(lowest))
    lowest = 0;
  // Round the start of the axis to a tick.
  double step =
      makeTicks(toMib(highest * 1.02 - lowest * 0.95), 8).step * (1 << 20);
  lowestBytes = std::max(0.0, std::floor(lowest * 0.97 / step) * step);
  plot.bottom = 400;
  plot.xMax = std::max(highest * 1.02 - lowestBytes, 1.0);
  plot.yMax = most > 0 ? most * 1.12 : 1;
}

/// What is known at every budget. Between two points a plan of the smaller
/// budget works, and a bound of the larger one holds. Starts a new piece after
/// points without the value.
std::string
ParetoPicture::staircase(std::optional<double> ParetoPoint::*value) const {
  bool isPlan = value == &ParetoPoint::extraPercent;
  std::string path;
  bool isDrawing = false;
  for (const ParetoPoint &point : points) {
    const std::optional<double> &percent = point.*value;
    if (!percent) {
      isDrawing = false;
      continue;
    }
    std::string px = svgNumber(x(double(point.budgetBytes)));
    std::string py = svgNumber(plot.y(*percent));
    if (!isDrawing)
      path += "M" + px + " " + py;
    else
      path += isPlan ? "H" + px + "V" + py : "V" + py + "H" + px;
    isDrawing = true;
  }
  if (isDrawing && isPlan)
    path += "H" + svgNumber(plot.right);
  return path;
}

void ParetoPicture::bytesAxis() {
  double last = lowestBytes + plot.xMax;
  Ticks ticks = makeTicks(toMib(plot.xMax), 8);
  for (double value = toMib(lowestBytes); value <= toMib(last);
       value += ticks.step) {
    double px = x(value * (1 << 20));
    svg.line(px, plot.bottom, px, plot.bottom + 4,
             {{"stroke", std::string(softInkColor)}});
    svg.text(px, plot.bottom + 19, ticks.label(value),
             {{"text-anchor", "middle"}, {"fill", std::string(softInkColor)}});
  }
  svg.text(plot.right + 12, plot.bottom + 19, "budget, MiB",
           {{"fill", std::string(softInkColor)}});
}

/// Where plans end: the proved floor, the smallest feasible budget, store-all.
void ParetoPicture::limits() {
  auto limit = [&](std::optional<int64_t> bytes, std::string_view name,
                   std::string_view color, double labelY) {
    if (!bytes || x(double(*bytes)) < plot.left)
      return;
    double px = x(double(*bytes));
    svg.line(px, plot.top - 4, px, plot.bottom,
             {{"stroke", std::string(color)}, {"stroke-dasharray", "3 4"}});
    bool isRight = px > (plot.left + plot.right) / 2;
    svg.text(px + (isRight ? -6 : 6), labelY,
             std::string(name) + " " + formatMib(*bytes),
             {{"fill", std::string(color)},
              {"stroke", "#ffffff"},
              {"stroke-width", "4"},
              {"paint-order", "stroke"},
              {"text-anchor", isRight ? "end" : "start"}});
  };
  limit(report.floorBytes, "proved floor", budgetColor, plot.top + 8);
  limit(report.smallestFeasibleBytes, "smallest feasible", planColor,
        plot.top + 24);
  limit(report.storeAllPeakBytes, "store-all", softInkColor, plot.top + 8);
}

/// The room between plan and proof, from one point to the next.
void ParetoPicture::gapArea() {
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const std::optional<double> &planned = points[i].extraPercent;
    const std::optional<double> &proved = points[i + 1].lowerBoundPercent;
    if (!planned || !proved || !(*planned > *proved))
      continue;
    double left = x(double(points[i].budgetBytes));
    double right = x(double(points[i + 1].budgetBytes));
    double top = plot.y(*planned);
    svg.rect({left, top, right - left, plot.y(*proved) - top},
             {{"fill", std::string(boundColor)}, {"fill-opacity", "0.13"}});
  }
}

void ParetoPicture::curves() {
  svg.path(staircase(&ParetoPoint::lowerBoundPercent),
           {{"fill", "none"},
            {"stroke", std::string(boundColor)},
            {"stroke-width", "1.6"},
            {"stroke-dasharray", "6 3"}});
  svg.path(staircase(&ParetoPoint::extraPercent),
           {{"fill", "none"},
            {"stroke", std::string(planColor)},
            {"stroke-width", "2.2"}});
  for (const ParetoPoint &point : points) {
    double px = x(double(point.budgetBytes));
    if (!point.extraPercent) {
      svg.text(px, plot.bottom - 5, "×",
               {{"text-anchor", "middle"},
                {"font-size", "16"},
                {"fill", std::string(budgetColor)}});
      continue;
    }
    bool isOptimal = point.status == "optimal";
    svg.open("circle",
             {{"cx", svgNumber(px)},
              {"cy", svgNumber(plot.y(*point.extraPercent))},
              {"r", "4.2"},
              {"fill", isOptimal ? std::string(planColor) : "#ffffff"},
              {"stroke", std::string(planColor)},
              {"stroke-width", "2"}});
    std::string hover = "budget " + formatMib(point.budgetBytes) + " · " +
                        formatExtra(*point.extraPercent);
    if (point.lowerBoundPercent)
      hover += " · at least " + formatExtra(*point.lowerBoundPercent);
    svg.element("title", {}, hover + " · " + point.status);
    svg.close();
  }
}

std::string ParetoPicture::draw() {
  drawYAxis(svg, plot, makeTicks(plot.yMax, 6), 1, "extra time, %");
  bytesAxis();
  if (points.empty()) {
    svg.text((plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2,
             "no budgets were tried", {{"text-anchor", "middle"}});
    return svg.take();
  }
  limits();
  gapArea();
  curves();
  drawLegend(svg, plot.left, plot.height - 24,
             {{"plan (filled: proved optimal)", planColor},
              {"proved least time", boundColor},
              {"× no plan", budgetColor}});
  return svg.take();
}

std::string report::renderSvg(const ParetoReport &report) {
  return ParetoPicture(report).draw();
}
