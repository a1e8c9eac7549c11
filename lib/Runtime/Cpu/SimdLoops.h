//===- SimdLoops.h - Loops compiled for several instruction sets *- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Float32 loops over functions that the C library would compute one element at
// a time. The source, SimdLoops.inc, is compiled once per instruction set; the
// best table that this processor runs is chosen once. Operations and their
// order are written out and not fused, so all tables give the same bits.
//
// Errors against the exact values, in units of 1e-7 relative to the result
// (exp, sigmoid) or absolute (tanh, erf): about 2.
//
// Tested by test/unit/Runtime/ElementwiseTest.cpp, against the plain loops.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_SIMDLOOPS_H
#define LOWTIDE_LIB_RUNTIME_CPU_SIMDLOOPS_H

#include <cstdint>

namespace lowtide::runtime::cpu {

struct SimdLoops {
  using Unary = void (*)(const float *x, float *y, int64_t n);
  using Gradient = void (*)(const float *dy, const float *v, float *dx,
                            int64_t n);
  Unary exp, tanh, erf, sigmoid, gelu, geluTanh;
  Gradient erfGrad, geluGrad, geluTanhGrad;
  /// Maximum of a row of at least one element.
  float (*maximum)(const float *x, int64_t n);
  /// y = exp(x - shift), returns the sum; y may be null or x.
  double (*expSum)(const float *x, float shift, float *y, int64_t n);
  /// y = x * factor.
  void (*scale)(const float *x, float factor, float *y, int64_t n);
  /// The kept elements of x times `factor`; see lowtide/Runtime/Philox.h. The
  /// range begins at block `block`, the rest of the counter is `counter` with
  /// word 0 ignored. Blocks must not cross a multiple of 2^32.
  void (*dropout)(const float *x, float *y, int64_t n, float factor,
                  uint64_t threshold, uint32_t block, const uint32_t *counter,
                  const uint32_t *key);
};

const SimdLoops &simdLoops();

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_SIMDLOOPS_H
