//===- RematFileTest.cpp - Problem and plan files -------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/RematFile.h"

#include <catch2/catch.hpp>

using namespace lowtide::solver;

static const char *small = R"({"schema": "lowtide.remat-problem/1",
  "values": [{"id": 5, "name": "x", "bytes": 3}, {"id": 7, "bytes": 4}],
  "ops": [{"id": 10, "name": "a", "cost": 2, "workspace": 1, "inputs": [],
           "outputs": [5], "recomputable": false},
          {"id": 11, "cost": 1, "inputs": [5, 5], "outputs": [7]}],
  "order": [10, 11]})";

static std::string refusal(std::string text) {
  auto problem = parseProblem(text);
  REQUIRE_FALSE(bool(problem));
  return llvm::toString(problem.takeError());
}

/// `small` with one piece of text replaced.
static std::string with(const std::string &from, const std::string &to) {
  std::string text = small;
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("a problem of schema 1 is read with ids made dense") {
  auto problem = parseProblem(small);
  REQUIRE(bool(problem));
  REQUIRE(problem->ops.size() == 2);
  CHECK(problem->ops[0].workspaceBytes == 1);
  CHECK_FALSE(problem->ops[0].recomputable);
  CHECK(problem->ops[1].recomputable);
  CHECK(problem->ops[1].inputs == std::vector<int>{0});
  CHECK(problem->opId(1) == 11);
  CHECK(problem->valueId(1) == 7);
  CHECK(problem->order == std::vector<int>{0, 1});
}

TEST_CASE("the extras of schema 2 survive writing and reading") {
  auto problem = parseProblem(small);
  REQUIRE(bool(problem));
  problem->residentBytes = 9;
  problem->alignment = 64;
  problem->keep = {1};
  problem->views = {{1, 0}};
  problem->inplace = {{1, 0, 1}};
  problem->after = {{0, 1}};
  problem->ops[0].policy = RematPolicy::PreferSave;
  problem->ops[1].maxRuns = 3;
  std::string text;
  llvm::raw_string_ostream os(text);
  writeProblem(*problem, os);
  auto again = parseProblem(os.str());
  REQUIRE(bool(again));
  CHECK(again->residentBytes == 9);
  CHECK(again->alignment == 64);
  CHECK(again->keep == problem->keep);
  REQUIRE(again->views.size() == 1);
  CHECK(again->views[0].base == 0);
  REQUIRE(again->inplace.size() == 1);
  CHECK(again->inplace[0].output == 1);
  REQUIRE(again->after.size() == 1);
  CHECK(again->ops[0].policy == RematPolicy::PreferSave);
  CHECK(again->ops[1].maxRuns == 3);
}

TEST_CASE("malformed problems get a clear error") {
  CHECK_THAT(refusal("{"), Catch::Contains("not JSON"));
  CHECK_THAT(refusal("[]"), Catch::Contains("JSON object"));
  CHECK_THAT(refusal(with("problem/1", "problem/9")),
             Catch::Contains("schema"));
  CHECK_THAT(refusal(with("\"bytes\": 4", "\"bytes\": -4")),
             Catch::Contains("negative bytes"));
  CHECK_THAT(refusal(with("\"bytes\": 4", "\"bytes\": 9e30")),
             Catch::Contains("not a 64-bit integer"));
  CHECK_THAT(refusal(with("\"bytes\": 4", "\"bytes\": 9223372036854775807")),
             Catch::Contains("overflow"));
  CHECK_THAT(refusal(with("\"cost\": 2", "\"cost\": -2")),
             Catch::Contains("negative cost"));
  CHECK_THAT(refusal(with("[5, 5]", "[6]")),
             Catch::Contains("names value 6, which doesn't exist"));
  CHECK_THAT(refusal(with("\"outputs\": [5],", "\"outputs\": [5, 7],")),
             Catch::Contains("is made by"));
  CHECK_THAT(refusal(with("\"id\": 11", "\"id\": 10")),
             Catch::Contains("not unique"));
  CHECK_THAT(refusal(with("\"inputs\": []", "\"inputs\": [7]")),
             Catch::Contains("cycle"));
  CHECK_THAT(refusal(with("[10, 11]", "[11, 10]")),
             Catch::Contains("which it reads"));
  CHECK_THAT(refusal(with("[10, 11]", "[10]")),
             Catch::Contains("has 1 entries but there are 2 ops"));
}

TEST_CASE("plans are read and written by op id") {
  auto problem = parseProblem(small);
  REQUIRE(bool(problem));
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlan(*problem, {0, 1, 1}, os);
  CHECK_THAT(os.str(), Catch::Contains("[10,11,11]"));
  auto plan = parsePlan(*problem, os.str());
  REQUIRE(bool(plan));
  CHECK(*plan == RematSchedule{0, 1, 1});
  auto wrong = parsePlan(*problem, R"({"schedule": [10, 12]})");
  REQUIRE_FALSE(bool(wrong));
  CHECK_THAT(llvm::toString(wrong.takeError()), Catch::Contains("step 1"));
}
