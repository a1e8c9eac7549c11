//===- SvgWriter.h - SVG elements, escaped and balanced ---------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Writes an SVG drawing element by element. Attribute values and texts are
// escaped here and nowhere else; numbers have at most two decimals, so that
// pictures stay small and equal data gives equal bytes.
//
//   SvgWriter svg(100, 50, "two boxes");
//   svg.rect({0, 0, 40, 50}, {{"fill", "#345"}});
//   svg.text(50, 25, "hello", {{"font-size", "12"}});
//   std::string picture = svg.take();
//
// Tested by test/unit/Report/WritersTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SUPPORT_SVGWRITER_H
#define LOWTIDE_SUPPORT_SVGWRITER_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide {

/// `text` made printable, with the five XML characters escaped: safe as the
/// text of an element and inside a quoted attribute, in SVG and in HTML.
std::string escapeXml(std::string_view text);

/// At most two decimals, no trailing zeros: "12", "0.5", "-3.25".
std::string svgNumber(double number);

class SvgWriter {
public:
  using Attributes = std::vector<std::pair<std::string_view, std::string>>;
  struct Box {
    double x, y, width, height;
  };

  /// Opens a drawing of `width` × `height` user units. `title` is what screen
  /// readers say.
  SvgWriter(double width, double height, std::string_view title,
            const Attributes &more = {});

  void open(std::string_view tag, const Attributes &attributes = {});
  void close();
  void element(std::string_view tag, const Attributes &attributes,
               std::string_view text = {});

  /// A rectangle; `hover` becomes its title, which viewers show as a tip.
  void rect(const Box &box, const Attributes &attributes,
            std::string_view hover = {});
  void line(double x1, double y1, double x2, double y2,
            const Attributes &attributes);
  void text(double x, double y, std::string_view label,
            const Attributes &attributes = {});
  void path(std::string_view data, const Attributes &attributes);

  /// The whole drawing; closes what is still open.
  std::string take();

private:
  void startTag(std::string_view tag, const Attributes &attributes);

  std::string out;
  std::vector<std::string> openTags;
};

} // namespace lowtide

#endif // LOWTIDE_SUPPORT_SVGWRITER_H
