//===- CsvWriter.cpp - Comma-separated values (RFC 4180) ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Support/CsvWriter.h"

#include "lowtide/Support/JsonWriter.h"
#include "lowtide/Support/Printable.h"

#include <cmath>

using namespace lowtide;

void CsvWriter::separate() {
  if (!atRowStart)
    text += ',';
  atRowStart = false;
}

void CsvWriter::field(std::string_view raw) {
  separate();
  std::string clean = printable(raw);
  if (!clean.empty() &&
      std::string_view("=+-@").find(clean[0]) != std::string_view::npos)
    clean.insert(0, 1, '\'');
  if (clean.find_first_of(",\"") == std::string::npos) {
    text += clean;
    return;
  }
  text += '"';
  for (char c : clean) {
    if (c == '"')
      text += '"';
    text += c;
  }
  text += '"';
}

void CsvWriter::field(int64_t number) {
  separate();
  text += std::to_string(number);
}

void CsvWriter::field(double number) {
  separate();
  if (std::isfinite(number))
    text += shortestNumber(number);
}

void CsvWriter::endRow() {
  text += '\n';
  atRowStart = true;
}
