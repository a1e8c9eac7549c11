//===- HtmlPage.h - One self-contained page ---------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Builds a page that needs nothing but itself: style and script are inside, and
// without scripts everything but the hover boxes still works. The page is also
// well-formed XML.
//
// Tested by test/unit/Report/RenderTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_REPORT_HTMLPAGE_H
#define LOWTIDE_LIB_REPORT_HTMLPAGE_H

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::report {

class HtmlPage {
public:
  HtmlPage(std::string_view title, std::string_view subtitle);

  struct Figure {
    std::string value;
    std::string label;
    std::string note;
  };
  /// Large figures side by side.
  void figures(const std::vector<Figure> &figures);
  void heading(std::string_view title);
  void paragraph(std::string_view text);

  struct Column {
    std::string title;
    bool isNumber = false;
  };
  using Row = std::vector<std::string>;
  void table(const std::vector<Column> &columns, const std::vector<Row> &rows);

  /// An SVG drawing as it is; its titles become hover boxes.
  void picture(const std::string &svg);
  /// Data for the script of the page, found by `id`; `json` is escaped here.
  void data(std::string_view id, std::string_view json);

  std::string take();

private:
  std::string out;
};

} // namespace lowtide::report

#endif // LOWTIDE_LIB_REPORT_HTMLPAGE_H
