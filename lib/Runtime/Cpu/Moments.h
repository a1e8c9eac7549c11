//===- Moments.h - Mean and variance in double ------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Two passes over the data: the mean, then the squares around it, so that a
// large mean costs no digits. Eight interleaved lanes, in an order that depends
// on the size only.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_MOMENTS_H
#define LOWTIDE_LIB_RUNTIME_CPU_MOMENTS_H

#include <cstdint>

namespace lowtide::runtime::cpu {

struct Moments {
  double mean = 0;
  double variance = 0; ///< Biased: divided by the number of elements.
};

/// Σ f(i), f giving doubles.
template <typename F>
double sumOf(int64_t n, const F &f) {
  double lanes[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; ++l)
      lanes[l] += f(i + l);
  for (; i < n; ++i)
    lanes[i & 7] += f(i);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

template <typename T>
Moments momentsOf(const T *x, int64_t n) {
  Moments m;
  const double count = static_cast<double>(n);
  m.mean =
      sumOf(n, [x](int64_t i) { return static_cast<double>(x[i]); }) / count;
  m.variance = sumOf(n,
                     [x, mean = m.mean](int64_t i) {
                       const double d = static_cast<double>(x[i]) - mean;
                       return d * d;
                     }) /
               count;
  return m;
}

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_MOMENTS_H
