//===- ArenaTest.cpp - Guards, canaries and the highest byte --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Runtime/Arena.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace lowtide::runtime;

TEST_CASE("guarded memory is aligned and ends at its guard") {
  for (int64_t bytes : {1, 64, 4096, 5000, 1 << 20}) {
    auto *memory = static_cast<std::byte *>(reserveGuarded(bytes));
    REQUIRE(memory);
    const auto address = reinterpret_cast<uintptr_t>(memory);
    CHECK(address % 64 == 0);
    CHECK((address + (bytes + 63) / 64 * 64) % 4096 == 0);
    std::memset(memory, 1, static_cast<size_t>(bytes));
    releaseGuarded(memory, bytes);
  }
}

TEST_CASE("the arena notes the highest byte it gave away") {
  auto backend = createCpuBackend({});
  Arena arena(*backend, 1024, false);
  REQUIRE(arena.isValid());
  CHECK(arena.touchedBytes() == 0);
  arena.touch(128, 4);
  CHECK(arena.touchedBytes() == 192);
  arena.touch(0, 64);
  arena.touch(512, 0);
  CHECK(arena.touchedBytes() == 192);
  arena.forgetTouched();
  CHECK(arena.touchedBytes() == 0);
}

TEST_CASE("dead bytes lose their value") {
  auto backend = createCpuBackend({});
  Arena arena(*backend, 256, true);
  arena.closeAll();
  arena.open(64, 8);
  std::memset(arena.at(64), 7, 8);
  CHECK(*arena.at(64) == std::byte{7});
  CHECK(arena.close(64, 8));
  arena.open(64, 8);
  CHECK(*arena.at(64) != std::byte{7});
}

#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
TEST_CASE("a write past a block's end is found") {
  auto backend = createCpuBackend({});
  Arena arena(*backend, 256, true);
  arena.closeAll();
  arena.open(64, 8);
  std::memset(arena.at(64), 7, 9);
  CHECK_FALSE(arena.close(64, 8));
}
#endif
