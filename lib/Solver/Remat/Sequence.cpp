//===- Sequence.cpp - A schedule that is cheap to change ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. Know the bytes of every step while single instances come and go.
//
// Idea. Per value, the instances that make or read it stand in one list by
// step. An instance put between two neighbours of such a list changes the
// value's bytes only on the steps between them: an output lets go of the old
// copy there, an input that was dead is held there. Only plain arrays are
// shifted, which for a few thousand steps is cheaper than any tree.
//
// Example. x made at step 0, read at 5. A second run of its op before step 4
// frees x on steps 1, 2, 3.
//
// Cost. O(steps) with a tiny constant per insertion or removal.
//
// Tested by test/unit/Solver/SequenceTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Sequence.h"

#include "lowtide/Solver/Remat/Simulate.h"

#include <algorithm>
#include <cassert>

using namespace lowtide::solver;

Sequence::Sequence(const RematGraph &graph, int64_t budgetBytes,
                   const RematSchedule &schedule)
    : graph(graph), budgetBytes(budgetBytes), events(graph.numValues()),
      firstNode(graph.numOps(), -1), runs(graph.numOps(), 0) {
  auto simulation = simulate(graph, schedule);
  assert(simulation && "the local search starts from a valid schedule");
  if (!simulation) {
    llvm::consumeError(simulation.takeError());
    return;
  }
  live = std::move(simulation->liveBytes);
  for (size_t t = 0; t < schedule.size(); ++t) {
    int op = schedule[t];
    nodeAt.push_back(int(t));
    opOf.push_back(op);
    stepAt.push_back(int(t));
    for (int v : graph.inputs(op))
      events[v].push_back(int(t));
    for (int v : graph.outputs(op))
      events[v].push_back(int(t));
    if (runs[op]++ == 0)
      firstNode[op] = int(t);
    else
      extra += graph.searchCost[op];
    overflowSum += std::max<int64_t>(0, live[t] - budgetBytes);
  }
  keptBytes = graph.problem->residentBytes;
  for (int v = 0; v < graph.numValues(); ++v)
    if (graph.keep[v] && graph.producer[v] >= 0)
      keptBytes += graph.bytes[v];
}

int64_t Sequence::peak() const {
  return live.empty() ? 0 : *std::max_element(live.begin(), live.end());
}

int Sequence::peakStep() const {
  return int(std::max_element(live.begin(), live.end()) - live.begin());
}

RematSchedule Sequence::schedule() const {
  RematSchedule result;
  for (int node : nodeAt)
    result.push_back(opOf[node]);
  return result;
}

/// Index of the first event of `value` at `step` or later.
int Sequence::eventIndex(int value, int step) const {
  const std::vector<int> &list = events[value];
  // Lists are short, and most questions are about their end.
  if (list.size() < 8) {
    int index = int(list.size());
    while (index > 0 && stepAt[list[index - 1]] >= step)
      --index;
    return index;
  }
  return int(
      std::partition_point(list.begin(), list.end(),
                           [&](int node) { return stepAt[node] < step; }) -
      list.begin());
}

int Sequence::previousEvent(int value, int step) const {
  int index = eventIndex(value, step);
  return index == 0 ? -1 : stepAt[events[value][index - 1]];
}

int Sequence::nextEvent(int value, int step) const {
  int index = eventIndex(value, step);
  return index == int(events[value].size()) ? -1 : stepAt[events[value][index]];
}

bool Sequence::isAliveBefore(int value, int step) const {
  if (graph.producer[value] < 0)
    return true;
  int index = eventIndex(value, step);
  if (index == 0)
    return false;
  if (index == int(events[value].size()))
    return graph.keep[value];
  return opOf[events[value][index]] != graph.producer[value];
}

/// The copy of `value` that is read at `step` is not wanted afterwards.
bool Sequence::diesAt(int value, int step) const {
  return !isAliveBefore(value, step + 1);
}

int64_t Sequence::savings(int step) const {
  const std::vector<InplacePair> &pairs = graph.inplace[op(step)];
  if (pairs.empty())
    return 0;
  int64_t saved = 0;
  if (pairs.size() == 1)
    return diesAt(pairs[0].input, step) ? pairs[0].savedBytes : 0;
  std::vector<int> usedInputs, usedOutputs;
  auto has = [](const std::vector<int> &list, int v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  };
  for (const InplacePair &pair : pairs) {
    if (has(usedInputs, pair.input) || has(usedOutputs, pair.output) ||
        !diesAt(pair.input, step))
      continue;
    usedInputs.push_back(pair.input);
    usedOutputs.push_back(pair.output);
    saved += pair.savedBytes;
  }
  return saved;
}

void Sequence::add(int from, int to, int64_t bytes) {
  if (bytes == 0)
    return;
  overflowSum += overflowOf(from, to, bytes);
  for (int t = from; t < to; ++t)
    live[t] += bytes;
}

int64_t Sequence::overflowOf(int from, int to, int64_t bytes) const {
  // Clamping by the sign bit keeps the loop free of branches.
  auto clamped = [](int64_t x) { return x & ~(x >> 63); };
  int64_t change = 0;
  const int64_t *at = live.data();
  for (int t = from; t < to; ++t) {
    int64_t before = at[t] - budgetBytes;
    change += clamped(before + bytes) - clamped(before);
  }
  return change;
}

/// Bytes alive across the gap before `step`.
int64_t Sequence::carry(int step) const {
  if (step == size())
    return keptBytes;
  int64_t bytes = live[step] - graph.workspace[op(step)] + savings(step);
  for (int v : graph.outputs(op(step)))
    bytes -= graph.bytes[v];
  return bytes;
}

bool Sequence::canInsert(int op, int step) const {
  if (runs[op] >= graph.maxRuns[op] || step <= stepAt[firstNode[op]])
    return false;
  for (int other : graph.later[op])
    if (step > stepAt[firstNode[other]])
      return false;
  return true;
}

void Sequence::openGap(int step, int node) {
  nodeAt.insert(nodeAt.begin() + step, node);
  for (int t = step; t < size(); ++t)
    stepAt[nodeAt[t]] = t;
}

int Sequence::insert(int op, int step) {
  assert(canInsert(op, step) && "no run of the op may stand here");
  int64_t bytes = carry(step) + graph.workspace[op];
  // Neighbours whose in-place sharing may change: take theirs off first.
  std::vector<int> touched;
  for (int v : graph.outputs(op))
    touched.push_back(previousEvent(v, step));
  for (int v : graph.inputs(op))
    if (graph.producer[v] >= 0)
      touched.push_back(previousEvent(v, step));
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (int t : touched)
    addAt(t, savings(t));

  int node;
  if (freeNodes.empty()) {
    node = int(opOf.size());
    opOf.push_back(op);
    stepAt.push_back(-1);
  } else {
    node = freeNodes.back();
    freeNodes.pop_back();
    opOf[node] = op;
  }
  for (int v : graph.outputs(op)) {
    bytes += graph.bytes[v];
    if (isAliveBefore(v, step)) {
      bytes -= graph.bytes[v];
      add(previousEvent(v, step) + 1, step, -graph.bytes[v]);
    }
  }
  for (int v : graph.inputs(op))
    if (!isAliveBefore(v, step)) {
      bytes += graph.bytes[v];
      add(previousEvent(v, step) + 1, step, graph.bytes[v]);
    }
  for (int v : graph.outputs(op))
    events[v].insert(events[v].begin() + eventIndex(v, step), node);
  for (int v : graph.inputs(op))
    if (graph.producer[v] >= 0)
      events[v].insert(events[v].begin() + eventIndex(v, step), node);
  openGap(step, node);
  live.insert(live.begin() + step, bytes);
  overflowSum += std::max<int64_t>(0, bytes - budgetBytes);
  ++runs[op];
  extra += graph.searchCost[op];
  addAt(step, -savings(step));
  for (int t : touched) // all before `step`
    addAt(t, -savings(t));
  return node;
}

void Sequence::erase(int node) {
  const int step = stepAt[node], op = opOf[node];
  assert(step >= 0 && !isFirst(node) && "the first run of an op stays");
  std::vector<int> touched;
  for (int v : graph.outputs(op))
    touched.push_back(previousEvent(v, step));
  for (int v : graph.inputs(op))
    if (graph.producer[v] >= 0)
      touched.push_back(previousEvent(v, step));
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (int t : touched)
    addAt(t, savings(t));
  addAt(step, savings(step));

  for (int v : graph.outputs(op))
    if (isAliveBefore(v, step + 1))
      add(previousEvent(v, step) + 1, step, graph.bytes[v]);
  for (int v : graph.inputs(op))
    if (graph.producer[v] >= 0 && !isAliveBefore(v, step + 1))
      add(previousEvent(v, step) + 1, step, -graph.bytes[v]);
  auto drop = [&](int v) {
    auto &list = events[v];
    list.erase(list.begin() + eventIndex(v, step));
  };
  for (int v : graph.outputs(op))
    drop(v);
  for (int v : graph.inputs(op))
    if (graph.producer[v] >= 0)
      drop(v);
  overflowSum -= std::max<int64_t>(0, live[step] - budgetBytes);
  live.erase(live.begin() + step);
  nodeAt.erase(nodeAt.begin() + step);
  for (int t = step; t < size(); ++t)
    stepAt[nodeAt[t]] = t;
  stepAt[node] = -1;
  freeNodes.push_back(node);
  --runs[op];
  extra -= graph.searchCost[op];
  for (int t : touched)
    addAt(t, -savings(t));
}

bool Sequence::isUseless(int node) const {
  if (isFirst(node))
    return false;
  for (int v : graph.outputs(opOf[node]))
    if (isAliveBefore(v, stepAt[node] + 1))
      return false;
  return true;
}
