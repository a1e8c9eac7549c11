//===- AllocationInterposer.cpp - A malloc family that counts -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Replaces malloc and its kin for the executable and every library it loads:
// adds the size to one counter, then calls the C library's own function under
// its second name. `operator new` arrives here through malloc. Memory that
// somebody maps directly isn't seen.
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
}

static std::atomic<int64_t> totalBytes{0};

static void count(size_t bytes) {
  totalBytes.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
}

extern "C" {

int64_t lowtideAllocatedBytes() {
  return totalBytes.load(std::memory_order_relaxed);
}

void *malloc(size_t bytes) {
  count(bytes);
  return __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes) {
  count(number * bytes);
  return __libc_calloc(number, bytes);
}

void *realloc(void *memory, size_t bytes) {
  count(bytes);
  return __libc_realloc(memory, bytes);
}

void free(void *memory) { __libc_free(memory); }

void *memalign(size_t alignment, size_t bytes) {
  count(bytes);
  return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  count(bytes);
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
    return EINVAL;
  count(bytes);
  void *block = __libc_memalign(alignment, bytes);
  if (!block)
    return ENOMEM;
  *memory = block;
  return 0;
}
}
