//===- TextTimeline.h - The memory of a step, drawn in text -----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A chart of block characters that needs no colour and no terminal:
//
//     4.0 ┤╌╌╌╌╌╌╌╌╌╌╌╌  budget
//         │     ▂██▅
//     2.0 ┤  ▃█████████
//         │▒▒▒▒▒▒▒▒▒▒▒▒
//       0 └────────────
//          forward│backward
//
// A cell is filled by the class at its middle; the topmost cell of a bar is
// drawn in eighths where that class is solid.
//
// Tested by test/unit/Report/TextTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_REPORT_TEXTTIMELINE_H
#define LOWTIDE_LIB_REPORT_TEXTTIMELINE_H

#include "lowtide/Report/PlanReport.h"

#include <string>

namespace lowtide::report {

/// The chart, `columns` wide and `lines` high without its captions; a sentence
/// when there are no steps.
std::string drawTimeline(const PlanReport &report, int columns, int lines);

} // namespace lowtide::report

#endif // LOWTIDE_LIB_REPORT_TEXTTIMELINE_H
