//===- Render.cpp - One report, any kind ----------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/Render.h"

using namespace lowtide;
using namespace lowtide::report;

std::optional<ReportKind> report::parseReportKind(std::string_view name) {
  if (name == "table")
    return ReportKind::Table;
  if (name == "json")
    return ReportKind::Json;
  if (name == "csv")
    return ReportKind::Csv;
  if (name == "svg")
    return ReportKind::Svg;
  if (name == "html")
    return ReportKind::Html;
  return std::nullopt;
}

template <typename Report>
static std::string renderAny(const Report &report, ReportKind kind) {
  switch (kind) {
  case ReportKind::Table:
    return renderTable(report);
  case ReportKind::Json:
    return renderJson(report);
  case ReportKind::Csv:
    return renderCsv(report);
  case ReportKind::Svg:
    return renderSvg(report);
  case ReportKind::Html:
    return renderHtml(report);
  }
  return "";
}

std::string report::render(const PlanReport &report, ReportKind kind) {
  return renderAny(report, kind);
}

std::string report::render(const ParetoReport &report, ReportKind kind) {
  return renderAny(report, kind);
}
