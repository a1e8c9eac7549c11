//===- ParetoHtml.cpp - Extra time against bytes, as one page -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/Render.h"

#include "HtmlPage.h"
#include "SvgParts.h"

using namespace lowtide;
using namespace lowtide::report;

static void addFigures(HtmlPage &page, const ParetoReport &report) {
  std::vector<HtmlPage::Figure> figures;
  auto add = [&](std::optional<int64_t> bytes, std::string label) {
    if (bytes)
      figures.push_back({formatMib(*bytes), std::move(label),
                         formatCount(*bytes) + " bytes"});
  };
  add(report.storeAllPeakBytes, "store-all peak");
  add(report.smallestFeasibleBytes, "smallest feasible");
  add(report.floorBytes, "proved floor");
  add(report.residentBytes, "resident");
  if (!figures.empty())
    page.figures(figures);
}

std::string report::renderHtml(const ParetoReport &report) {
  HtmlPage page(titleLine(report.model, report.device),
                "Extra time of a step against its memory budget");
  addFigures(page, report);
  page.picture(renderSvg(report));
  std::vector<HtmlPage::Row> rows;
  auto percent = [](const std::optional<double> &value) {
    return value ? formatExtra(*value) : std::string();
  };
  for (const ParetoPoint &point : sortedPoints(report))
    rows.push_back({formatMib(point.budgetBytes),
                    point.peakBytes ? formatMib(*point.peakBytes) : "",
                    percent(point.extraPercent),
                    percent(point.lowerBoundPercent), point.status});
  page.table({{"budget", true},
              {"peak", true},
              {"extra time", true},
              {"at least", true},
              {"status"}},
             rows);
  return page.take();
}
