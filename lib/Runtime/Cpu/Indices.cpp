//===- Indices.cpp - Addresses from index tensors -------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "StridedLoop.h"

using namespace lowtide::runtime;

cpu::ElementAddress::ElementAddress(const std::vector<int64_t> &data,
                                    const std::vector<int64_t> &indices,
                                    int64_t axis)
    : shape(indices), strides(denseStrides(data)), axisSize(data[axis]) {
  axisStride = strides[axis];
  strides[axis] = 0;
  count = productOf(shape, 0, static_cast<int64_t>(shape.size()));
}

std::string cpu::makeTupleAddress(const std::vector<int64_t> &data,
                                  const std::vector<int64_t> &indices,
                                  int64_t batchDims, TupleAddress &address) {
  const auto rank = static_cast<int64_t>(data.size());
  const auto indexRank = static_cast<int64_t>(indices.size());
  if (indexRank == 0 || batchDims < 0 || batchDims >= indexRank)
    return "the indices need a dimension of tuples";
  const int64_t length = indices.back();
  if (batchDims + length > rank)
    return "the tuples are longer than the data's rank";
  for (int64_t d = 0; d < batchDims; ++d)
    if (data[d] != indices[d])
      return "the batch dimensions differ";
  for (int64_t k = 0; k < length; ++k)
    address.sizes.push_back(data[batchDims + k]);
  address.count = productOf(indices, 0, indexRank - 1);
  address.perBatch =
      std::max<int64_t>(1, productOf(indices, batchDims, indexRank - 1));
  address.block = productOf(data, batchDims + length, rank);
  return "";
}
