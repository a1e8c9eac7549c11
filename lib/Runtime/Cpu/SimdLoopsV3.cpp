//===- SimdLoopsV3.cpp - SimdLoops.inc for x86-64-v3 (AVX2) ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#define LOWTIDE_SIMD_TABLE simdLoopsV3
#include "SimdLoops.inc"
