//===- ExecPlanTest.cpp - Lifetimes and the plan's verifier ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "PlanHarness.h"

#include <catch2/catch.hpp>

using namespace lowtide::runtime;
using namespace lowtide::runtime::test;

static bool mentions(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

/// x → relu a → neg b → output, 16 floats (64 bytes) each.
static ExecPlan chain() {
  PlanMaker p;
  const BufferId x = p.input("x", {16}, 0);
  const BufferId a = p.buffer("a", {16}, 64);
  const BufferId b = p.buffer("b", {16}, 128);
  p.step("onnx.Relu", {x}, {a});
  p.step("onnx.Neg", {a}, {b});
  p.output("y", b);
  return p.finish();
}

TEST_CASE("a life ends behind the last reader") {
  const std::vector<Lifetime> lives = computeLifetimes(chain());
  CHECK(lives[0].begin == 0);
  CHECK(lives[0].end == 1);
  CHECK(lives[1].begin == 0);
  CHECK(lives[1].end == 2);
  CHECK(lives[2].begin == 1);
  CHECK(lives[2].end == 2);
}

TEST_CASE("a view keeps its base alive") {
  PlanMaker p;
  const BufferId x = p.input("x", {16}, 0);
  const BufferId a = p.buffer("a", {16}, 64);
  const BufferId v = p.view("v", {4, 4}, a);
  const BufferId b = p.buffer("b", {16}, 128);
  const BufferId c = p.buffer("c", {4, 4}, 192);
  p.step("onnx.Relu", {x}, {a});
  p.viewStep(a, v);
  p.step("onnx.Neg", {x}, {b});
  p.step("onnx.Neg", {v}, {c});
  p.output("y", c);
  p.output("z", b);
  const ExecPlan plan = p.finish();
  CHECK(verify(plan) == "");
  CHECK(computeLifetimes(plan)[a].end == 4);
}

TEST_CASE("sound plans are accepted") {
  CHECK(verify(chain()) == "");
  ExecPlan reuse = chain();
  // x is dead when b is written.
  reuse.buffers[2].offsetBytes = 0;
  reuse.arenaBytes = 128;
  CHECK(verify(reuse) == "");
}

TEST_CASE("overlap of live buffers is refused") {
  ExecPlan plan = chain();
  plan.buffers[1].offsetBytes = 0;
  // a in x's place is a donation: x is an operand and dies here.
  CHECK(verify(plan) == "");
  plan.steps[1].call.operands.push_back(plan.steps[1].call.operands[0]);
  plan.steps[1].operands.push_back(0);
  CHECK(mentions(verify(plan), "overwrites 'x', which is read later"));
}

TEST_CASE("a partial overlap is no donation") {
  PlanMaker p;
  const BufferId x = p.input("x", {32}, 0);
  const BufferId a = p.buffer("a", {32}, 64);
  p.step("onnx.Relu", {x}, {a});
  p.output("y", a);
  CHECK(mentions(verify(p.finish()), "overlaps 'x', which is live"));
}

TEST_CASE("misplaced buffers are refused") {
  ExecPlan plan = chain();
  plan.buffers[1].offsetBytes = 32;
  CHECK(mentions(verify(plan), "not a multiple of 64"));
  plan = chain();
  plan.arenaBytes = 256;
  CHECK(mentions(verify(plan), "reaches up to byte 192"));
  plan = chain();
  plan.arenaBytes = 128;
  CHECK(mentions(verify(plan), "its arena has 128"));
}

TEST_CASE("a workspace must be clear of live buffers") {
  ExecPlan plan = chain();
  plan.steps[1].workspaceBytes = 64;
  plan.steps[1].workspaceOffsetBytes = 0;
  CHECK(verify(plan) == "");
  plan.steps[1].workspaceOffsetBytes = 64;
  CHECK(mentions(verify(plan), "workspace of step 1"));
}

TEST_CASE("reading before writing and writing twice are refused") {
  ExecPlan plan = chain();
  std::swap(plan.steps[0], plan.steps[1]);
  CHECK(mentions(verify(plan), "before it is written"));
  plan = chain();
  plan.steps[1].results[0] = 1;
  CHECK(mentions(verify(plan), "a second time"));
}

TEST_CASE("resident inputs are replaced only by their update") {
  PlanMaker p;
  const BufferId w = p.input("w", {16}, 0, true);
  const BufferId n = p.buffer("n", {16}, 0);
  p.step("onnx.Neg", {w}, {n});
  p.output("w.new", n, "w");
  CHECK(verify(p.finish()) == "");

  PlanMaker q;
  const BufferId w2 = q.input("w", {16}, 0, true);
  const BufferId n2 = q.buffer("n", {16}, 0);
  q.step("onnx.Neg", {w2}, {n2});
  q.output("y", n2);
  CHECK(mentions(verify(q.finish()), "overwrites the resident 'w'"));
}

TEST_CASE("an update may not come before the last reader of the old value") {
  PlanMaker p;
  const BufferId w = p.input("w", {16}, 0, true);
  const BufferId n = p.buffer("n", {16}, 0);
  const BufferId y = p.buffer("y", {16}, 64);
  p.step("onnx.Neg", {w}, {n});
  p.step("onnx.Relu", {w}, {y});
  p.output("w.new", n, "w");
  p.output("y", y);
  CHECK(mentions(verify(p.finish()), "overwrites 'w', which is read later"));
}
