//===- PlaceSchedule.cpp - Addresses for a schedule -----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. A schedule fixes when each copy of a value lives; which addresses
// make the arena as low as the most bytes that are alive at once?
//
// Idea. Copies that take each other's place in memory (an op writes over an
// operand that dies there) are one buffer over their joined life. What remains
// is a packing problem.
//
// Example. a is made at step 0 and read at step 1 by b = f(a) in place, b is
// read at step 2: one buffer over [0, 3).
//
// Complexity. O(steps + edges) besides the packing.
// Tested by test/unit/Solver/Placement/PlaceScheduleTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Placement/PlaceSchedule.h"

#include "lowtide/Support/Bytes.h"

#include <algorithm>
#include <numeric>

namespace lowtide::solver {

namespace {

/// One computation of a value.
struct ValueCopy {
  int value;
  int start;
  int lastUse;
};

/// The copies of a schedule, and which of them each step makes and reads.
class CopyTable {
public:
  CopyTable(const RematProblem &problem, const RematSchedule &schedule)
      : problem(problem), current(problem.values.size(), -1) {
    outputs.resize(schedule.size());
    inputs.resize(schedule.size());
    for (size_t t = 0; t < schedule.size(); ++t)
      addStep(static_cast<int>(t), problem.ops[schedule[t]]);
    for (int value : problem.keep)
      if (current[value] >= 0)
        copies[current[value]].lastUse = static_cast<int>(schedule.size());
  }

  std::vector<ValueCopy> copies;
  std::vector<std::vector<int>> outputs, inputs;

private:
  void addStep(int t, const RematOp &op) {
    for (int value : op.inputs) {
      int copy = current[value];
      inputs[t].push_back(copy);
      if (copy >= 0)
        copies[copy].lastUse = t;
    }
    for (int value : op.outputs) {
      current[value] = static_cast<int>(copies.size());
      outputs[t].push_back(current[value]);
      copies.push_back({value, t, t});
    }
  }

  const RematProblem &problem;
  std::vector<int> current; ///< per value: its newest copy
};

/// In-place pairs of each op, those that save most first.
std::vector<std::vector<RematInplace>>
sortedPairs(const RematProblem &problem) {
  std::vector<std::vector<RematInplace>> pairs(problem.ops.size());
  for (const RematInplace &pair : problem.inplace)
    pairs[pair.op].push_back(pair);
  for (auto &list : pairs)
    std::stable_sort(list.begin(), list.end(),
                     [&](const RematInplace &a, const RematInplace &b) {
                       return problem.values[a.output].bytes >
                              problem.values[b.output].bytes;
                     });
  return pairs;
}

} // namespace

/// Position of `value` in `list`; -1 when it isn't there.
static int positionOf(const std::vector<int> &list, int value) {
  auto found = std::find(list.begin(), list.end(), value);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

/// For each copy, the copy whose place it takes, or -1.
static std::vector<int> findPredecessors(const RematProblem &problem,
                                         const RematSchedule &schedule,
                                         const CopyTable &table) {
  std::vector<int> predecessor(table.copies.size(), -1);
  std::vector<bool> given(table.copies.size(), false);
  auto pairs = sortedPairs(problem);
  for (size_t t = 0; t < schedule.size(); ++t) {
    const RematOp &op = problem.ops[schedule[t]];
    for (const RematInplace &pair : pairs[schedule[t]]) {
      int in = positionOf(op.inputs, pair.input);
      int out = positionOf(op.outputs, pair.output);
      if (in < 0 || out < 0)
        continue;
      int from = table.inputs[t][in], to = table.outputs[t][out];
      if (from < 0 || given[from] || predecessor[to] >= 0 ||
          table.copies[from].lastUse != static_cast<int>(t) ||
          problem.values[pair.input].bytes != problem.values[pair.output].bytes)
        continue;
      given[from] = true;
      predecessor[to] = from;
    }
  }
  return predecessor;
}

SchedulePacking packingOfSchedule(const RematProblem &problem,
                                  const RematSchedule &schedule) {
  SchedulePacking result;
  CopyTable table(problem, schedule);
  std::vector<int> predecessor = findPredecessors(problem, schedule, table);
  std::vector<int32_t> bufferOfCopy(table.copies.size());
  auto bytes = [&](int64_t size) { return alignTo(size, problem.alignment); };
  for (size_t c = 0; c < table.copies.size(); ++c) {
    const ValueCopy &copy = table.copies[c];
    if (predecessor[c] >= 0) {
      // Copies are numbered in the order of their steps, so the chain's buffer
      // is there already.
      bufferOfCopy[c] = bufferOfCopy[predecessor[c]];
      auto &life = result.problem.buffers[bufferOfCopy[c]].lifetime.front();
      life.upper = std::max<int64_t>(life.upper, copy.lastUse + 1);
      continue;
    }
    bufferOfCopy[c] =
        addBuffer(result.problem, problem.values[copy.value].name, copy.start,
                  copy.lastUse + 1, bytes(problem.values[copy.value].bytes),
                  problem.alignment);
  }
  for (size_t t = 0; t < schedule.size(); ++t) {
    auto &buffers = result.outputBuffers.emplace_back();
    for (int copy : table.outputs[t])
      buffers.push_back(bufferOfCopy[copy]);
    int64_t workspace = bytes(problem.ops[schedule[t]].workspaceBytes);
    result.workspaceBuffers.push_back(
        workspace == 0
            ? -1
            : addBuffer(result.problem, problem.ops[schedule[t]].name,
                        static_cast<int64_t>(t), static_cast<int64_t>(t) + 1,
                        workspace, problem.alignment));
  }
  return result;
}

llvm::Expected<SchedulePlacement> placeSchedule(const RematProblem &problem,
                                                const RematSchedule &schedule,
                                                const PackingOptions &options) {
  SchedulePacking packing = packingOfSchedule(problem, schedule);
  auto packed = packBuffers(packing.problem, options);
  if (!packed)
    return packed.takeError();
  SchedulePlacement placement;
  int64_t resident = alignTo(problem.residentBytes, problem.alignment);
  placement.arenaBytes = resident + packed->heightBytes;
  placement.maxLiveBytes = resident + packed->maxLiveBytes;
  placement.lowerBoundBytes = resident + packed->lowerBoundBytes;
  for (size_t t = 0; t < schedule.size(); ++t) {
    StepPlacement &step = placement.steps.emplace_back();
    for (int32_t buffer : packing.outputBuffers[t])
      step.outputOffsetsBytes.push_back(packed->offsetsBytes[buffer]);
    if (packing.workspaceBuffers[t] >= 0)
      step.workspaceOffsetBytes =
          packed->offsetsBytes[packing.workspaceBuffers[t]];
  }
  return placement;
}

} // namespace lowtide::solver
