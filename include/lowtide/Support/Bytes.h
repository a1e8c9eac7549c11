//===- Bytes.h - Byte counts as people write them ---------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Sizes are `int64_t` bytes everywhere. This header reads and prints them, and
// does the arithmetic that input files could make overflow.
//
// Tested by test/unit/Support/BytesTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SUPPORT_BYTES_H
#define LOWTIDE_SUPPORT_BYTES_H

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide {

/// Reads "1048576", "512KiB", "2GiB", "1.5 GiB", "300MB" (powers of 1000 for
/// KB, MB, GB; of 1024 for KiB, MiB, GiB, TiB). Nothing for a negative, an
/// empty, an unknown unit or a value past 2^63 - 1.
std::optional<int64_t> parseBytes(std::string_view text);

/// "944.2 MiB": one decimal, the largest binary unit that leaves at least 1.
std::string formatBytes(int64_t bytes);

/// `bytes` rounded up to a multiple of `alignment` (> 0).
constexpr int64_t alignTo(int64_t bytes, int64_t alignment) {
  assert(alignment > 0 && "alignment must be positive");
  return (bytes + alignment - 1) / alignment * alignment;
}

/// a + b or a * b, or nothing when the result doesn't fit.
std::optional<int64_t> checkedAdd(int64_t a, int64_t b);
std::optional<int64_t> checkedMultiply(int64_t a, int64_t b);

} // namespace lowtide

#endif // LOWTIDE_SUPPORT_BYTES_H
