//===- XmlCheck.h - Is a text well-formed XML? ------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Enough of XML for our own SVG and HTML: balanced tags, quoted attributes that
// don't repeat, known entities, no stray "<" or "&", one root.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_UNITTESTS_REPORT_XMLCHECK_H
#define LOWTIDE_UNITTESTS_REPORT_XMLCHECK_H

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::report {

class XmlCheck {
public:
  /// An empty string, or what is wrong.
  static std::string run(std::string_view text) {
    XmlCheck check(text);
    return check.document();
  }

private:
  explicit XmlCheck(std::string_view text) : text(text) {}

  std::string document() {
    if (text.substr(0, 9) == "<!DOCTYPE")
      at = text.find('>') + 1;
    while (at < text.size() && error.empty()) {
      if (text[at] == '<')
        tag();
      else
        character(open.empty());
    }
    if (error.empty() && !open.empty())
      error = "not closed: " + open.back();
    if (error.empty() && roots != 1)
      error = "not exactly one root";
    return error;
  }

  void character(bool outside) {
    char c = text[at];
    if (outside && !std::isspace(static_cast<unsigned char>(c)))
      error = "text outside the root";
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      error = "a control character";
    if (c == '&') {
      size_t end = text.find(';', at);
      std::string_view name = text.substr(at + 1, end - at - 1);
      if (name != "amp" && name != "lt" && name != "gt" && name != "quot" &&
          name != "#39")
        error = "a stray ampersand";
    }
    ++at;
  }

  std::string name() {
    size_t begin = at;
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) ||
            text[at] == '-' || text[at] == ':'))
      ++at;
    if (begin == at)
      error = "a name is missing near " + std::string(text.substr(begin, 40));
    return std::string(text.substr(begin, at - begin));
  }

  void space() {
    while (at < text.size() &&
           std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }

  void tag() {
    ++at;
    if (text[at] == '/') {
      ++at;
      std::string closed = name();
      if (open.empty() || open.back() != closed) {
        error = "wrong end tag " + closed;
        return;
      }
      open.pop_back();
    } else {
      std::string opened = name();
      roots += open.empty();
      attributes();
      if (at < text.size() && text[at] == '/')
        ++at;
      else
        open.push_back(opened);
    }
    if (at >= text.size() || text[at] != '>')
      error = "a tag doesn't end";
    ++at;
  }

  void attributes() {
    std::set<std::string> seen;
    space();
    while (error.empty() && at < text.size() && text[at] != '>' &&
           text[at] != '/') {
      std::string attribute = name();
      if (!seen.insert(attribute).second)
        error = "attribute twice: " + attribute;
      if (text.substr(at, 2) != "=\"") {
        error = "attribute without a value: " + attribute;
        return;
      }
      at += 2;
      while (error.empty() && at < text.size() && text[at] != '"') {
        if (text[at] == '<')
          error = "a stray < in an attribute";
        character(false);
      }
      ++at;
      space();
    }
  }

  std::string_view text;
  size_t at = 0;
  int roots = 0;
  std::vector<std::string> open;
  std::string error;
};

} // namespace lowtide::report

#endif // LOWTIDE_UNITTESTS_REPORT_XMLCHECK_H
