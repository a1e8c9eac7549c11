//===- PlanHarness.h - Small plans by hand ----------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TEST_UNIT_RUNTIME_PLANHARNESS_H
#define LOWTIDE_TEST_UNIT_RUNTIME_PLANHARNESS_H

#include "lowtide/Runtime/ExecPlan.h"
#include "lowtide/Support/Bytes.h"

#include <algorithm>

namespace lowtide::runtime::test {

class PlanMaker {
public:
  BufferId buffer(std::string name, std::vector<int64_t> shape,
                  int64_t offsetBytes, DataType type = DataType::Float32) {
    Buffer b;
    b.name = std::move(name);
    b.desc = {type, std::move(shape)};
    b.offsetBytes = offsetBytes;
    plan.buffers.push_back(b);
    return static_cast<BufferId>(plan.buffers.size()) - 1;
  }
  BufferId input(std::string name, std::vector<int64_t> shape,
                 int64_t offsetBytes, bool resident = false,
                 DataType type = DataType::Float32) {
    const BufferId id = buffer(name, std::move(shape), offsetBytes, type);
    plan.buffers[id].resident = resident;
    plan.inputs.push_back({std::move(name), id, ""});
    return id;
  }
  BufferId view(std::string name, std::vector<int64_t> shape, BufferId base) {
    const BufferId id = buffer(std::move(name), std::move(shape),
                               plan.buffers[base].offsetBytes);
    plan.buffers[id].base = base;
    return id;
  }
  void output(std::string name, BufferId id, std::string updates = "") {
    plan.outputs.push_back({std::move(name), id, std::move(updates)});
  }
  Step &step(std::string kernel, std::vector<BufferId> operands,
             std::vector<BufferId> results) {
    Step s;
    s.call.kernel = std::move(kernel);
    s.node = "node" + std::to_string(plan.steps.size());
    for (BufferId id : operands) {
      KernelOperand operand;
      operand.desc = plan.buffers[id].desc;
      s.call.operands.push_back(operand);
    }
    for (BufferId id : results)
      s.call.results.push_back(plan.buffers[id].desc);
    s.operands = std::move(operands);
    s.results = std::move(results);
    plan.steps.push_back(std::move(s));
    return plan.steps.back();
  }
  void viewStep(BufferId from, BufferId to) {
    step("onnx.Reshape", {from}, {to}).isView = true;
  }
  ExecPlan finish() {
    int64_t height = 0;
    for (const Buffer &b : plan.buffers)
      height = std::max(height, b.offsetBytes + b.desc.bytes());
    for (const Step &s : plan.steps)
      height = std::max(height, s.workspaceOffsetBytes + s.workspaceBytes);
    plan.arenaBytes = alignTo(height, plan.alignmentBytes);
    return plan;
  }

  ExecPlan plan;
};

} // namespace lowtide::runtime::test

#endif // LOWTIDE_TEST_UNIT_RUNTIME_PLANHARNESS_H
