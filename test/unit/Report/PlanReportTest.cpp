//===- PlanReportTest.cpp - Derived figures and their formats -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ExampleReports.h"

#include <catch2/catch.hpp>

using namespace lowtide::report;

TEST_CASE("the peak is the first of the highest rows") {
  PlanReport report = smallReport();
  CHECK(peakRow(report.timeline) == 2);
  CHECK(peakRow({}) == std::nullopt);
}

TEST_CASE("completing a report fills only what is absent") {
  PlanReport report = smallReport();
  CHECK(report.maxLiveBytes == 18 * mib);
  CHECK((*report.byClass)[BufferClass::Activation] == 6 * mib);
  CHECK(report.byClass->total() == *report.maxLiveBytes);
  CHECK(report.fragmentation == 0.0);

  PlanReport other;
  other.arenaBytes = 100;
  other.maxLiveBytes = 75;
  completeReport(other);
  CHECK(other.fragmentation == 0.25);
  CHECK(!other.byClass);
}

TEST_CASE("budget options are ordered and not repeated") {
  PlanReport report = smallReport();
  std::vector<BudgetOption> options = budgetOptions(report);
  REQUIRE(options.size() == 4);
  CHECK(options[0].label == "store-all");
  CHECK(options[0].extraPercent == 0.0);
  CHECK(options[3].label == "smallest");
  report.whatNext.clear();
  CHECK(budgetOptions(report).size() == 2);
}

TEST_CASE("figures read well") {
  CHECK(formatMib(2878 * mib) == "2,878.0 MiB");
  CHECK(formatMib(mib + mib / 2) == "1.5 MiB");
  CHECK(formatMib(2 * mib - 1) == "2.0 MiB");
  CHECK(formatMib(512 * 1024) == "512.0 KiB");
  CHECK(formatCount(0) == "0");
  CHECK(formatCount(-1234567) == "-1,234,567");
  CHECK(formatCount(999) == "999");
  CHECK(formatPercent(8.125) == "8.1 %");
  CHECK(formatPercent(0.04) == "0.04 %");
  CHECK(formatPercent(0) == "0 %");
  CHECK(formatExtra(8.125) == "+8.1 %");
  CHECK(formatExtra(-2) == "-2.0 %");
  CHECK(formatExtra(-0.001) == "+0 %");
  CHECK(formatSeconds(12.34) == "12.3 s");
  CHECK(formatSeconds(1.236) == "1.24 s");
  CHECK(formatSeconds(0.0164) == "16.4 ms");
  CHECK(formatSeconds(31e-6) == "31 µs");
  CHECK(formatSeconds(0) == "0.0 µs");
}

TEST_CASE("every class has its own key, label and place") {
  std::vector<std::string_view> keys;
  for (BufferClass cls : stackedClasses) {
    CHECK(!classKey(cls).empty());
    CHECK(std::count(keys.begin(), keys.end(), classKey(cls)) == 0);
    keys.push_back(classKey(cls));
  }
  CHECK(classLabel(BufferClass::OptimizerState) == "optimizer state");
}
