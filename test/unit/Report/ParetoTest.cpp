//===- ParetoTest.cpp - Extra time against bytes, in every format ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/Render.h"

#include "ExampleReports.h"
#include "XmlCheck.h"

#include "llvm/Support/JSON.h"

#include <catch2/catch.hpp>

using namespace lowtide::report;

static ParetoReport exampleReport() {
  ParetoReport report;
  report.model = "tiny.onnx";
  report.storeAllPeakBytes = 40 * mib;
  report.smallestFeasibleBytes = 13 * mib;
  report.floorBytes = 12 * mib;
  report.points = {{20 * mib, 18 * mib, 8.0, 7.5, "feasible"},
                   {40 * mib, 40 * mib, 0.0, 0.0, "optimal"},
                   {10 * mib, {}, {}, {}, "infeasible"},
                   {13 * mib, 13 * mib, 40.0, 30.0, "feasible"}};
  return report;
}

TEST_CASE("pareto points are shown from the largest budget down") {
  std::string text = renderTable(exampleReport(), {.columns = 80});
  CHECK(text == "tiny.onnx: extra time against bytes\n\n"
                "    budget      peak  extra time  at least  status\n"
                "  40.0 MiB  40.0 MiB        +0 %      +0 %  optimal\n"
                "  20.0 MiB  18.0 MiB      +8.0 %    +7.5 %  feasible    ███\n"
                "  13.0 MiB  13.0 MiB     +40.0 %   +30.0 %  feasible    "
                "████████████░░░░\n"
                "  10.0 MiB                                  infeasible\n\n"
                "  store-all          40.0 MiB  nothing recomputed\n"
                "  smallest feasible  13.0 MiB\n"
                "  floor              12.0 MiB  proved: nothing below works\n");
}

TEST_CASE("pareto JSON parses back and leaves out what isn't there") {
  auto value = llvm::json::parse(renderJson(exampleReport()));
  REQUIRE(bool(value));
  const llvm::json::Object &json = *value->getAsObject();
  CHECK(json.getString("schema") == llvm::StringRef("lowtide.pareto/1"));
  const llvm::json::Array &points = *json.getArray("points");
  REQUIRE(points.size() == 4);
  CHECK(points[0].getAsObject()->getInteger("budget_bytes") == 40 * mib);
  CHECK(points[1].getAsObject()->getNumber("lower_bound_percent") == 7.5);
  CHECK(points[3].getAsObject()->get("extra_percent") == nullptr);
  CHECK(points[3].getAsObject()->getString("status") ==
        llvm::StringRef("infeasible"));
}

TEST_CASE("pareto CSV has exact bytes") {
  std::string csv = renderCsv(exampleReport());
  CHECK(csv.find("\n20971520,18874368,8,7.5,feasible\n") != std::string::npos);
  CHECK(csv.find("\n10485760,,,,infeasible\n") != std::string::npos);
}

TEST_CASE("pareto pictures are well-formed, empty or not") {
  ParetoReport hostile = exampleReport();
  hostile.model = "<&\"\x02";
  hostile.points[0].status = "</svg>";
  ParetoReport onePoint;
  onePoint.points = {{0, 0, 0.0, {}, "optimal"}};
  ParetoReport odd = exampleReport();
  odd.points[1].extraPercent = 1e300 * 1e300;
  odd.points[0].lowerBoundPercent = -1.0;
  for (const ParetoReport &report :
       {exampleReport(), ParetoReport(), hostile, onePoint, odd}) {
    CHECK(XmlCheck::run(renderSvg(report)) == "");
    CHECK(XmlCheck::run(renderHtml(report)) == "");
    for (ReportKind kind : {ReportKind::Table, ReportKind::Json,
                            ReportKind::Csv, ReportKind::Svg, ReportKind::Html})
      CHECK(!render(report, kind).empty());
  }
}
