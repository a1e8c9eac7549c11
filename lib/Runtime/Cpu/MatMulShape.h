//===- MatMulShape.h - Sizes and strides of a matrix product ----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every form of MatMul and Gemm is a batch of products [m, k] x [k, n] whose
// operands are strided. Batches that share b become one tall product.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_MATMULSHAPE_H
#define LOWTIDE_LIB_RUNTIME_CPU_MATMULSHAPE_H

#include "ElementTypes.h"

namespace lowtide::runtime::cpu {

struct MatMulShape {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  int64_t aRow = 1, aColumn = 1; ///< Of element (i, k) of a.
  int64_t bRow = 1, bColumn = 1; ///< Of element (k, j) of b.
  /// First element of each product's matrices.
  std::vector<int64_t> aOffsets, bOffsets;
};

/// Return what is wrong, or an empty string.
std::string readMatMul(const KernelCall &call, MatMulShape &shape);
std::string readGemm(const KernelCall &call, MatMulShape &shape);

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_MATMULSHAPE_H
