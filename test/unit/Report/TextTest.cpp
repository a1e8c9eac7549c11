//===- TextTest.cpp - Tables and drawn timelines --------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/Render.h"

#include "ExampleReports.h"
#include "TextTable.h"
#include "TextTimeline.h"
#include "lowtide/Support/Printable.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace lowtide;
using namespace lowtide::report;
using Align = TextTable::Align;

static bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

static int widestLine(const std::string &text) {
  int widest = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    widest = std::max(widest, displayWidth(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return widest;
}

TEST_CASE("columns are aligned and one of them shrinks") {
  TextTable table({Align::Left, Align::Right}, 16);
  table.row({"a", "1"});
  table.row({"a long name here", "200"});
  CHECK(table.take() == "  a            1\n"
                        "  a lo…here  200\n");
}

TEST_CASE("the drawn timeline shows bytes by class, phases and the budget") {
  // 20 MiB over 4 lines: 5 MiB a line. 12 columns wide: 3 a step.
  CHECK(drawTimeline(smallReport(), 23, 4) ==
        "      MiB  ▒ resident  ▓ gradients  █ activations  ░ workspace  "
        "╌ budget\n"
        "       20 ┤╌╌╌╌╌╌▅▅▅╌╌╌\n"
        "       15 ┤▅▅▅▆▆▆███\n"
        "       10 ┤▒▒▒▒▒▒▒▒▒▒▒▒\n"
        "        5 ┤▒▒▒▒▒▒▒▒▒▒▒▒\n"
        "        0 └──────┻─────\n"
        "     phase forward│backward\n"
        " recompute       ▴▴▴\n"
        "    update          ▴▴▴\n"
        "      peak 18.0 MiB live at step 2, conv~1\n");
}

TEST_CASE("the default table says every figure and its bytes") {
  PlanReport report = smallReport();
  report.measuredPeakBytes = report.plannedPeakBytes;
  report.outsideArenaBytes = 0;
  report.check = "passed";
  std::string text = renderTable(report, {.columns = 80});
  CHECK(widestLine(text) <= 80);
  CHECK(contains(text, "tiny.onnx on cpu: feasible\n"));
  CHECK(contains(text, "planned peak     18.0 MiB   45.0 %  18,874,368 bytes"));
  CHECK(contains(text, "extra time      +8.1 %"));
  CHECK(contains(text, "proved least    +7.5 %"));
  CHECK(contains(text, "gap             0.58 %"));
  CHECK(contains(text, "measured peak = planned peak, to the byte"));
  CHECK(contains(text, "check against the step without clones: passed"));
  CHECK(contains(text, "4.0 MiB  x  for conv_grad"));
  CHECK(contains(text, "40.6 ms  conv  saves  2.0 MiB"));
}

TEST_CASE("the table ends with what to do next, the largest budget first") {
  std::string text = renderTable(smallReport(), {.columns = 80});
  CHECK(contains(
      text, "What to do next\n"
            "  budget                                extra time  at least\n"
            "  store-all          40.0 MiB  100.0 %        +0 %  +0 %\n"
            "  75 %               30.0 MiB   75.0 %      +1.0 %  +0.50 %\n"
            "  50 %               20.0 MiB   50.0 %      +8.1 %  +7.5 %\n"
            "  smallest feasible  13.0 MiB   32.5 %     +40.0 %  +30.0 %\n"
            "  floor              12.0 MiB   30.0 %              "
            "proved: nothing below works\n"
            "  resident           10.0 MiB   25.0 %              "
            "parameters and state\n"));
  CHECK(text.substr(text.size() - 21) == "parameters and state\n");
}

TEST_CASE("a refusal says why and what would work") {
  PlanReport report = smallReport();
  report.status = "infeasible";
  report.budgetBytes = mib;
  report.forcedBy = ForcedBy{"conv_grad", {"x", "w"}};
  report.timeline.clear();
  report.plannedPeakBytes.reset();
  std::string text = renderTable(report, {.columns = 80});
  CHECK(contains(text, "What forces the memory\n  op      conv_grad\n"
                       "  tensor  x\n  tensor  w\n"));
  CHECK(contains(text, "recomputation can't help below 10.0 MiB"));
  CHECK(contains(text, "try --budget 13631488,"));
}

TEST_CASE("a budget below the smallest feasible one is shown as refused") {
  PlanReport report = smallReport();
  report.smallestFeasibleBytes = 21 * mib;
  report.whatNext.pop_back();
  CHECK(contains(renderTable(report, {.columns = 80}),
                 "50 %               20.0 MiB   50.0 %     refused\n"));
}

TEST_CASE("a measured peak that differs is shouted") {
  PlanReport report = smallReport();
  report.measuredPeakBytes = *report.plannedPeakBytes + 64;
  CHECK(contains(renderTable(report), "DIFFERS from the planned peak by 64"));
}

TEST_CASE("the table fits its width, whatever the names") {
  PlanReport report = blockReport(20);
  for (PeakTensor &tensor : report.topAtPeak)
    tensor.tensor = tensor.keptAliveBy = std::string(300, 'n');
  for (RecomputedNode &node : report.recomputed)
    node.node = std::string(300, 'n');
  for (int columns : {80, 100, 140})
    CHECK(widestLine(renderTable(report, {.columns = columns})) <= columns);
}

TEST_CASE("long lists are cut and say so") {
  PlanReport report = blockReport(48);
  report.recomputed.resize(30);
  CHECK(contains(renderTable(report, {.columns = 80, .listRows = 4}),
                 "… and 26 more (in the JSON report)"));
}

TEST_CASE("the width comes from the option, then COLUMNS, then 80") {
  const char *before = std::getenv("COLUMNS");
  std::string saved = before ? before : "";
  setenv("COLUMNS", "100", 1);
  CHECK(textColumns(0) == 100);
  CHECK(textColumns(120) == 120);
  setenv("COLUMNS", "nonsense", 1);
  CHECK(textColumns(0) == 80);
  unsetenv("COLUMNS");
  CHECK(textColumns(0) == 80);
  CHECK(textColumns(7) == 40);
  if (before)
    setenv("COLUMNS", saved.c_str(), 1);
}
