//===- JsonWriter.h - JSON text, key order as written -----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Writes JSON in the order of the calls, so that equal data gives equal bytes.
// Integers are written exactly, floating-point numbers in the shortest form
// that reads back as the same number, and what isn't finite as null. An
// optional attribute that is absent is left out.
//
//   JsonWriter json;
//   json.beginObject();
//   json.attribute("bytes", int64_t(42));
//   json.endObject();
//   std::string text = json.take();
//
// Tested by test/unit/Report/WritersTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SUPPORT_JSONWRITER_H
#define LOWTIDE_SUPPORT_JSONWRITER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide {

/// A number in the shortest form that reads back as the same number.
std::string shortestNumber(double number);

class JsonWriter {
public:
  /// How a container is laid out: a line per element or all on one line.
  enum class Layout { Lines, OneLine };

  void beginObject(Layout layout = Layout::Lines) { begin('{', layout); }
  void endObject() { end('}'); }
  void beginArray(Layout layout = Layout::Lines) { begin('[', layout); }
  void endArray() { end(']'); }
  void key(std::string_view name);

  void value(int64_t number);
  void value(int number) { value(static_cast<int64_t>(number)); }
  void value(double number);
  void value(bool truth);
  void value(std::string_view text);
  void value(const std::string &text) { value(std::string_view(text)); }
  void value(const char *text) { value(std::string_view(text)); }

  template <typename T>
  void attribute(std::string_view name, const T &v) {
    key(name);
    value(v);
  }
  template <typename T>
  void attribute(std::string_view name, const std::optional<T> &v) {
    if (v)
      attribute(name, *v);
  }

  /// The text, ended by a newline, once every container is closed.
  std::string take();

private:
  struct Container {
    Layout layout;
    bool isEmpty = true;
  };

  void begin(char bracket, Layout layout);
  void end(char bracket);
  void separate();
  void newLine();
  void quote(std::string_view text);

  std::string text;
  std::vector<Container> open;
  bool afterKey = false;
};

} // namespace lowtide

#endif // LOWTIDE_SUPPORT_JSONWRITER_H
