//===- SequenceTest.cpp - Incremental bytes against the simulator ---------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Solver/Remat/SequenceEditor.h"
#include "BruteForce.h"

#include "lowtide/Solver/Remat/Simulate.h"

#include <catch2/catch.hpp>

using namespace lowtide::solver;

static void requireExact(const RematGraph &graph, const Sequence &sequence) {
  auto simulation = simulate(graph, sequence.schedule());
  REQUIRE(bool(simulation));
  int64_t overflow = 0;
  for (int t = 0; t < sequence.size(); ++t) {
    REQUIRE(sequence.liveBytes(t) == simulation->liveBytes[t]);
    overflow += std::max<int64_t>(0, sequence.liveBytes(t) - sequence.budget());
  }
  REQUIRE(sequence.overflow() == overflow);
  REQUIRE(sequence.peak() == simulation->peakBytes);
}

TEST_CASE("insertions, removals and rollbacks keep every step exact") {
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const int numOps = 3 + int(random() % 6);
    RematProblem problem =
        test::drawProblem(numOps, random() | random(), random, trial % 2 == 1);
    RematGraph graph(problem);
    Sequence sequence(graph, 12, problem.order);
    SequenceEditor editor(sequence);
    for (int move = 0; move < 30; ++move) {
      int step = int(random() % unsigned(sequence.size() + 1));
      int op = int(random() % unsigned(numOps));
      int node = sequence.node(int(random() % unsigned(sequence.size())));
      RematSchedule before = sequence.schedule();
      if (random() % 2 && !sequence.isFirst(node))
        editor.dropGroup(node);
      else if (random() % 2 && sequence.canInsert(op, step))
        editor.insert(op, step);
      else
        editor.regenerate(graph.outputs(op)[0], step, 0.5);
      requireExact(graph, sequence);
      if (random() % 3 == 0) {
        editor.rollback();
        REQUIRE(sequence.schedule() == before);
        requireExact(graph, sequence);
      }
      editor.commit();
    }
  }
}
