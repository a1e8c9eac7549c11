//===- ExecPlan.h - A planned step, flat and free of any IR -----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The form that is executed: buffers with addresses in one arena, and steps
// that call kernels on them, in order. A view is a buffer at its base's
// address; an update in place is a result buffer at its operand's address.
//
// `verify` re-checks every plan before it runs: addresses aligned and inside
// the arena, buffers that are live at the same time don't overlap unless one is
// a view of or a donation from the other, workspaces overlap nothing live,
// every read buffer was written before.
//
// Tested by test/unit/Runtime/ExecPlanTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RUNTIME_EXECPLAN_H
#define LOWTIDE_RUNTIME_EXECPLAN_H

#include "lowtide/Runtime/KernelCall.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::runtime {

/// What a buffer is for; the classes of the memory report.
enum class BufferClass : uint8_t {
  Parameter,
  Gradient,
  OptimizerState,
  Statistic, ///< Running statistics of normalisation layers.
  Input,     ///< Model inputs, target, seed and step counters.
  Constant,
  Activation, ///< Forward values and adjoints that are no parameter's gradient.
  Workspace,
};
std::string_view toString(BufferClass cls);

using BufferId = int32_t;
inline constexpr BufferId noBuffer = -1;

struct Buffer {
  std::string name; ///< The value's name in the step file.
  TensorDesc desc;
  BufferClass cls = BufferClass::Activation;
  int64_t offsetBytes = 0;
  /// Resident buffers are live through the whole step.
  bool resident = false;
  /// The buffer shares the bytes of this one (view), else `noBuffer`.
  BufferId base = noBuffer;
  /// Initial bytes of a constant.
  ConstantData constant;
};

enum class Phase : uint8_t { Forward, Backward, Update };
std::string_view toString(Phase phase);

struct Step {
  KernelCall call;
  std::string node;               ///< For messages and reports.
  std::vector<BufferId> operands; ///< `noBuffer` where absent or host-only.
  std::vector<BufferId> results;  ///< `noBuffer` where absent.
  /// Views run no kernel: their result is at their operand's address.
  bool isView = false;
  int64_t workspaceOffsetBytes = 0;
  int64_t workspaceBytes = 0;
  /// Index of the step that this one recomputes, or -1.
  int32_t recomputeOf = -1;
  Phase phase = Phase::Forward;
  double costSeconds = 0;
};

/// A named value that crosses the step's boundary.
struct Port {
  std::string name;
  BufferId buffer = noBuffer;
  /// For an output that replaces an input from step to step (`w.new` → `w`):
  /// that input's name. It has the same buffer or is copied after the step.
  std::string updates;
};

struct ExecPlan {
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::string device;
  int64_t alignmentBytes = 64;
  /// Height of the arena: the highest byte that the plan uses, rounded up to
  /// the alignment.
  int64_t arenaBytes = 0;
  /// Threads that workspaces were sized for.
  int threads = 1;
};

/// Half-open interval of step indices [begin, end) in which a buffer's bytes
/// hold a value somebody still needs. Views extend their base's life. Outputs
/// and resident buffers live to the end.
struct Lifetime {
  int32_t begin = 0;
  int32_t end = 0;
};
/// One lifetime per buffer.
std::vector<Lifetime> computeLifetimes(const ExecPlan &plan);

/// An empty string when the plan is sound, else what is wrong and where.
std::string verify(const ExecPlan &plan);

} // namespace lowtide::runtime

#endif // LOWTIDE_RUNTIME_EXECPLAN_H
