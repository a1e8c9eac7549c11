//===- Bytes.cpp - Byte counts as people write them -----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Support/Bytes.h"

#include <cmath>
#include <cstdio>
#include <limits>

using namespace lowtide;

namespace {
struct Unit {
  std::string_view name;
  int64_t bytes;
};
constexpr Unit units[] = {
    {"", 1},
    {"B", 1},
    {"KB", 1000},
    {"MB", 1000 * 1000},
    {"GB", int64_t(1000) * 1000 * 1000},
    {"TB", int64_t(1000) * 1000 * 1000 * 1000},
    {"KiB", int64_t(1) << 10},
    {"MiB", int64_t(1) << 20},
    {"GiB", int64_t(1) << 30},
    {"TiB", int64_t(1) << 40},
};
} // namespace

static std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

std::optional<int64_t> lowtide::parseBytes(std::string_view text) {
  text = trim(text);
  int64_t whole = 0, fraction = 0, fractionScale = 1;
  size_t at = 0, digits = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    auto next = checkedMultiply(whole, 10);
    if (next)
      next = checkedAdd(*next, text[at] - '0');
    if (!next)
      return std::nullopt;
    whole = *next;
    ++digits;
  }
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      ++digits;
      // Six digits are finer than a byte of any unit people write by hand.
      if (fractionScale < 1000000) {
        fraction = fraction * 10 + (text[at] - '0');
        fractionScale *= 10;
      }
    }
  }
  if (digits == 0)
    return std::nullopt;

  std::string_view unitName = trim(text.substr(at));
  for (const Unit &unit : units) {
    if (unit.name != unitName)
      continue;
    auto bytes = checkedMultiply(whole, unit.bytes);
    if (!bytes)
      return std::nullopt;
    // fraction < 10^6 and unit <= 2^40, so the product fits.
    return checkedAdd(*bytes, fraction * unit.bytes / fractionScale);
  }
  return std::nullopt;
}

std::string lowtide::formatBytes(int64_t bytes) {
  constexpr const char *names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = double(bytes);
  size_t unit = 0;
  while (std::fabs(value) >= 1024 && unit + 1 < std::size(names)) {
    value /= 1024;
    ++unit;
  }
  char buffer[64];
  if (unit == 0)
    std::snprintf(buffer, sizeof(buffer), "%lld B", (long long)bytes);
  else
    std::snprintf(buffer, sizeof(buffer), "%.1f %s", value, names[unit]);
  return buffer;
}

std::optional<int64_t> lowtide::checkedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return std::nullopt;
  return sum;
}

std::optional<int64_t> lowtide::checkedMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}
