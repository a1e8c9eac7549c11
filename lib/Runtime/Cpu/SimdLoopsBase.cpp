//===- SimdLoopsBase.cpp - SimdLoops.inc for any processor ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#define LOWTIDE_SIMD_TABLE simdLoopsBase
#include "SimdLoops.inc"
