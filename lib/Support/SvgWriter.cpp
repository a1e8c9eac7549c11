//===- SvgWriter.cpp - SVG elements, escaped and balanced -----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Support/SvgWriter.h"

#include "lowtide/Support/Printable.h"

#include <cassert>
#include <cmath>
#include <cstdio>

using namespace lowtide;

std::string lowtide::escapeXml(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

std::string lowtide::svgNumber(double number) {
  assert(std::isfinite(number) && "a coordinate must be finite");
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.2f", number);
  std::string text = buffer;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text == "-0" ? "0" : text;
}

SvgWriter::SvgWriter(double width, double height, std::string_view title,
                     const Attributes &more) {
  std::string w = svgNumber(width), h = svgNumber(height);
  Attributes attributes = {{"xmlns", "http://www.w3.org/2000/svg"},
                           {"width", w},
                           {"height", h},
                           {"viewBox", "0 0 " + w + " " + h},
                           {"role", "img"},
                           {"aria-label", std::string(title)}};
  attributes.insert(attributes.end(), more.begin(), more.end());
  open("svg", attributes);
}

void SvgWriter::startTag(std::string_view tag, const Attributes &attributes) {
  out += '<';
  out += tag;
  for (const auto &[name, value] : attributes) {
    out += ' ';
    out += name;
    out += "=\"" + escapeXml(value) + '"';
  }
}

void SvgWriter::open(std::string_view tag, const Attributes &attributes) {
  startTag(tag, attributes);
  out += ">\n";
  openTags.emplace_back(tag);
}

void SvgWriter::close() {
  assert(!openTags.empty() && "no open element");
  out += "</" + openTags.back() + ">\n";
  openTags.pop_back();
}

void SvgWriter::element(std::string_view tag, const Attributes &attributes,
                        std::string_view text) {
  startTag(tag, attributes);
  if (text.empty()) {
    out += "/>\n";
    return;
  }
  out += '>' + escapeXml(text) + "</";
  out += tag;
  out += ">\n";
}

void SvgWriter::rect(const Box &box, const Attributes &attributes,
                     std::string_view hover) {
  Attributes all = {{"x", svgNumber(box.x)},
                    {"y", svgNumber(box.y)},
                    {"width", svgNumber(box.width)},
                    {"height", svgNumber(box.height)}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  startTag("rect", all);
  if (hover.empty())
    out += "/>\n";
  else
    out += "><title>" + escapeXml(hover) + "</title></rect>\n";
}

void SvgWriter::line(double x1, double y1, double x2, double y2,
                     const Attributes &attributes) {
  Attributes all = {{"x1", svgNumber(x1)},
                    {"y1", svgNumber(y1)},
                    {"x2", svgNumber(x2)},
                    {"y2", svgNumber(y2)}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  element("line", all);
}

void SvgWriter::text(double x, double y, std::string_view label,
                     const Attributes &attributes) {
  Attributes all = {{"x", svgNumber(x)}, {"y", svgNumber(y)}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  element("text", all, label);
}

void SvgWriter::path(std::string_view data, const Attributes &attributes) {
  Attributes all = {{"d", std::string(data)}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  element("path", all);
}

std::string SvgWriter::take() {
  while (!openTags.empty())
    close();
  return std::move(out);
}
