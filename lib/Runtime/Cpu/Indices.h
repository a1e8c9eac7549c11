//===- Indices.h - Addresses from index tensors -----------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Shared by gathering, scattering and their gradients: negative indices,
// range checks, and the addresses of elements along an axis or at a tuple.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_INDICES_H
#define LOWTIDE_LIB_RUNTIME_CPU_INDICES_H

#include "ElementTypes.h"

namespace lowtide::runtime::cpu {

inline int64_t wrapIndex(int64_t index, int64_t size) {
  return index < 0 ? index + size : index;
}

inline std::string indexError(int64_t index, int64_t position, int64_t size) {
  return "index " + std::to_string(index) + " at element " +
         std::to_string(position) + " is out of range for an axis of " +
         std::to_string(size);
}

template <typename I>
std::string checkIndices(const I *indices, int64_t count, int64_t size) {
  for (int64_t i = 0; i < count; ++i)
    if (indices[i] < -size || indices[i] >= size)
      return indexError(indices[i], i, size);
  return "";
}

/// For GatherElements and ScatterElements: element i of the index tensor names
/// the data element with the same coordinates, except along the axis.
struct ElementAddress {
  ElementAddress(const std::vector<int64_t> &data,
                 const std::vector<int64_t> &indices, int64_t axis);

  /// Offset in the data for element `i` with (wrapped) index `index`.
  int64_t of(int64_t i, int64_t index) const {
    int64_t offset = index * axisStride;
    for (size_t d = shape.size(); d-- > 0;) {
      offset += i % shape[d] * strides[d];
      i /= shape[d];
    }
    return offset;
  }

  std::vector<int64_t> shape;   ///< Of the indices.
  std::vector<int64_t> strides; ///< Of the data, 0 along the axis.
  int64_t axisStride = 1;
  int64_t axisSize = 0;
  int64_t count = 1;
};

/// For GatherND and ScatterND: the last dimension of the indices holds tuples,
/// each the place of a block of the data.
struct TupleAddress {
  template <typename I>
  std::string check(const I *indices) const {
    for (int64_t i = 0; i < count * length(); ++i)
      if (const int64_t size = sizes[i % length()];
          indices[i] < -size || indices[i] >= size)
        return indexError(indices[i], i, size);
    return "";
  }
  template <typename I>
  int64_t blockOf(const I *indices, int64_t i) const {
    int64_t place = i / perBatch;
    for (int64_t k = 0; k < length(); ++k)
      place = place * sizes[k] + wrapIndex(indices[i * length() + k], sizes[k]);
    return place;
  }
  int64_t length() const { return static_cast<int64_t>(sizes.size()); }

  std::vector<int64_t> sizes; ///< Of the indexed dimensions.
  int64_t count = 0;          ///< Tuples.
  int64_t perBatch = 1;       ///< Tuples per index of the batch dimensions.
  int64_t block = 1;          ///< Elements behind the indexed dimensions.
};

std::string makeTupleAddress(const std::vector<int64_t> &data,
                             const std::vector<int64_t> &indices,
                             int64_t batchDims, TupleAddress &address);

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_INDICES_H
