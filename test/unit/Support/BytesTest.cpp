//===- BytesTest.cpp - Byte counts in and out -----------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Support/Bytes.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace lowtide;

TEST_CASE("byte counts are read with binary and decimal units") {
  CHECK(parseBytes("1048576") == 1048576);
  CHECK(parseBytes("512KiB") == 512 * 1024);
  CHECK(parseBytes("2GiB") == int64_t(2) << 30);
  CHECK(parseBytes("1.5 GiB") == int64_t(3) << 29);
  CHECK(parseBytes("300MB") == 300000000);
  CHECK(parseBytes("0") == 0);
  CHECK(parseBytes("9223372036854775807") ==
        std::numeric_limits<int64_t>::max());
}

TEST_CASE("text that is no byte count is refused") {
  for (const char *text : {"", "-1", "GiB", "1 XB", "1e9", "50%", "1.2.3", ".",
                           "9223372036854775808", "9000000TiB", "0x10"})
    CHECK_FALSE(parseBytes(text));
}

TEST_CASE("byte counts are printed with one decimal") {
  CHECK(formatBytes(0) == "0 B");
  CHECK(formatBytes(1023) == "1023 B");
  CHECK(formatBytes(1024) == "1.0 KiB");
  CHECK(formatBytes(989855744) == "944.0 MiB");
  CHECK(formatBytes(int64_t(3) << 29) == "1.5 GiB");
}

TEST_CASE("checked arithmetic says when a result doesn't fit") {
  const int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(checkedAdd(most - 1, 1) == most);
  CHECK_FALSE(checkedAdd(most, 1));
  CHECK(checkedMultiply(3, 4) == 12);
  CHECK_FALSE(checkedMultiply(most / 2, 3));
}

TEST_CASE("alignment rounds up") {
  CHECK(alignTo(0, 64) == 0);
  CHECK(alignTo(1, 64) == 64);
  CHECK(alignTo(64, 64) == 64);
}
