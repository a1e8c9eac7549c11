//===- SequenceEditor.cpp - Moves of the local search ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. Have a dropped value again at a later step, as cheaply as the
// present prices allow.
//
// Idea. An input of the op that must run again is alive, or its old copy is
// held until then (price times the overflow this adds), or its own op runs
// again, recursively. The cheaper one is taken; values shared by two branches
// are paid twice in the estimate and made once.
//
// Example. c = f(b), b = g(a), all dropped. Holding b over 10 overflowing
// steps of 4 bytes at price 1 is 40; g costs 7 and a is alive: run g, then f.
//
// Cost. One walk over the ancestors that are cheaper to rerun, capped.
//
// Tested by test/unit/Solver/SequenceTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "SequenceEditor.h"

#include <algorithm>
#include <cassert>
#include <limits>

using namespace lowtide;
using namespace lowtide::solver;

static constexpr double never = std::numeric_limits<double>::infinity();

SequenceEditor::SequenceEditor(Sequence &sequence)
    : sequence(sequence), stamp(sequence.graph.numValues(), 0),
      memory(sequence.graph.numValues(), 0),
      reruns(sequence.graph.numValues(), 0) {
  commit();
}

void SequenceEditor::commit() {
  log.clear();
  costBefore = sequence.extraCost();
  overflowBefore = sequence.overflow();
}

void SequenceEditor::rollbackTo(size_t mark) {
  while (log.size() > mark) {
    Change change = log.back();
    log.pop_back();
    workDone += sequence.size() + 200;
    if (change.isInsert) {
      sequence.erase(change.node);
    } else {
      int node = sequence.insert(change.op, change.step);
      assert(node == change.node && "nodes are reused last in, first out");
      (void)node;
    }
  }
}

int SequenceEditor::insert(int op, int step) {
  int node = sequence.insert(op, step);
  workDone += sequence.size() + 200;
  log.push_back({true, node, op, step});
  return node;
}

void SequenceEditor::erase(int node) {
  int step = sequence.stepOf(node), op = sequence.op(step);
  workDone += sequence.size() + 200;
  sequence.erase(node);
  log.push_back({false, node, op, step});
}

double SequenceEditor::availablePrice(int value, int step, double price,
                                      int depth) {
  const RematGraph &graph = sequence.graph;
  if (graph.producer[value] < 0 || sequence.isAliveBefore(value, step))
    return 0;
  if (stamp[value] == now)
    return memory[value];
  stamp[value] = now;
  int from = sequence.previousEvent(value, step) + 1;
  workDone += step - from + 60;
  double hold =
      price * double(sequence.overflowOf(from, step, graph.bytes[value]));
  reruns[value] = 0;
  memory[value] = hold;
  int op = graph.producer[value];
  if (depth <= 0 || --budgetOfVisits < 0 || graph.searchCost[op] >= hold ||
      !sequence.canInsert(op, step))
    return hold;
  double rerun = graph.searchCost[op];
  for (int u : graph.inputs(op)) {
    rerun += availablePrice(u, step, price, depth - 1);
    if (rerun >= hold)
      return hold;
  }
  reruns[value] = 1;
  memory[value] = rerun;
  return rerun;
}

double SequenceEditor::regeneratePrice(int value, int step, double price) {
  const RematGraph &graph = sequence.graph;
  int op = graph.producer[value];
  if (op < 0 || !sequence.canInsert(op, step))
    return never;
  ++now;
  budgetOfVisits = 200;
  double total = graph.searchCost[op];
  for (int u : graph.inputs(op))
    total += availablePrice(u, step, price, 200);
  return total;
}

/// Inputs first; a value that is alive by now is left alone.
void SequenceEditor::insertGroup(int value, int step, double price) {
  const RematGraph &graph = sequence.graph;
  int op = graph.producer[value];
  int before = sequence.size();
  for (int u : graph.inputs(op)) {
    int at = step + (sequence.size() - before);
    if (graph.producer[u] >= 0 && stamp[u] == now && reruns[u] &&
        !sequence.isAliveBefore(u, at) &&
        sequence.previousEvent(u, at) < step &&
        sequence.canInsert(graph.producer[u], at))
      insertGroup(u, at, price);
  }
  insert(op, step + (sequence.size() - before));
}

int SequenceEditor::regenerate(int value, int step, double price) {
  if (regeneratePrice(value, step, price) == never)
    return -1;
  int before = sequence.size();
  insertGroup(value, step, price);
  return sequence.node(step + (sequence.size() - before) - 1);
}

void SequenceEditor::dropGroup(int node) {
  const RematGraph &graph = sequence.graph;
  std::vector<int> pending{node};
  while (!pending.empty()) {
    int next = pending.back();
    pending.pop_back();
    if (!sequence.isAlive(next))
      continue;
    int step = sequence.stepOf(next), op = sequence.op(step);
    std::vector<int> makers;
    for (int u : graph.inputs(op)) {
      if (graph.producer[u] < 0)
        continue;
      // The instance that made the copy which is read here.
      int at = step;
      do
        at = sequence.previousEvent(u, at);
      while (at >= 0 && sequence.op(at) != graph.producer[u]);
      if (at >= 0)
        makers.push_back(sequence.node(at));
    }
    erase(next);
    for (int maker : makers)
      if (sequence.isAlive(maker) && sequence.isUseless(maker))
        pending.push_back(maker);
  }
}
