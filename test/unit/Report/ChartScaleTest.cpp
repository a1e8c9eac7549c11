//===- ChartScaleTest.cpp - Ticks and downsampling ------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ChartScale.h"

#include <catch2/catch.hpp>

using namespace lowtide::report;

static std::vector<TimelineRow> rowsOf(std::vector<int64_t> live) {
  std::vector<TimelineRow> rows(live.size());
  for (size_t i = 0; i < live.size(); ++i) {
    rows[i].step = int64_t(i);
    rows[i].liveBytes = live[i];
  }
  return rows;
}

TEST_CASE("columns cover the timeline in order and keep each peak") {
  std::vector<TimelineRow> rows = rowsOf({1, 9, 2, 2, 3, 1, 8});
  rows[5].recomputed = true;
  std::vector<ChartColumn> columns = chartColumns(rows, 3);
  REQUIRE(columns.size() == 3);
  CHECK(columns[0].begin == 0);
  CHECK(columns[0].highest == 1);
  CHECK(columns[1].begin == columns[0].end);
  CHECK(columns[1].highest == 2); // The first of two equal ones.
  CHECK(columns[2].end == 7);
  CHECK(columns[2].highest == 6);
  CHECK(columns[2].hasRecomputed);
  CHECK(!columns[0].hasRecomputed);
}

TEST_CASE("a short timeline is not widened, a stretched one is") {
  std::vector<TimelineRow> rows = rowsOf({1, 2});
  CHECK(chartColumns(rows, 10).size() == 2);
  std::vector<ChartColumn> columns = stretchedColumns(rows, 4);
  REQUIRE(columns.size() == 4);
  CHECK(columns[1].highest == 0);
  CHECK(columns[2].highest == 1);
  CHECK(stretchedColumns({}, 4).empty());
}

TEST_CASE("ticks are round") {
  Ticks ticks = makeTicks(944, 5);
  CHECK(ticks.step == 200);
  CHECK(ticks.values == std::vector<double>{0, 200, 400, 600, 800});
  CHECK(ticks.label(800) == "800");
  CHECK(makeTicks(2878, 5).label(2000) == "2,000");
  CHECK(makeTicks(0.01, 4).label(0.0025) == "0.0025");
  CHECK(makeTicks(9, 4).label(2.5) == "2.5");
  CHECK(makeTicks(3, 8, true).step == 1);
  CHECK(makeTicks(0, 5).values == std::vector<double>{0});
}

TEST_CASE("a line far above the peak doesn't flatten the chart") {
  CHECK(chartTop(100, {150, 290}) == 290);
  CHECK(chartTop(100, {1000}) == 100);
  CHECK(chartTop(0, {std::nullopt}) == 1);
}
