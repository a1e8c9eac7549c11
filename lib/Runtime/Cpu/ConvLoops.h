//===- ConvLoops.h - The three plain convolution loops ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Weights are [yChannels, xChannels / group, kernel…] in all three:
//
//   correlate   y  = x * w (+ bias)   convolution
//   scatter     x  = y spread by w    its input gradient, ConvTranspose
//   correlateWeights  dw = x · dy     its weight gradient
//
// All inner loops run along rows of y. Threads share disjoint results, and the
// order of every sum is fixed.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_CONVLOOPS_H
#define LOWTIDE_LIB_RUNTIME_CPU_CONVLOOPS_H

#include "Window.h"

namespace lowtide::runtime::cpu {

template <typename T>
void correlate(const Window &w, int threads, const T *x, const T *weights,
               const T *bias, T *y);
template <typename T>
void scatter(const Window &w, int threads, const T *y, const T *weights,
             const T *bias, T *x);
template <typename T>
void correlateWeights(const Window &w, int threads, const T *y, const T *x,
                      T *weights);

extern template void correlate(const Window &, int, const float *,
                               const float *, const float *, float *);
extern template void correlate(const Window &, int, const double *,
                               const double *, const double *, double *);
extern template void scatter(const Window &, int, const float *, const float *,
                             const float *, float *);
extern template void scatter(const Window &, int, const double *,
                             const double *, const double *, double *);
extern template void correlateWeights(const Window &, int, const float *,
                                      const float *, float *);
extern template void correlateWeights(const Window &, int, const double *,
                                      const double *, double *);

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_CONVLOOPS_H
