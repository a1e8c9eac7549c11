//===- RematProblem.cpp - The checks every problem passes first -----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/RematProblem.h"

#include "lowtide/Support/Bytes.h"

#include "llvm/ADT/Twine.h"

#include <queue>

using namespace lowtide;
using namespace lowtide::solver;
using llvm::Twine;

int RematProblem::addValue(std::string valueName, int64_t bytes) {
  values.push_back({std::move(valueName), bytes, -1});
  return int(values.size()) - 1;
}

int RematProblem::addOp(RematOp op) {
  ops.push_back(std::move(op));
  return int(ops.size()) - 1;
}

static llvm::Error bad(const Twine &text) {
  return llvm::createStringError(text);
}

static std::string opName(const RematProblem &problem, int op) {
  return ("op " + Twine(problem.opId(op)) + " ('" + problem.ops[op].name + "')")
      .str();
}

static bool inRange(int index, size_t size) {
  return index >= 0 && size_t(index) < size;
}

/// Sizes and costs are not negative and their sums fit.
static llvm::Error checkSizes(const RematProblem &problem) {
  // Costs may be counted many times and bytes are multiplied by prices, so
  // the plain sums must leave room.
  const int64_t most = int64_t(1) << 60;
  if (problem.alignment <= 0)
    return bad("alignment is " + Twine(problem.alignment) +
               " but must be positive");
  if (problem.alignment > (int64_t(1) << 32))
    return bad("alignment " + Twine(problem.alignment) + " is too large");
  if (problem.residentBytes < 0)
    return bad("resident_bytes is negative");
  int64_t bytes = problem.residentBytes, cost = 0;
  auto grow = [&](int64_t &sum, int64_t amount, int64_t slack) {
    auto next = checkedAdd(sum, amount);
    if (next)
      next = checkedAdd(*next, slack);
    if (!next || *next > most)
      return false;
    sum = *next;
    return true;
  };
  for (size_t v = 0; v < problem.values.size(); ++v) {
    if (problem.values[v].bytes < 0)
      return bad("value " + Twine(problem.valueId(int(v))) +
                 " has negative bytes");
    if (!grow(bytes, problem.values[v].bytes, problem.alignment))
      return bad("the bytes of all values together overflow");
  }
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    const RematOp &op = problem.ops[i];
    if (op.cost < 0 || op.workspaceBytes < 0 || op.maxRuns < 0)
      return bad(opName(problem, int(i)) +
                 " has a negative cost, workspace or run limit");
    if (!grow(cost, op.cost, 0))
      return bad("the costs of all ops together overflow");
    if (!grow(bytes, op.workspaceBytes, problem.alignment))
      return bad("the bytes of all workspaces together overflow");
  }
  return llvm::Error::success();
}

static llvm::Error checkOps(const RematProblem &problem) {
  std::vector<int> producer(problem.values.size(), -1);
  std::vector<int> readBy(problem.values.size(), -1);
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    for (int v : problem.ops[i].outputs) {
      if (!inRange(v, problem.values.size()))
        return bad(opName(problem, int(i)) + " makes an unknown value");
      if (producer[v] >= 0)
        return bad("value " + Twine(problem.valueId(v)) + " is made by " +
                   opName(problem, producer[v]) + " and by " +
                   opName(problem, int(i)));
      producer[v] = int(i);
    }
    for (int v : problem.ops[i].inputs) {
      if (!inRange(v, problem.values.size()))
        return bad(opName(problem, int(i)) + " reads an unknown value");
      if (readBy[v] == int(i))
        return bad(opName(problem, int(i)) + " lists input " +
                   Twine(problem.valueId(v)) + " twice");
      readBy[v] = int(i);
    }
  }
  return llvm::Error::success();
}

static bool contains(const std::vector<int> &list, int item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

static llvm::Error checkExtras(const RematProblem &problem) {
  const size_t numOps = problem.ops.size(), numValues = problem.values.size();
  for (int v : problem.keep)
    if (!inRange(v, numValues))
      return bad("'keep' names an unknown value");
  std::vector<int> base(numValues, -1), producer(numValues, -1);
  for (size_t i = 0; i < numOps; ++i)
    for (int v : problem.ops[i].outputs)
      producer[v] = int(i);
  for (const RematView &view : problem.views) {
    if (!inRange(view.view, numValues) || !inRange(view.base, numValues))
      return bad("'views' names an unknown value");
    if (base[view.view] >= 0)
      return bad("value " + Twine(problem.valueId(view.view)) +
                 " is a view of two values");
    base[view.view] = view.base;
    int op = producer[view.view];
    if (op < 0 || !contains(problem.ops[op].inputs, view.base))
      return bad("value " + Twine(problem.valueId(view.view)) +
                 " is a view of " + Twine(problem.valueId(view.base)) +
                 ", but the op that makes it doesn't read that value");
  }
  for (const RematInplace &pair : problem.inplace) {
    if (!inRange(pair.op, numOps) || !inRange(pair.input, numValues) ||
        !inRange(pair.output, numValues))
      return bad("'inplace' names an unknown op or value");
    if (!contains(problem.ops[pair.op].inputs, pair.input) ||
        !contains(problem.ops[pair.op].outputs, pair.output))
      return bad("'inplace' pairs values that " + opName(problem, pair.op) +
                 " doesn't read and make");
  }
  for (const RematAfter &edge : problem.after)
    if (!inRange(edge.earlier, numOps) || !inRange(edge.later, numOps) ||
        edge.earlier == edge.later)
      return bad("'after' names an unknown op or joins an op to itself");
  return llvm::Error::success();
}

static llvm::Error checkOrder(const RematProblem &problem) {
  const size_t numOps = problem.ops.size();
  if (problem.order.size() != numOps)
    return bad("the order has " + Twine(problem.order.size()) +
               " entries but there are " + Twine(numOps) + " ops");
  std::vector<int> position(numOps, -1);
  for (size_t t = 0; t < numOps; ++t) {
    int i = problem.order[t];
    if (!inRange(i, numOps))
      return bad("the order names an unknown op");
    if (position[i] >= 0)
      return bad("the order names " + opName(problem, i) + " twice");
    position[i] = int(t);
  }
  std::vector<int> producer(problem.values.size(), -1);
  for (size_t i = 0; i < numOps; ++i)
    for (int v : problem.ops[i].outputs)
      producer[v] = int(i);
  for (size_t i = 0; i < numOps; ++i)
    for (int v : problem.ops[i].inputs)
      if (producer[v] >= 0 && position[producer[v]] >= position[i])
        return bad("the order runs " + opName(problem, int(i)) + " before " +
                   opName(problem, producer[v]) + ", which it reads");
  for (const RematAfter &edge : problem.after)
    if (position[edge.earlier] >= position[edge.later])
      return bad("the order runs " + opName(problem, edge.later) + " before " +
                 opName(problem, edge.earlier) + ", which 'after' forbids");
  return llvm::Error::success();
}

llvm::Error solver::checkProblem(const RematProblem &problem) {
  if (llvm::Error error = checkSizes(problem))
    return error;
  if (llvm::Error error = checkOps(problem))
    return error;
  if (llvm::Error error = checkExtras(problem))
    return error;
  return checkOrder(problem);
}

llvm::Expected<std::vector<int>>
solver::topologicalOrder(const RematProblem &problem) {
  const size_t numOps = problem.ops.size();
  std::vector<int> producer(problem.values.size(), -1), missing(numOps, 0);
  std::vector<std::vector<int>> next(numOps);
  for (size_t i = 0; i < numOps; ++i)
    for (int v : problem.ops[i].outputs)
      producer[v] = int(i);
  auto addEdge = [&](int from, int to) {
    next[from].push_back(to);
    ++missing[to];
  };
  for (size_t i = 0; i < numOps; ++i)
    for (int v : problem.ops[i].inputs)
      if (producer[v] >= 0)
        addEdge(producer[v], int(i));
  for (const RematAfter &edge : problem.after)
    addEdge(edge.earlier, edge.later);

  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (size_t i = 0; i < numOps; ++i)
    if (missing[i] == 0)
      ready.push(int(i));
  std::vector<int> order;
  while (!ready.empty()) {
    int i = ready.top();
    ready.pop();
    order.push_back(i);
    for (int j : next[i])
      if (--missing[j] == 0)
        ready.push(j);
  }
  for (size_t i = 0; i < numOps; ++i)
    if (missing[i] > 0)
      return bad(opName(problem, int(i)) + " is on a cycle or behind one");
  return order;
}
