//===- AllocationCounter.cpp - Who allocates outside the arena ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Runtime/AllocationCounter.h"

/// Defined by AllocationInterposer.cpp where that is linked.
extern "C" __attribute__((weak)) int64_t lowtideAllocatedBytes();

bool lowtide::runtime::countsAllocations() {
  return lowtideAllocatedBytes != nullptr;
}

int64_t lowtide::runtime::allocatedBytes() {
  return lowtideAllocatedBytes ? lowtideAllocatedBytes() : 0;
}
