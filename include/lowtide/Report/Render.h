//===- Render.h - Reports as text, JSON, CSV, SVG and HTML ------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Each function turns a report into the text of one file. Equal reports give
// equal bytes. Names are escaped for the format, whatever a model file put in
// them. None of the results refers to anything outside itself.
//
// Tested by test/unit/Report/RenderTest.cpp, TextTest.cpp and ParetoTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_REPORT_RENDER_H
#define LOWTIDE_REPORT_RENDER_H

#include "lowtide/Report/ParetoReport.h"
#include "lowtide/Report/PlanReport.h"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::report {

enum class ReportKind { Table, Json, Csv, Svg, Html };
/// Reads "table", "json", "csv", "svg" or "html".
std::optional<ReportKind> parseReportKind(std::string_view name);

struct TableOptions {
  /// Width of the text. 0: what the environment's COLUMNS says, else 80.
  int columns = 0;
  /// Height of the drawn chart in lines.
  int chartLines = 12;
  /// Longest list of tensors or nodes.
  int listRows = 8;
};

std::string renderTable(const PlanReport &report,
                        const TableOptions &options = {});
/// `lowtide.report/1`; absent fields are left out, lists never are.
std::string renderJson(const PlanReport &report);
/// One row per step of the timeline.
std::string renderCsv(const PlanReport &report);
/// The timeline as a picture: bytes by class over the steps.
std::string renderSvg(const PlanReport &report);
/// The arena as a picture: address × time, one box per buffer.
std::string renderAddressMap(const PlanReport &report);
std::string renderHtml(const PlanReport &report);
std::string render(const PlanReport &report, ReportKind kind);

std::string renderTable(const ParetoReport &report,
                        const TableOptions &options = {});
/// `lowtide.pareto/1`.
std::string renderJson(const ParetoReport &report);
std::string renderCsv(const ParetoReport &report);
std::string renderSvg(const ParetoReport &report);
std::string renderHtml(const ParetoReport &report);
std::string render(const ParetoReport &report, ReportKind kind);

} // namespace lowtide::report

#endif // LOWTIDE_REPORT_RENDER_H
