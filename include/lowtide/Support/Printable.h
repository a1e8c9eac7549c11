//===- Printable.h - Names from model files, safe to show -------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Node and tensor names come from files that anybody may have written. Before
// one reaches a terminal, a table or a picture it passes through here.
//
// Tested by test/unit/Report/WritersTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SUPPORT_PRINTABLE_H
#define LOWTIDE_SUPPORT_PRINTABLE_H

#include <string>
#include <string_view>

namespace lowtide {

/// `text` as one line of valid UTF-8: control characters and marks that change
/// the direction of writing become visible escapes (`\x1b`, `\u202e`), broken
/// UTF-8 becomes U+FFFD.
std::string printable(std::string_view text);

/// Terminal columns that a printable text takes.
int displayWidth(std::string_view text);

/// A printable text of at most `width` columns; a longer one loses its middle:
/// "/layer1/…/Conv".
std::string elideMiddle(std::string_view text, int width);

/// `text` followed (or preceded) by blanks up to `width` columns.
std::string padRight(std::string_view text, int width);
std::string padLeft(std::string_view text, int width);

} // namespace lowtide

#endif // LOWTIDE_SUPPORT_PRINTABLE_H
