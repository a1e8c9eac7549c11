//===- CsvWriter.h - Comma-separated values (RFC 4180) ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One row per `endRow`. Fields with a comma or a quote are quoted; texts pass
// through `printable`, so a row is always one line. A text that a spreadsheet
// would take for a formula gets a leading apostrophe. Lines end with "\n".
//
// Tested by test/unit/Report/WritersTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SUPPORT_CSVWRITER_H
#define LOWTIDE_SUPPORT_CSVWRITER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide {

class CsvWriter {
public:
  void field(std::string_view text);
  void field(int64_t number);
  void field(double number);
  /// An absent number is an empty field.
  template <typename T>
  void field(const std::optional<T> &number) {
    if (number)
      field(*number);
    else
      separate();
  }
  void endRow();
  std::string take() { return std::move(text); }

private:
  void separate();

  std::string text;
  bool atRowStart = true;
};

} // namespace lowtide

#endif // LOWTIDE_SUPPORT_CSVWRITER_H
