//===- TextTable.h - Aligned columns of text --------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Rows of cells, each column as wide as its widest cell. The last column is
// never padded; one column may shrink so that the table fits.
//
// Tested by test/unit/Report/TextTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_REPORT_TEXTTABLE_H
#define LOWTIDE_LIB_REPORT_TEXTTABLE_H

#include <string>
#include <vector>

namespace lowtide::report {

class TextTable {
public:
  enum class Align { Left, Right };

  /// `columns` is the width that the whole table may take.
  TextTable(std::vector<Align> alignment, int columns)
      : alignment(std::move(alignment)), columns(columns) {}

  /// Cells pass through `printable`.
  void row(std::vector<std::string> cells);
  /// Longer cells of this column lose their middle to make the table fit.
  void shrink(size_t column) { shrinkable = column; }
  std::string take() const;

private:
  std::vector<int> widths() const;

  std::vector<Align> alignment;
  int columns;
  size_t shrinkable = 0;
  std::vector<std::vector<std::string>> rows;
};

/// The width for a table: `asked` when positive, else the environment's
/// COLUMNS, else 80; between 40 and 200.
int textColumns(int asked);

} // namespace lowtide::report

#endif // LOWTIDE_LIB_REPORT_TEXTTABLE_H
