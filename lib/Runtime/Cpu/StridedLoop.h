//===- StridedLoop.h - Walks a shape with strided operands ------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: broadcasting, transposing, slicing and expanding all visit a dense
// result in order while each operand moves by its own stride per dimension.
//
// Idea: give every operand a stride per dimension (0 where it is repeated),
// drop dimensions of size 1 and merge neighbours that every operand steps
// through evenly; then walk rows of the innermost dimension.
//
//   result [8,16,32,32], x the same, b [16,1,1]
//   dims (8, 16, 1024), strides x (16384, 1024, 1), b (0, 1, 0)
//
// Any range of result elements can be walked, so threads can share it.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_STRIDEDLOOP_H
#define LOWTIDE_LIB_RUNTIME_CPU_STRIDEDLOOP_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace lowtide::runtime::cpu {

/// Strides in elements of a dense row-major tensor.
inline std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Strides of a dense operand repeated to `result` by the rules of
/// broadcasting: aligned at the last dimension.
inline std::vector<int64_t>
broadcastStrides(const std::vector<int64_t> &operand,
                 const std::vector<int64_t> &result) {
  const std::vector<int64_t> dense = denseStrides(operand);
  std::vector<int64_t> strides(result.size(), 0);
  const size_t lead = result.size() - operand.size();
  for (size_t i = 0; i < operand.size(); ++i)
    strides[lead + i] = operand[i] == 1 ? 0 : dense[i];
  return strides;
}

/// Whether `operand` can be repeated to `result`.
inline bool broadcastsTo(const std::vector<int64_t> &operand,
                         const std::vector<int64_t> &result) {
  if (operand.size() > result.size())
    return false;
  const size_t lead = result.size() - operand.size();
  for (size_t i = 0; i < operand.size(); ++i)
    if (operand[i] != 1 && operand[i] != result[lead + i])
      return false;
  return true;
}

template <size_t numOperands>
class StridedLoop {
public:
  static constexpr size_t maxRank = 16;
  using Offsets = std::array<int64_t, numOperands>;

  /// `base` is each operand's first offset in elements.
  StridedLoop(const std::vector<int64_t> &shape,
              const std::array<std::vector<int64_t>, numOperands> &strides,
              Offsets base = {})
      : base(base) {
    for (size_t d = 0; d < shape.size(); ++d) {
      count *= shape[d];
      if (shape[d] == 1)
        continue;
      bool merges = rank > 0;
      for (size_t k = 0; merges && k < numOperands; ++k)
        merges = step[k][rank - 1] == strides[k][d] * shape[d];
      if (!merges && rank == maxRank) {
        valid = false;
        return;
      }
      if (!merges)
        dims[rank++] = 1;
      dims[rank - 1] *= shape[d];
      for (size_t k = 0; k < numOperands; ++k)
        step[k][rank - 1] = strides[k][d];
    }
    if (rank == 0) {
      rank = 1;
      dims[0] = 1;
    }
  }

  bool isValid() const { return valid; }
  int64_t numElements() const { return count; }
  int64_t rowLength() const { return dims[rank - 1]; }
  int64_t rowStride(size_t k) const { return step[k][rank - 1]; }

  /// Calls `row(result offset, operand offsets, length)` for the elements
  /// [begin, end) of the result.
  template <typename Row>
  void walk(int64_t begin, int64_t end, const Row &row) const {
    if (begin >= end)
      return;
    std::array<int64_t, maxRank> index{};
    Offsets offsets = base;
    int64_t rest = begin;
    for (int d = rank - 1; d >= 0; --d) {
      index[d] = rest % dims[d];
      rest /= dims[d];
      for (size_t k = 0; k < numOperands; ++k)
        offsets[k] += index[d] * step[k][d];
    }
    while (begin < end) {
      const int64_t length =
          std::min(end - begin, dims[rank - 1] - index[rank - 1]);
      row(begin, offsets, length);
      begin += length;
      advance(index, offsets, length);
    }
  }

private:
  void advance(std::array<int64_t, maxRank> &index, Offsets &offsets,
               int64_t length) const {
    index[rank - 1] += length;
    for (size_t k = 0; k < numOperands; ++k)
      offsets[k] += length * step[k][rank - 1];
    for (int d = rank - 1; d > 0 && index[d] == dims[d]; --d) {
      index[d] = 0;
      ++index[d - 1];
      for (size_t k = 0; k < numOperands; ++k)
        offsets[k] += step[k][d - 1] - dims[d] * step[k][d];
    }
  }

  int rank = 0;
  bool valid = true;
  int64_t count = 1;
  std::array<int64_t, maxRank> dims{};
  std::array<std::array<int64_t, maxRank>, numOperands> step{};
  Offsets base;
};

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_STRIDEDLOOP_H
