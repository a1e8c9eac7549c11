//===- Arena.cpp - The one reservation a plan executes in -----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Runtime/Arena.h"
#include "lowtide/Support/Bytes.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOWTIDE_ASAN 1
#include <sanitizer/asan_interface.h>
#endif
#endif

using namespace lowtide;
using namespace lowtide::runtime;

/// What dead bytes and canaries hold: a huge negative float32, a NaN-free
/// pattern that never occurs in healthy data.
static constexpr int deadByte = 0xCB;

static void poison(const void *begin, int64_t bytes) {
#ifdef LOWTIDE_ASAN
  ASAN_POISON_MEMORY_REGION(begin, static_cast<size_t>(bytes));
#endif
}

static void unpoison(const void *begin, int64_t bytes) {
#ifdef LOWTIDE_ASAN
  ASAN_UNPOISON_MEMORY_REGION(begin, static_cast<size_t>(bytes));
#endif
}

Arena::Arena(Backend &backend, int64_t bytes, bool checkMemory)
    : backend(backend), sizeBytes(bytes),
      checked(checkMemory && backend.isHostMemory()) {
  if (sizeBytes > 0)
    memory = static_cast<std::byte *>(backend.allocate(sizeBytes));
}

Arena::~Arena() {
  if (!memory)
    return;
  if (checked)
    unpoison(memory, sizeBytes);
  backend.deallocate(memory, sizeBytes);
}

int64_t Arena::touchedBytes() const {
  return alignTo(highestBytes, backend.alignment());
}

int64_t Arena::paddedEnd(int64_t offsetBytes, int64_t bytes) const {
  return std::min(sizeBytes, alignTo(offsetBytes + bytes, backend.alignment()));
}

void Arena::open(int64_t offsetBytes, int64_t bytes) {
  if (!checked || bytes == 0)
    return;
  const int64_t end = paddedEnd(offsetBytes, bytes);
  unpoison(at(offsetBytes), end - offsetBytes);
  std::memset(at(offsetBytes + bytes), deadByte,
              static_cast<size_t>(end - offsetBytes - bytes));
  poison(at(offsetBytes + bytes), end - offsetBytes - bytes);
}

bool Arena::close(int64_t offsetBytes, int64_t bytes) {
  if (!checked || bytes == 0)
    return true;
  const int64_t end = paddedEnd(offsetBytes, bytes);
  unpoison(at(offsetBytes), end - offsetBytes);
  const bool intact =
      std::all_of(at(offsetBytes + bytes), at(end),
                  [](std::byte b) { return b == std::byte{deadByte}; });
  std::memset(at(offsetBytes), deadByte,
              static_cast<size_t>(end - offsetBytes));
  poison(at(offsetBytes), end - offsetBytes);
  return intact;
}

void Arena::closeAll() {
  if (!checked || sizeBytes == 0)
    return;
  unpoison(memory, sizeBytes);
  std::memset(memory, deadByte, static_cast<size_t>(sizeBytes));
  poison(memory, sizeBytes);
}

//===----------------------------------------------------------------------===//
// Guarded memory
//===----------------------------------------------------------------------===//

static int64_t pageBytes() { return sysconf(_SC_PAGESIZE); }

void *lowtide::runtime::reserveGuarded(int64_t bytes) {
  const int64_t page = pageBytes();
  const int64_t inner = alignTo(bytes, page);
  void *map = mmap(nullptr, static_cast<size_t>(inner + 2 * page), PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    return nullptr;
  std::byte *first = static_cast<std::byte *>(map) + page;
  if (inner > 0 && mprotect(first, static_cast<size_t>(inner),
                            PROT_READ | PROT_WRITE) != 0) {
    munmap(map, static_cast<size_t>(inner + 2 * page));
    return nullptr;
  }
  // Large pages save most of the address translation; a refusal is harmless.
  madvise(first, static_cast<size_t>(inner), MADV_HUGEPAGE);
  return first + (inner - alignTo(bytes, 64));
}

void lowtide::runtime::releaseGuarded(void *memory, int64_t bytes) {
  const int64_t page = pageBytes();
  const int64_t inner = alignTo(bytes, page);
  std::byte *first =
      static_cast<std::byte *>(memory) - (inner - alignTo(bytes, 64));
  munmap(first - page, static_cast<size_t>(inner + 2 * page));
}
