//===- JoinKernels.cpp - Concat and Split ---------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Both copy blocks: for each index in front of the axis, one run of bytes per
// part.
//
// Tested by test/unit/Runtime/ShapeTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"

#include <cstring>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {
/// How one part lies in the whole.
struct PartLayout {
  size_t index;
  int64_t offsetBytes; ///< In each of the whole's blocks.
  int64_t blockBytes;
};
struct JoinLayout {
  std::vector<PartLayout> parts;
  int64_t blocks = 1;
  int64_t wholeBytes = 0; ///< Of one block.
  int threads = 1;
};
} // namespace

static std::string layOut(const std::vector<TensorDesc> &parts,
                          const TensorDesc &whole, int64_t axis,
                          JoinLayout &layout) {
  axis = normalizeAxis(axis, whole.rank());
  if (axis < 0)
    return "the axis is out of range";
  layout.blocks = productOf(whole.shape, 0, axis);
  const int64_t inner =
      productOf(whole.shape, axis + 1, whole.rank()) * sizeInBytes(whole.type);
  int64_t position = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].rank() != whole.rank())
      return "the parts differ in rank";
    const int64_t size = parts[i].shape[axis];
    layout.parts.push_back({i, position * inner, size * inner});
    position += size;
  }
  if (position != whole.shape[axis])
    return "the parts don't add up to the whole";
  layout.wholeBytes = position * inner;
  return "";
}

static KernelBuild makeConcat(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, call.operands.size()); !why.empty())
    return refuse(why);
  std::vector<TensorDesc> parts;
  for (const auto &operand : call.operands)
    parts.push_back(operand->desc);
  JoinLayout layout;
  layout.threads = cpu.threads;
  if (std::string why =
          layOut(parts, call.result(0), call.intAttr("axis", 0), layout);
      !why.empty())
    return refuse(why);
  KernelBuild build;
  build.run = [layout](const KernelBuffers &buffers) -> std::string {
    std::byte *whole = out<std::byte>(buffers);
    for (const PartLayout &part : layout.parts) {
      const std::byte *from = in<std::byte>(buffers, part.index);
      const int64_t grain = 1 + 65536 / (part.blockBytes + 1);
      parallelFor(layout.threads, layout.blocks, grain,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t b = begin; b < end; ++b)
                      std::memcpy(whole + b * layout.wholeBytes +
                                      part.offsetBytes,
                                  from + b * part.blockBytes,
                                  static_cast<size_t>(part.blockBytes));
                  });
    }
    return "";
  };
  return build;
}

static KernelBuild makeSplit(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1, 0); !why.empty())
    return refuse(why);
  std::vector<TensorDesc> parts;
  for (size_t i = 0; i < call.results.size(); ++i) {
    if (!call.hasResult(i))
      return refuse("every part must be there");
    parts.push_back(call.result(i));
  }
  JoinLayout layout;
  layout.threads = cpu.threads;
  if (std::string why =
          layOut(parts, call.operand(0), call.intAttr("axis", 0), layout);
      !why.empty())
    return refuse(why);
  KernelBuild build;
  if (call.hasOperand(1))
    build.needs.hostOperands.push_back(1);
  build.run = [layout](const KernelBuffers &buffers) -> std::string {
    const std::byte *whole = in<std::byte>(buffers, 0);
    for (const PartLayout &part : layout.parts) {
      std::byte *to = out<std::byte>(buffers, part.index);
      const int64_t grain = 1 + 65536 / (part.blockBytes + 1);
      parallelFor(layout.threads, layout.blocks, grain,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t b = begin; b < end; ++b)
                      std::memcpy(to + b * part.blockBytes,
                                  whole + b * layout.wholeBytes +
                                      part.offsetBytes,
                                  static_cast<size_t>(part.blockBytes));
                  });
    }
    return "";
  };
  return build;
}

void cpu::addJoinKernels(KernelTable &table) {
  table.add("onnx.Concat", makeConcat);
  table.add("onnx.Split", makeSplit);
}
