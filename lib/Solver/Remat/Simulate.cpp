//===- Simulate.cpp - Bytes and cost of a schedule ------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. How many bytes are resident at each step of a schedule?
//
// Idea. One pass gives every copy of a value its first step and its last use;
// a view's uses count for the copy it was made from. A difference array over
// steps then adds the bytes of each copy over its life. Where an op may write
// into an operand that dies at this very step, the shared bytes are taken off.
//
// Example. x (4 bytes) made at step 0 and read at steps 1 and 3, made again at
// step 2: the first copy lives over [0, 1], the second over [2, 3].
//
// Cost. O(steps + edges). It doesn't choose addresses.
//
// Tested by test/unit/Solver/SimulateTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/Simulate.h"

#include "lowtide/Solver/Remat/RematGraph.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cmath>

using namespace lowtide;
using namespace lowtide::solver;
using llvm::Twine;

namespace {
struct Copy {
  int value;
  int start;
  int lastUse;
  int base; ///< the copy a view was made from, -1: none
};

class Simulator {
public:
  Simulator(const RematGraph &graph, const RematSchedule &schedule)
      : graph(graph), schedule(schedule), current(graph.numValues(), -1) {}

  llvm::Error run(SimulateOptions options);
  Simulation finish();

private:
  llvm::Error step(int t, int op);
  void touch(int copy, int t);
  int rootOf(int copy) const;
  int64_t inplaceSavings(int t, int op, const int *inputCopies) const;

  const RematGraph &graph;
  const RematSchedule &schedule;
  std::vector<int> current; ///< per value: its newest copy
  std::vector<Copy> copies;
  std::vector<int> runs;
  std::vector<int> inputCopies; ///< of steps with in-place pairs, flat
  std::vector<int> inputsAt;    ///< per step: index into it, -1: none
};
} // namespace

static llvm::Error bad(int t, const Twine &text) {
  return llvm::createStringError("step " + Twine(t) + ": " + text);
}

void Simulator::touch(int copy, int t) {
  for (; copy >= 0; copy = copies[copy].base)
    copies[copy].lastUse = std::max(copies[copy].lastUse, t);
}

int Simulator::rootOf(int copy) const {
  while (copy >= 0 && copies[copy].base >= 0)
    copy = copies[copy].base;
  return copy;
}

llvm::Error Simulator::step(int t, int op) {
  const RematProblem &problem = *graph.problem;
  for (int v : graph.inputs(op)) {
    if (graph.producer[v] < 0)
      continue;
    if (current[v] < 0)
      return bad(t, "op " + Twine(problem.opId(op)) + " reads value " +
                        Twine(problem.valueId(v)) + " before it is computed");
    touch(current[v], t);
  }
  inputsAt.push_back(graph.inplace[op].empty() ? -1 : int(inputCopies.size()));
  if (!graph.inplace[op].empty())
    for (const InplacePair &pair : graph.inplace[op])
      inputCopies.push_back(current[pair.input]);
  for (int v : graph.outputs(op)) {
    int base = graph.baseOf[v] < 0 ? -1 : current[graph.baseOf[v]];
    current[v] = int(copies.size());
    copies.push_back({v, t, t, base});
  }
  return llvm::Error::success();
}

llvm::Error Simulator::run(SimulateOptions options) {
  const RematProblem &problem = *graph.problem;
  const int numSteps = int(schedule.size());
  runs.assign(graph.numOps(), 0);
  std::vector<int> lastRun(graph.numOps(), -1), firstRun(graph.numOps(), -1);
  int numFirst = 0;
  for (int t = 0; t < numSteps; ++t) {
    int op = schedule[t];
    if (op < 0 || op >= graph.numOps())
      return bad(t, "no op " + Twine(op));
    if (runs[op]++ == 0) {
      firstRun[op] = t;
      if (options.fixedOrder && graph.order[numFirst] != op)
        return bad(t, "op " + Twine(problem.opId(op)) +
                          " first runs out of the order of the problem");
      ++numFirst;
    }
    if (runs[op] > graph.maxRuns[op])
      return bad(t, "op " + Twine(problem.opId(op)) + " must not run " +
                        Twine(runs[op]) + " times");
    lastRun[op] = t;
    if (llvm::Error error = step(t, op))
      return error;
  }
  for (int op = 0; op < graph.numOps(); ++op)
    if (runs[op] == 0)
      return llvm::createStringError("op " + Twine(problem.opId(op)) +
                                     " never runs");
  for (const RematAfter &edge : problem.after)
    if (lastRun[edge.earlier] > firstRun[edge.later])
      return bad(lastRun[edge.earlier],
                 "op " + Twine(problem.opId(edge.earlier)) + " runs after op " +
                     Twine(problem.opId(edge.later)) +
                     ", which must come later");
  for (int v = 0; v < graph.numValues(); ++v)
    if (graph.keep[v] && current[v] >= 0)
      touch(current[v], numSteps);
  return llvm::Error::success();
}

int64_t Simulator::inplaceSavings(int t, int op, const int *pairCopies) const {
  int64_t saved = 0;
  llvm::SmallVector<int, 4> used, usedOutputs;
  const auto &pairs = graph.inplace[op];
  for (size_t k = 0; k < pairs.size(); ++k) {
    int root = rootOf(pairCopies[k]);
    if (root < 0 || copies[root].lastUse != t ||
        std::find(used.begin(), used.end(), root) != used.end() ||
        std::find(usedOutputs.begin(), usedOutputs.end(), pairs[k].output) !=
            usedOutputs.end())
      continue;
    used.push_back(root);
    usedOutputs.push_back(pairs[k].output);
    saved += pairs[k].savedBytes;
  }
  return saved;
}

Simulation Simulator::finish() {
  const int numSteps = int(schedule.size());
  Simulation result;
  std::vector<int64_t> grow(numSteps + 2, 0);
  for (const Copy &copy : copies) {
    grow[copy.start] += graph.bytes[copy.value];
    grow[std::min(copy.lastUse, numSteps) + 1] -= graph.bytes[copy.value];
  }
  int64_t live = graph.problem->residentBytes;
  result.liveBytes.resize(numSteps);
  for (int t = 0; t < numSteps; ++t) {
    int op = schedule[t];
    live += grow[t];
    int64_t bytes = live + graph.workspace[op];
    if (inputsAt[t] >= 0)
      bytes -= inplaceSavings(t, op, &inputCopies[inputsAt[t]]);
    result.liveBytes[t] = bytes;
    if (result.peakStep < 0 || bytes > result.peakBytes) {
      result.peakBytes = bytes;
      result.peakStep = t;
    }
    result.cost += graph.cost(op);
  }
  if (numSteps == 0)
    result.peakBytes = live;
  return result;
}

llvm::Expected<Simulation> solver::simulate(const RematProblem &problem,
                                            const RematSchedule &schedule,
                                            SimulateOptions options) {
  RematGraph graph(problem);
  return simulate(graph, schedule, options);
}

llvm::Expected<Simulation> solver::simulate(const RematGraph &graph,
                                            const RematSchedule &schedule,
                                            SimulateOptions options) {
  Simulator simulator(graph, schedule);
  if (llvm::Error error = simulator.run(options))
    return std::move(error);
  return simulator.finish();
}

int64_t solver::percentOfPeak(int64_t peakBytes, double percent) {
  return int64_t(std::floor(double(peakBytes) * percent / 100 + 1e-9));
}
