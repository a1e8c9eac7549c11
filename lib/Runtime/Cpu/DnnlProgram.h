//===- DnnlProgram.h - oneDNN primitives on planned memory ------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A program is a few oneDNN primitives in a row: reorders into the layout that
// the main primitive likes, the primitive, reorders back. All memory comes from
// the caller: operands, results, and one workspace that holds scratchpads and
// reordered copies. It is built in two steps, since descriptors (which tell
// sizes) are cheap and code generation isn't:
//
//   DnnlBuilder b(threads);            at plan time
//   auto src = b.operand(0, plainDesc), blocked = b.reordered(src, wanted);
//   b.add(primitiveDesc, {{DNNL_ARG_SRC, blocked}, …});
//   b.workspaceBytes();
//   RunKernel run = b.compile();       before the first step
//
// oneDNN reports errors by exceptions; none leaves these functions.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_DNNLPROGRAM_H
#define LOWTIDE_LIB_RUNTIME_CPU_DNNLPROGRAM_H

#include "KernelTable.h"

#include <dnnl.hpp>

#include <functional>
#include <vector>

namespace lowtide::runtime::cpu {

/// Where a memory's bytes are.
struct DnnlPlace {
  enum Kind { Operand, Result, Workspace } kind;
  int64_t index; ///< Operand or result number, or offset in the workspace.
  dnnl::memory::desc desc;
};

class DnnlBuilder {
public:
  explicit DnnlBuilder(const CpuContext &cpu);

  static dnnl::engine &engine();
  /// Scratchpads come from us.
  static dnnl::primitive_attr attributes();
  static dnnl::memory::desc plain(const std::vector<int64_t> &shape);
  static dnnl::memory::desc any(const std::vector<int64_t> &shape);

  DnnlPlace operand(int64_t i, const dnnl::memory::desc &desc) const {
    return {DnnlPlace::Operand, i, desc};
  }
  DnnlPlace result(int64_t i, const dnnl::memory::desc &desc) const {
    return {DnnlPlace::Result, i, desc};
  }
  DnnlPlace temporary(const dnnl::memory::desc &desc);
  /// `from` itself when it has the layout, else a copy made by a reorder.
  DnnlPlace reordered(const DnnlPlace &from, const dnnl::memory::desc &wanted);
  /// Copies back when the layouts differ.
  void copyTo(const DnnlPlace &from, const DnnlPlace &to);

  using Arguments = std::vector<std::pair<int, DnnlPlace>>;
  template <typename Desc>
  void add(const Desc &desc, Arguments arguments) {
    addStage([desc] { return dnnl::primitive(desc.get()); },
             desc.scratchpad_desc(), std::move(arguments));
  }

  int64_t workspaceBytes() const { return offsetBytes + scratchBytes; }
  /// Generates the code. An empty function when oneDNN fails.
  RunKernel compile() const;

private:
  struct Stage {
    std::function<dnnl::primitive()> make;
    dnnl::memory::desc scratchpad;
    Arguments arguments;
  };
  void addStage(std::function<dnnl::primitive()> make,
                const dnnl::memory::desc &scratchpad, Arguments arguments);

  CpuContext cpu;
  std::vector<Stage> stages;
  int64_t offsetBytes = 0;  ///< Copies, one after the other.
  int64_t scratchBytes = 0; ///< Behind them, shared by all stages.
};

/// Runs `fill` on a builder and turns its program into a build; refuses with
/// oneDNN's words when it throws.
KernelBuild buildDnnl(const CpuContext &cpu,
                      const std::function<void(DnnlBuilder &)> &fill);

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_DNNLPROGRAM_H
