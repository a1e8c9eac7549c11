//===- KeepPlan.cpp - Plans that follow from what is kept -----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. Given a step and the ops that run again after it, write a schedule.
//
// Idea. Walk over the order. After the step, before an op runs, look at its
// inputs: one whose producer is to run again and hasn't yet gets it now, and
// the inputs of that before it. What is kept then follows by itself: the old
// copy of such a value dies at its last use before the step.
//
// Example. order a b c d, d reads a; rerun a after c: a b c a d.
//
// Cost. O(ops + edges). Whether it fits is for the simulator to say.
//
// Tested by test/unit/Solver/SolveRematTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "KeepPlan.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::solver;

RematSchedule solver::justInTimePlan(const RematGraph &graph, int position,
                                     const std::vector<int> &recomputed) {
  std::vector<char> isDue(graph.numOps(), 0);
  for (int op : recomputed)
    isDue[op] = graph.maxRuns[op] > 1;
  RematSchedule schedule;
  std::vector<int> pending, group;
  for (int t = 0; t < graph.numOps(); ++t) {
    int op = graph.order[t];
    if (t > position) {
      group.clear();
      pending.assign(1, op);
      while (!pending.empty()) {
        int next = pending.back();
        pending.pop_back();
        for (int v : graph.inputs(next)) {
          int maker = graph.producer[v];
          if (maker < 0 || !isDue[maker] || graph.position[maker] > position ||
              graph.deadline[maker] <= t)
            continue;
          isDue[maker] = 0;
          group.push_back(maker);
          pending.push_back(maker);
        }
      }
      std::sort(group.begin(), group.end(), [&](int a, int b) {
        return graph.position[a] < graph.position[b];
      });
      schedule.insert(schedule.end(), group.begin(), group.end());
    }
    schedule.push_back(op);
  }
  return schedule;
}

int solver::turningPoint(const RematGraph &graph) {
  std::vector<int> change(graph.numOps() + 1, 0);
  for (int v = 0; v < graph.numValues(); ++v) {
    if (graph.producer[v] < 0 || graph.users[v].empty())
      continue;
    ++change[graph.position[graph.producer[v]]];
    --change[graph.position[graph.users[v].back()]];
  }
  int alive = 0, most = -1, best = 0;
  for (int t = 0; t < graph.numOps(); ++t) {
    alive += change[t];
    if (alive > most) {
      most = alive;
      best = t;
    }
  }
  return best;
}
