//===- RenderTest.cpp - JSON, CSV, SVG and HTML of a plan -----------------===//
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

static llvm::json::Object parseObject(const std::string &text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  REQUIRE(bool(value));
  REQUIRE(value->getAsObject());
  return *value->getAsObject();
}

static std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST_CASE("json has every key of lowtide.report/1") {
  PlanReport report = smallReport();
  report.forcedBy = ForcedBy{"conv", {"x", "w"}};
  report.measuredPeakBytes = 18 * mib;
  report.measuredStepSeconds = 0.55;
  report.outsideArenaBytes = 0;
  report.check = "passed";
  llvm::json::Object json = parseObject(renderJson(report));
  CHECK(json.getString("schema") == llvm::StringRef("lowtide.report/1"));
  for (const char *key : {"model", "device", "status", "stopped_by", "check"})
    CHECK(json.getString(key).has_value());
  for (const char *key :
       {"budget_bytes", "store_all_peak_bytes", "resident_bytes", "floor_bytes",
        "planned_peak_bytes", "max_live_bytes", "arena_bytes",
        "smallest_feasible_bytes", "measured_peak_bytes",
        "outside_arena_bytes"})
    CHECK(json.getInteger(key).has_value());
  for (const char *key : {"step_cost_seconds", "extra_percent",
                          "lower_bound_percent", "gap_percent", "plan_seconds",
                          "fragmentation", "measured_step_seconds"})
    CHECK(json.getNumber(key).has_value());
  CHECK(json.getObject("forced_by")->getString("op") ==
        llvm::StringRef("conv"));
  CHECK(json.getObject("forced_by")->getArray("tensors")->size() == 2);
  for (const char *key : {"recomputed", "top_at_peak", "what_next", "buffers"})
    CHECK(!json.getArray(key)->empty());
  CHECK(json.getArray("timeline")->size() == 4);
}

TEST_CASE("json rows carry their classes") {
  llvm::json::Object json = parseObject(renderJson(smallReport()));
  const llvm::json::Object &row =
      *(*json.getArray("timeline"))[2].getAsObject();
  CHECK(row.getInteger("step") == 2);
  CHECK(row.getString("node") == llvm::StringRef("conv~1"));
  CHECK(row.getString("phase") == llvm::StringRef("backward"));
  CHECK(row.getBoolean("recomputed") == true);
  CHECK(row.getInteger("live_bytes") == 18 * mib);
  int64_t sum = 0;
  const llvm::json::Object &classes = *row.getObject("by_class");
  for (const char *key :
       {"parameters", "gradients", "optimizer_state", "statistics", "inputs",
        "constants", "activations", "workspace"}) {
    REQUIRE(classes.getInteger(key).has_value());
    sum += *classes.getInteger(key);
  }
  CHECK(sum == 18 * mib);
  CHECK(json.getObject("by_class")->getInteger("activations") == 6 * mib);
  const llvm::json::Object &node =
      *(*json.getArray("recomputed"))[0].getAsObject();
  CHECK(node.getNumber("cost") == 0.040625);
  CHECK(node.getInteger("bytes_saved") == 2 * mib);
}

TEST_CASE("json leaves out what isn't known and keeps integers exact") {
  PlanReport report;
  report.status = "infeasible";
  report.floorBytes = (int64_t(1) << 53) + 1;
  std::string text = renderJson(report);
  llvm::json::Object json = parseObject(text);
  CHECK(json.getInteger("floor_bytes") == (int64_t(1) << 53) + 1);
  for (const char *key : {"planned_peak_bytes", "check", "forced_by",
                          "stopped_by", "by_class", "budget_bytes"})
    CHECK(json.get(key) == nullptr);
  CHECK(json.getArray("timeline")->empty());
}

TEST_CASE("csv is the timeline, one row a step") {
  std::vector<std::string> lines = linesOf(renderCsv(smallReport()));
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == "step,node,phase,live_bytes,parameters,optimizer_state,"
                    "statistics,constants,inputs,gradients,activations,"
                    "workspace,recomputed");
  CHECK(lines[3] == "2,conv~1,backward,18874368,10485760,0,0,0,0,1048576,"
                    "6291456,1048576,1");
  CHECK(linesOf(renderCsv(PlanReport())).size() == 1);
}

TEST_CASE("pictures and pages are well-formed and name the peak") {
  PlanReport report = smallReport();
  std::string svg = renderSvg(report);
  CHECK(XmlCheck::run(svg) == "");
  CHECK(XmlCheck::run(renderAddressMap(report)) == "");
  CHECK(XmlCheck::run(renderHtml(report)) == "");
  CHECK(svg.find("18.0 MiB live at step 2, conv~1") != std::string::npos);
  CHECK(svg.find(">budget<") != std::string::npos);
  CHECK(svg.find(">store-all<") != std::string::npos);
  CHECK(svg.find(">gradients<") != std::string::npos);
  // Classes that no step has are not in the legend.
  CHECK(svg.find(">statistics<") == std::string::npos);
}

TEST_CASE("pages refer to nothing outside themselves") {
  for (const std::string &page :
       {renderHtml(smallReport()), renderHtml(blockReport(12))}) {
    CHECK(page.find("src=") == std::string::npos);
    CHECK(page.find("href=") == std::string::npos);
    CHECK(page.find("@import") == std::string::npos);
    CHECK(page.find("url(") == std::string::npos);
    size_t at = 0;
    while ((at = page.find("http", at)) != std::string::npos) {
      CHECK(page.compare(at, 26, "http://www.w3.org/2000/svg") == 0);
      ++at;
    }
  }
}

TEST_CASE("names can't break out of any format") {
  PlanReport report = smallReport();
  std::string evil = "</script><img x=\"'&\x1b[2J\n\xff,\xe2\x80\xae";
  report.model = report.device = evil;
  for (TimelineRow &row : report.timeline)
    row.node = evil;
  for (PlannedBuffer &buffer : report.buffers)
    buffer.name = evil;
  report.forcedBy = ForcedBy{evil, {evil}};
  report.topAtPeak = {{evil, 1, evil}};
  report.recomputed = {{evil, 1, 1}};
  CHECK(XmlCheck::run(renderSvg(report)) == "");
  CHECK(XmlCheck::run(renderAddressMap(report)) == "");
  CHECK(XmlCheck::run(renderHtml(report)) == "");
  CHECK(renderHtml(report).find("<img") == std::string::npos);
  parseObject(renderJson(report));
  CHECK(linesOf(renderCsv(report)).size() == 5);
  CHECK(renderTable(report).find('\x1b') == std::string::npos);
}

TEST_CASE("empty and zero reports render in every format") {
  PlanReport zero;
  zero.timeline.resize(3);
  zero.buffers.resize(2);
  zero.storeAllPeakBytes = zero.plannedPeakBytes = zero.arenaBytes =
      zero.budgetBytes = 0;
  completeReport(zero);
  for (const PlanReport &report : {PlanReport(), zero}) {
    for (ReportKind kind : {ReportKind::Table, ReportKind::Json,
                            ReportKind::Csv, ReportKind::Svg, ReportKind::Html})
      CHECK(!render(report, kind).empty());
    CHECK(XmlCheck::run(renderSvg(report)) == "");
    CHECK(XmlCheck::run(renderAddressMap(report)) == "");
    CHECK(XmlCheck::run(renderHtml(report)) == "");
  }
}

TEST_CASE("a hundred thousand steps stay small and keep the peak") {
  PlanReport report = smallReport();
  report.timeline.clear();
  report.buffers.clear();
  for (int64_t i = 0; i < 100'000; ++i) {
    TimelineRow row;
    row.step = i;
    row.node = "node." + std::to_string(i);
    row.byClass[BufferClass::Activation] = mib + (i * 7919 % 1000) * 1024;
    if (i == 77'777)
      row.byClass[BufferClass::Activation] = 19 * mib;
    row.liveBytes = row.byClass.total();
    row.phase = i < 40'000 ? Phase::Forward : Phase::Backward;
    report.timeline.push_back(std::move(row));
    report.buffers.push_back({"buffer." + std::to_string(i), i % 977 * 1024,
                              1024 + i % 13, i, i + i % 50,
                              BufferClass::Activation});
  }
  std::string svg = renderSvg(report);
  CHECK(svg.size() < 1'000'000);
  CHECK(svg.find("19.0 MiB live at step 77,777, node.77777") !=
        std::string::npos);
  CHECK(XmlCheck::run(svg) == "");
  CHECK(renderAddressMap(report).size() < 1'000'000);
  std::string html = renderHtml(report);
  CHECK(html.size() < 2'000'000);
  CHECK(html.find("\"node.77777\"") != std::string::npos);
  CHECK(renderTable(report).size() < 20'000);
}

TEST_CASE("equal reports give equal bytes") {
  for (ReportKind kind : {ReportKind::Table, ReportKind::Json, ReportKind::Csv,
                          ReportKind::Svg, ReportKind::Html})
    CHECK(render(blockReport(16), kind) == render(blockReport(16), kind));
}

TEST_CASE("report kinds are read by name") {
  CHECK(parseReportKind("table") == ReportKind::Table);
  CHECK(parseReportKind("html") == ReportKind::Html);
  CHECK(!parseReportKind("HTML"));
  CHECK(!parseReportKind(""));
}
