//===- PlanDiffTest.cpp - What a plan changed in a schedule ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/PlanDiff.h"

#include <catch2/catch.hpp>

using namespace lowtide::report;

static Schedule schedule(std::initializer_list<const char *> nodes) {
  Schedule result;
  for (const char *node : nodes)
    result.push_back({node, ""});
  return result;
}

TEST_CASE("equal schedules have no difference") {
  Schedule s = schedule({"a", "b", "b"});
  CHECK(diffPlans(s, s).isEmpty());
  CHECK(renderDiff(diffPlans(s, s)) == "the schedules are the same\n");
  CHECK(diffPlans({}, {}).isEmpty());
}

TEST_CASE("only the node that moved is named") {
  // Old positions in the new order: 0 2 3 1; 0 2 3 kept their order.
  PlanDiff diff =
      diffPlans(schedule({"a", "b", "c", "d"}), schedule({"a", "c", "d", "b"}));
  REQUIRE(diff.reordered.size() == 1);
  CHECK(diff.reordered[0].node == "b");
  CHECK(diff.reordered[0].from == 1);
  CHECK(diff.reordered[0].to == 3);
}

TEST_CASE("clones don't count as moves of what follows them") {
  Schedule after = schedule({"a", "b"});
  after.push_back({"a~1", "a"});
  after.push_back({"c", ""});
  after.push_back({"a~2", "a"});
  PlanDiff diff = diffPlans(schedule({"a", "b", "c"}), after);
  CHECK(diff.reordered.empty());
  CHECK(diff.added.empty());
  REQUIRE(diff.cloned.size() == 1);
  CHECK(diff.cloned[0].original == "a");
  CHECK(diff.cloned[0].positions == std::vector<int64_t>{2, 4});
}

TEST_CASE("added and removed nodes are told apart") {
  PlanDiff diff =
      diffPlans(schedule({"a", "b", "b"}), schedule({"b", "a", "n"}));
  CHECK(diff.added == std::vector<std::string>{"n"});
  CHECK(diff.removed == std::vector<std::string>{"b"});
  CHECK(diff.reordered.size() == 1);
}

TEST_CASE("the text is short and safe") {
  Schedule after;
  for (int i = 0; i < 30; ++i)
    after.push_back({"evil\x1b" + std::to_string(i), ""});
  std::string text = renderDiff(diffPlans({}, after), 3);
  CHECK(text == "added: 30\n  evil\\x1b0\n  evil\\x1b1\n  evil\\x1b2\n"
                "  … and 27 more\n");
}
