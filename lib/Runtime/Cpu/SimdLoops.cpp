//===- SimdLoops.cpp - Picks the instruction set --------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "SimdLoops.h"

using namespace lowtide::runtime::cpu;

namespace lowtide::runtime::cpu {
extern const SimdLoops simdLoopsBase;
#ifdef __x86_64__
extern const SimdLoops simdLoopsV3;
extern const SimdLoops simdLoopsV4;
#endif
} // namespace lowtide::runtime::cpu

static const SimdLoops &choose() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return simdLoopsV4;
  if (__builtin_cpu_supports("x86-64-v3"))
    return simdLoopsV3;
#endif
  return simdLoopsBase;
}

const SimdLoops &lowtide::runtime::cpu::simdLoops() {
  static const SimdLoops &chosen = choose();
  return chosen;
}
