//===- Printable.cpp - Names from model files, safe to show ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Support/Printable.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/Unicode.h"

#include <cstdio>
#include <vector>

using namespace lowtide;

namespace {

/// The bytes of each code point of a valid UTF-8 text.
std::vector<std::string_view> splitCodePoints(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    while (end < text.size() && (text[end] & 0xC0) == 0x80)
      ++end;
    parts.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return parts;
}

unsigned decode(std::string_view part) {
  unsigned lead = static_cast<unsigned char>(part[0]);
  if (part.size() == 1)
    return lead;
  unsigned code = lead & (0x7Fu >> part.size());
  for (char c : part.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  return code;
}

bool mustEscape(unsigned code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C ||
         code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF ||
         (code & 0xFFFE) == 0xFFFE;
}

std::string escape(unsigned code) {
  char buffer[16];
  std::snprintf(buffer, sizeof(buffer), code < 0x100 ? "\\x%02x" : "\\u%04x",
                code);
  return buffer;
}

} // namespace

std::string lowtide::printable(std::string_view text) {
  std::string valid =
      llvm::json::isUTF8(text) ? std::string(text) : llvm::json::fixUTF8(text);
  std::string out;
  for (std::string_view part : splitCodePoints(valid)) {
    unsigned code = decode(part);
    if (mustEscape(code))
      out += escape(code);
    else
      out += part;
  }
  return out;
}

int lowtide::displayWidth(std::string_view text) {
  int width = llvm::sys::unicode::columnWidthUTF8(text);
  return width >= 0 ? width : static_cast<int>(splitCodePoints(text).size());
}

std::string lowtide::elideMiddle(std::string_view text, int width) {
  if (displayWidth(text) <= width)
    return std::string(text);
  if (width < 2)
    return width == 1 ? "…" : "";
  std::vector<std::string_view> parts = splitCodePoints(text);
  int headWidth = (width - 1) / 2, tailWidth = width - 1 - headWidth;
  std::string head, tail;
  for (std::string_view part : parts) {
    headWidth -= displayWidth(part);
    if (headWidth < 0)
      break;
    head += part;
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    tailWidth -= displayWidth(*part);
    if (tailWidth < 0)
      break;
    tail.insert(0, *part);
  }
  return head + "…" + tail;
}

std::string lowtide::padRight(std::string_view text, int width) {
  int blanks = width - displayWidth(text);
  return std::string(text) + std::string(blanks > 0 ? blanks : 0, ' ');
}

std::string lowtide::padLeft(std::string_view text, int width) {
  int blanks = width - displayWidth(text);
  return std::string(blanks > 0 ? blanks : 0, ' ') + std::string(text);
}
