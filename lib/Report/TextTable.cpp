//===- TextTable.cpp - Aligned columns of text ----------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "TextTable.h"

#include "lowtide/Support/Printable.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

using namespace lowtide;
using namespace lowtide::report;

static constexpr int margin = 2;  ///< Before the first column.
static constexpr int between = 2; ///< Between two columns.

void TextTable::row(std::vector<std::string> cells) {
  assert(cells.size() <= alignment.size() && "more cells than columns");
  for (std::string &cell : cells)
    cell = printable(cell);
  cells.resize(alignment.size());
  rows.push_back(std::move(cells));
}

std::vector<int> TextTable::widths() const {
  std::vector<int> result(alignment.size(), 0);
  for (const auto &cells : rows)
    for (size_t c = 0; c < cells.size(); ++c)
      result[c] = std::max(result[c], displayWidth(cells[c]));
  int total = margin;
  for (int width : result)
    total += width + between;
  int tooWide = total - between - columns;
  if (tooWide > 0)
    result[shrinkable] = std::max(8, result[shrinkable] - tooWide);
  return result;
}

std::string TextTable::take() const {
  std::vector<int> width = widths();
  std::string text;
  for (const auto &cells : rows) {
    std::string line(margin, ' ');
    for (size_t c = 0; c < cells.size(); ++c) {
      std::string cell =
          c == shrinkable ? elideMiddle(cells[c], width[c]) : cells[c];
      line += alignment[c] == Align::Right ? padLeft(cell, width[c])
                                           : padRight(cell, width[c]);
      line.append(between, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

int report::textColumns(int asked) {
  if (asked <= 0)
    if (const char *columns = std::getenv("COLUMNS"))
      asked = std::atoi(columns);
  return std::clamp(asked > 0 ? asked : 80, 40, 200);
}
