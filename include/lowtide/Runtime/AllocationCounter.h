//===- AllocationCounter.h - Who allocates outside the arena ----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// An executable that links the object library LowtideAllocationCounter has its
// malloc family replaced by one that counts and then does what the C library
// does. The executor reads the counter around every step. Without the object
// library (and under sanitizers, which have their own malloc) there is no
// count.
//
// Tested by test/unit/Runtime/ExecutorTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RUNTIME_ALLOCATIONCOUNTER_H
#define LOWTIDE_RUNTIME_ALLOCATIONCOUNTER_H

#include <cstdint>

namespace lowtide::runtime {

/// Whether this executable counts.
bool countsAllocations();

/// Bytes asked of malloc, calloc, realloc, new and their kin by any thread
/// since the process began; 0 where nobody counts.
int64_t allocatedBytes();

} // namespace lowtide::runtime

#endif // LOWTIDE_RUNTIME_ALLOCATIONCOUNTER_H
