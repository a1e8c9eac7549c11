//===- VerifyPlan.cpp - Is a planned step safe to execute? ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: given addresses and an order, no kernel may read bytes that another
// buffer has overwritten, and nothing may lie outside the arena.
//
// Idea: walk the steps with a map of the byte ranges that hold a live value.
// A result is inserted when its step begins and must not meet any other range,
// except that of an operand which it replaces (a donation: same address, same
// size, no reader after this step). Dead ranges leave when their step has
// ended.
//
//   step 0: a@0 = f(x)     live: x, a
//   step 1: b@0 = relu(a)  b replaces a, legal when nothing reads a later
//   step 2: c@0 = g(b, a)  refused: "step 1 overwrites a, read by step 2"
//
// Complexity: O(n log n) in buffers and operands. It doesn't know kernels:
// whether a kernel accepts a donation or needs that much workspace is checked
// by the executor, which has the back end at hand.
//
// Tested by test/unit/Runtime/ExecPlanTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Runtime/ExecPlan.h"
#include "lowtide/Support/Bytes.h"

#include <algorithm>
#include <map>
#include <set>

using namespace lowtide;
using namespace lowtide::runtime;

namespace {

class PlanVerifier {
public:
  explicit PlanVerifier(const ExecPlan &plan)
      : plan(plan), numSteps(static_cast<int32_t>(plan.steps.size())) {}

  std::string verify();

private:
  struct Range {
    int64_t endBytes;
    BufferId owner;
  };

  bool fail(std::string text) {
    error = std::move(text);
    return false;
  }
  std::string quote(BufferId id) const {
    return "'" + plan.buffers[id].name + "'";
  }
  std::string where(int32_t s) const {
    return "step " + std::to_string(s) + " ('" + plan.steps[s].node + "')";
  }
  int64_t beginOf(BufferId id) const { return plan.buffers[id].offsetBytes; }
  int64_t bytesOf(BufferId id) const { return plan.buffers[id].desc.bytes(); }

  bool checkIds();
  bool checkBuffers();
  bool checkArena();
  bool checkPorts();
  bool checkOrder();
  bool checkStep(int32_t s);
  bool checkView(int32_t s);
  bool checkWorkspace(int32_t s);
  bool insert(BufferId id, int32_t s);
  bool mayReplace(BufferId old, BufferId result, int32_t s);
  BufferId rootOf(BufferId id) const;

  const ExecPlan &plan;
  const int32_t numSteps;
  std::string error;
  std::vector<Lifetime> lives;
  /// Step behind the last reader of the storage; outputs count as readers at
  /// the end of the step, residency doesn't count.
  std::vector<int32_t> lastRead;
  std::vector<BufferId> roots;
  std::map<int64_t, Range> live;
};

} // namespace

BufferId PlanVerifier::rootOf(BufferId id) const {
  for (size_t hops = 0; plan.buffers[id].base != noBuffer; ++hops) {
    if (hops > plan.buffers.size())
      return noBuffer;
    id = plan.buffers[id].base;
  }
  return id;
}

bool PlanVerifier::checkIds() {
  auto inRange = [&](BufferId id) {
    return id >= 0 && static_cast<size_t>(id) < plan.buffers.size();
  };
  for (const Buffer &buffer : plan.buffers)
    if (buffer.base != noBuffer && !inRange(buffer.base))
      return fail("buffer '" + buffer.name + "' is a view of no buffer");
  for (int32_t s = 0; s < numSteps; ++s) {
    const Step &step = plan.steps[s];
    if (step.operands.size() != step.call.operands.size() ||
        step.results.size() != step.call.results.size())
      return fail(where(s) + " binds " + std::to_string(step.operands.size()) +
                  " operands and " + std::to_string(step.results.size()) +
                  " results, its call has " +
                  std::to_string(step.call.operands.size()) + " and " +
                  std::to_string(step.call.results.size()));
    for (BufferId id : step.operands)
      if (id != noBuffer && !inRange(id))
        return fail(where(s) + " reads a buffer that isn't there");
    for (BufferId id : step.results)
      if (id != noBuffer && !inRange(id))
        return fail(where(s) + " writes a buffer that isn't there");
  }
  for (const auto *ports : {&plan.inputs, &plan.outputs})
    for (const Port &port : *ports)
      if (!inRange(port.buffer))
        return fail("port '" + port.name + "' has no buffer");
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    roots.push_back(rootOf(static_cast<BufferId>(i)));
    if (roots.back() == noBuffer)
      return fail("buffer " + quote(i) + " is a view of itself");
  }
  return true;
}

bool PlanVerifier::checkBuffers() {
  if (plan.alignmentBytes <= 0)
    return fail("the alignment must be positive");
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer &buffer = plan.buffers[i];
    if (buffer.offsetBytes < 0 || buffer.offsetBytes % plan.alignmentBytes != 0)
      return fail("buffer " + quote(i) + " is at byte " +
                  std::to_string(buffer.offsetBytes) + ", not a multiple of " +
                  std::to_string(plan.alignmentBytes));
    if (buffer.base != noBuffer) {
      if (buffer.offsetBytes != beginOf(buffer.base))
        return fail("view " + quote(i) + " isn't at its base's address");
      if (buffer.desc.bytes() > bytesOf(buffer.base))
        return fail("view " + quote(i) + " is longer than its base");
    }
    if (buffer.constant &&
        static_cast<int64_t>(buffer.constant->size()) != buffer.desc.bytes())
      return fail("constant " + quote(i) + " has " +
                  std::to_string(buffer.constant->size()) + " bytes, not " +
                  std::to_string(buffer.desc.bytes()));
  }
  return true;
}

bool PlanVerifier::checkArena() {
  int64_t height = 0;
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (bytesOf(i) > 0)
      height = std::max(height, beginOf(i) + bytesOf(i));
  for (int32_t s = 0; s < numSteps; ++s) {
    const Step &step = plan.steps[s];
    if (step.workspaceBytes < 0 || step.workspaceOffsetBytes < 0 ||
        step.workspaceOffsetBytes % plan.alignmentBytes != 0)
      return fail(where(s) + " has a misplaced workspace");
    if (step.workspaceBytes > 0)
      height =
          std::max(height, step.workspaceOffsetBytes + step.workspaceBytes);
  }
  height = alignTo(height, plan.alignmentBytes);
  if (height != plan.arenaBytes)
    return fail("the plan reaches up to byte " + std::to_string(height) +
                " but its arena has " + std::to_string(plan.arenaBytes));
  return true;
}

bool PlanVerifier::checkPorts() {
  std::set<std::string> names;
  for (const Port &input : plan.inputs) {
    if (!names.insert(input.name).second)
      return fail("two inputs are named '" + input.name + "'");
    if (plan.buffers[input.buffer].base != noBuffer)
      return fail("input '" + input.name + "' is a view");
  }
  std::set<std::string> outputNames;
  for (const Port &output : plan.outputs) {
    if (!outputNames.insert(output.name).second)
      return fail("two outputs are named '" + output.name + "'");
    if (output.updates.empty())
      continue;
    auto input = std::find_if(
        plan.inputs.begin(), plan.inputs.end(),
        [&](const Port &port) { return port.name == output.updates; });
    if (input == plan.inputs.end())
      return fail("output '" + output.name + "' updates '" + output.updates +
                  "', which is no input");
    if (plan.buffers[input->buffer].desc != plan.buffers[output.buffer].desc)
      return fail("output '" + output.name + "' and input '" + input->name +
                  "' differ in type");
    if (!plan.buffers[input->buffer].resident)
      return fail("updated input '" + input->name + "' isn't resident");
  }
  return true;
}

/// Every buffer has one writer, and it comes before every reader.
bool PlanVerifier::checkOrder() {
  std::vector<bool> written(plan.buffers.size(), false);
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    written[i] = plan.buffers[i].constant != nullptr;
  for (const Port &input : plan.inputs) {
    if (written[input.buffer])
      return fail("input '" + input.name + "' shares its buffer");
    written[input.buffer] = true;
  }
  lastRead.assign(plan.buffers.size(), 0);
  for (int32_t s = 0; s < numSteps; ++s) {
    for (BufferId id : plan.steps[s].operands) {
      if (id == noBuffer)
        continue;
      if (!written[id])
        return fail(where(s) + " reads " + quote(id) + " before it is written");
      lastRead[roots[id]] = std::max(lastRead[roots[id]], s + 1);
    }
    for (BufferId id : plan.steps[s].results) {
      if (id == noBuffer)
        continue;
      if (written[id])
        return fail(where(s) + " writes " + quote(id) + " a second time");
      written[id] = true;
    }
  }
  for (const Port &output : plan.outputs) {
    if (!written[output.buffer])
      return fail("output '" + output.name + "' is never written");
    lastRead[roots[output.buffer]] = numSteps + 1;
  }
  return true;
}

/// May `result` take the range of `old` at step `s`?
bool PlanVerifier::mayReplace(BufferId old, BufferId result, int32_t s) {
  bool isOperand = false;
  for (BufferId id : plan.steps[s].operands)
    isOperand |= id != noBuffer && roots[id] == old;
  if (!isOperand || beginOf(old) != beginOf(result) ||
      bytesOf(old) != bytesOf(result))
    return fail("at " + where(s) + " " + quote(result) + " overlaps " +
                quote(old) + ", which is live");
  if (lastRead[old] > s + 1)
    return fail(where(s) + " overwrites " + quote(old) +
                ", which is read later");
  const Buffer &buffer = plan.buffers[old];
  if (buffer.constant)
    return fail(where(s) + " overwrites the constant " + quote(old));
  if (!buffer.resident)
    return true;
  // A resident input may only be replaced by the output that updates it.
  for (const Port &output : plan.outputs)
    for (const Port &input : plan.inputs)
      if (output.updates == input.name && input.buffer == old &&
          beginOf(output.buffer) == beginOf(old))
        return true;
  return fail(where(s) + " overwrites the resident " + quote(old) +
              " but updates nothing");
}

bool PlanVerifier::insert(BufferId id, int32_t s) {
  const int64_t begin = beginOf(id), end = begin + bytesOf(id);
  if (begin == end)
    return true;
  auto it = live.lower_bound(begin);
  if (it != live.begin() && std::prev(it)->second.endBytes > begin)
    --it;
  while (it != live.end() && it->first < end) {
    if (s < 0)
      return fail("resident buffers " + quote(it->second.owner) + " and " +
                  quote(id) + " overlap");
    if (!mayReplace(it->second.owner, id, s))
      return false;
    it = live.erase(it);
  }
  live[begin] = {end, id};
  return true;
}

bool PlanVerifier::checkView(int32_t s) {
  const Step &step = plan.steps[s];
  if (step.results.size() != 1 || step.operands.empty() ||
      step.operands[0] == noBuffer || step.results[0] == noBuffer)
    return fail("view " + where(s) + " needs an operand and one result");
  if (plan.buffers[step.results[0]].base == noBuffer ||
      roots[step.results[0]] != roots[step.operands[0]])
    return fail(where(s) + " is a view but " + quote(step.results[0]) +
                " isn't based on " + quote(step.operands[0]));
  if (step.workspaceBytes != 0)
    return fail("view " + where(s) + " has a workspace");
  return true;
}

bool PlanVerifier::checkWorkspace(int32_t s) {
  const Step &step = plan.steps[s];
  if (step.workspaceBytes == 0)
    return true;
  const int64_t begin = step.workspaceOffsetBytes;
  const int64_t end = begin + step.workspaceBytes;
  auto it = live.lower_bound(begin);
  if (it != live.begin() && std::prev(it)->second.endBytes > begin)
    --it;
  if (it != live.end() && it->first < end)
    return fail("the workspace of " + where(s) + " overlaps " +
                quote(it->second.owner));
  // Operands that a result replaced have left the map, but a donated operand
  // has its result's range, so nothing is missed.
  return true;
}

bool PlanVerifier::checkStep(int32_t s) {
  const Step &step = plan.steps[s];
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const BufferId id = step.operands[i];
    if (id == noBuffer) {
      if (step.call.hasOperand(i) && !step.call.operands[i]->isHost)
        return fail(where(s) + " lacks operand " + std::to_string(i));
      continue;
    }
    if (bytesOf(id) == 0)
      continue;
    auto it = live.find(beginOf(id));
    if (it == live.end() || it->second.owner != roots[id])
      return fail(where(s) + " reads " + quote(id) +
                  ", whose bytes were overwritten");
  }
  for (size_t i = 0; i < step.results.size(); ++i)
    if (step.call.hasResult(i) && step.results[i] == noBuffer)
      return fail(where(s) + " lacks result " + std::to_string(i));
  if (step.isView)
    return checkView(s);
  for (BufferId id : step.results) {
    if (id == noBuffer)
      continue;
    if (plan.buffers[id].base != noBuffer)
      return fail(where(s) + " writes " + quote(id) +
                  ", a view, through a kernel");
    if (!insert(id, s))
      return false;
  }
  return checkWorkspace(s);
}

std::string PlanVerifier::verify() {
  if (!checkIds() || !checkBuffers() || !checkArena() || !checkPorts() ||
      !checkOrder())
    return error;
  lives = computeLifetimes(plan);
  std::vector<bool> made(plan.buffers.size(), false);
  for (const Step &step : plan.steps)
    for (BufferId id : step.results)
      if (id != noBuffer)
        made[id] = true;
  std::vector<std::vector<BufferId>> dying(numSteps + 1);
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const auto id = static_cast<BufferId>(i);
    if (plan.buffers[i].base != noBuffer)
      continue;
    if (lives[i].end < numSteps)
      dying[std::max(lives[i].end, 1)].push_back(id);
    if (!made[i] && !insert(id, -1))
      return error;
  }
  for (int32_t s = 0; s < numSteps; ++s) {
    if (!checkStep(s))
      return error;
    for (BufferId id : dying[s + 1]) {
      auto it = live.find(beginOf(id));
      if (it != live.end() && it->second.owner == id)
        live.erase(it);
    }
  }
  return error;
}

std::string lowtide::runtime::verify(const ExecPlan &plan) {
  return PlanVerifier(plan).verify();
}
