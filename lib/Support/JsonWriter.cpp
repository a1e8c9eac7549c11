//===- JsonWriter.cpp - JSON text, key order as written -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Support/JsonWriter.h"

#include "llvm/Support/JSON.h"

#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdio>

using namespace lowtide;

std::string lowtide::shortestNumber(double number) {
  if (!std::isfinite(number))
    return "null";
  char buffer[40];
  auto result = std::to_chars(buffer, buffer + sizeof(buffer),
                              number == 0 ? 0.0 : number);
  return std::string(buffer, result.ptr);
}

void JsonWriter::begin(char bracket, Layout layout) {
  separate();
  if (!open.empty() && open.back().layout == Layout::OneLine)
    layout = Layout::OneLine;
  text += bracket;
  open.push_back({layout});
}

void JsonWriter::end(char bracket) {
  assert(!open.empty() && !afterKey && "nothing to close");
  Container container = open.back();
  open.pop_back();
  if (!container.isEmpty && container.layout == Layout::Lines)
    newLine();
  text += bracket;
}

void JsonWriter::key(std::string_view name) {
  assert(!afterKey && "a key needs a value");
  separate();
  quote(name);
  text += ": ";
  afterKey = true;
}

void JsonWriter::value(int64_t number) {
  separate();
  text += std::to_string(number);
}

void JsonWriter::value(double number) {
  separate();
  text += shortestNumber(number);
}

void JsonWriter::value(bool truth) {
  separate();
  text += truth ? "true" : "false";
}

void JsonWriter::value(std::string_view string) {
  separate();
  quote(string);
}

std::string JsonWriter::take() {
  assert(open.empty() && "an object or array is still open");
  text += '\n';
  return std::move(text);
}

void JsonWriter::separate() {
  if (afterKey) {
    afterKey = false;
    return;
  }
  if (open.empty())
    return;
  Container &container = open.back();
  if (!container.isEmpty)
    text += container.layout == Layout::Lines ? "," : ", ";
  container.isEmpty = false;
  if (container.layout == Layout::Lines)
    newLine();
}

void JsonWriter::newLine() {
  text += '\n';
  text.append(2 * open.size(), ' ');
}

void JsonWriter::quote(std::string_view raw) {
  std::string fixed;
  if (!llvm::json::isUTF8(raw)) {
    fixed = llvm::json::fixUTF8(raw);
    raw = fixed;
  }
  text += '"';
  for (char c : raw) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", byte);
      text += buffer;
    } else {
      text += c;
    }
  }
  text += '"';
}
