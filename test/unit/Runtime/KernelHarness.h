//===- KernelHarness.h - Runs one kernel on small tensors -------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
//   Call add{"onnx.Add", {floats({2}, {1, 2}), floats({1}, {10})},
//            {{DataType::Float32, {2}}}};
//   CHECK(run(add).values() == std::vector<double>{11, 12});
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TEST_UNIT_RUNTIME_KERNELHARNESS_H
#define LOWTIDE_TEST_UNIT_RUNTIME_KERNELHARNESS_H

#include "lowtide/Runtime/Backend.h"

#include <optional>

namespace lowtide::runtime::test {

struct Tensor {
  TensorDesc desc;
  std::vector<std::byte> bytes;

  std::vector<double> values() const;
  void set(int64_t i, double value);
  bool operator==(const Tensor &) const = default;
};

using Shape = std::vector<int64_t>;

Tensor tensor(DataType type, Shape shape, const std::vector<double> &values);
Tensor floats(Shape shape, const std::vector<double> &values);
Tensor doubles(Shape shape, const std::vector<double> &values);
Tensor ints(Shape shape, const std::vector<double> &values);
Tensor bools(Shape shape, const std::vector<double> &values);
/// Multiples of 1/64 in [-2, 2): the same for the same seed.
Tensor noise(DataType type, Shape shape, unsigned seed);
/// Integers in [0, limit).
Tensor indices(Shape shape, int64_t limit, unsigned seed);

struct Call {
  std::string kernel;
  std::vector<std::optional<Tensor>> operands;
  std::vector<std::optional<TensorDesc>> results;
  std::map<std::string, AttrValue> attributes = {};

  KernelCall kernelCall() const;
};

struct Outcome {
  std::string error;           ///< Of the check or of the run.
  std::vector<Tensor> results; ///< Empty ones where absent.
  KernelNeeds needs;

  std::vector<double> values(size_t result = 0) const {
    return results.at(result).values();
  }
};

/// With `donation`, that result is written over its operand. Every buffer ends
/// at an inaccessible page and starts with a pattern.
Outcome run(const Call &call, const BackendOptions &options = {2, true},
            std::optional<Donation> donation = std::nullopt);

} // namespace lowtide::runtime::test

#endif // LOWTIDE_TEST_UNIT_RUNTIME_KERNELHARNESS_H
