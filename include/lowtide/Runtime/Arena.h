//===- Arena.h - The one reservation a plan executes in ---------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// All buffers and workspaces of a plan lie in one block of device memory that
// is reserved before the first step. The arena also keeps the books: the
// highest byte that was ever handed to a kernel, and, when checking is on,
// which bytes hold a value.
//
// Checking (host memory only): bytes outside of live blocks are filled with a
// pattern; a block's padding up to the alignment is a canary that is looked at
// when the block is released. Under AddressSanitizer dead bytes are poisoned
// as well, so that instrumented code faults at the very access.
//
// Tested by test/unit/Runtime/ArenaTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RUNTIME_ARENA_H
#define LOWTIDE_RUNTIME_ARENA_H

#include "lowtide/Runtime/Backend.h"

#include <cstddef>
#include <cstdint>

namespace lowtide::runtime {

class Arena {
public:
  Arena(Backend &backend, int64_t bytes, bool checkMemory);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// False when the reservation failed; nothing else may be called then.
  bool isValid() const { return memory != nullptr || sizeBytes == 0; }
  bool isChecked() const { return checked; }
  int64_t bytes() const { return sizeBytes; }
  std::byte *at(int64_t offsetBytes) const { return memory + offsetBytes; }

  /// Notes that a kernel or a copy gets [offset, offset + bytes).
  void touch(int64_t offsetBytes, int64_t bytes) {
    if (bytes > 0 && offsetBytes + bytes > highestBytes)
      highestBytes = offsetBytes + bytes;
  }
  /// End of the highest block touched since `forgetTouched`, aligned up.
  int64_t touchedBytes() const;
  void forgetTouched() { highestBytes = 0; }

  /// Checking only; no effect otherwise. A block becomes usable, or dead.
  void open(int64_t offsetBytes, int64_t bytes);
  /// False when something wrote past the block's end.
  bool close(int64_t offsetBytes, int64_t bytes);
  /// Every byte dead.
  void closeAll();

private:
  int64_t paddedEnd(int64_t offsetBytes, int64_t bytes) const;

  Backend &backend;
  int64_t sizeBytes;
  std::byte *memory = nullptr;
  int64_t highestBytes = 0;
  bool checked;
};

/// Memory between two inaccessible pages, its end exactly at the second one
/// when `bytes` is a multiple of 64: a read or a write past it faults at once.
/// Null when the system has no such memory.
void *reserveGuarded(int64_t bytes);
void releaseGuarded(void *memory, int64_t bytes);

} // namespace lowtide::runtime

#endif // LOWTIDE_RUNTIME_ARENA_H
