//===- SimdLoopsV4.cpp - SimdLoops.inc for x86-64-v4 (AVX-512) ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#define LOWTIDE_SIMD_TABLE simdLoopsV4
#include "SimdLoops.inc"
