//===- TimelineSvg.h - The memory of a step as a picture --------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Areas by class, stacked, over the steps; the budget and the store-all peak as
// lines; the peak marked; strips below for phases and recomputed ops. A long
// timeline is cut into columns, so the picture's size doesn't grow with it.
//
// Tested by test/unit/Report/RenderTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_REPORT_TIMELINESVG_H
#define LOWTIDE_LIB_REPORT_TIMELINESVG_H

#include "ChartScale.h"
#include "SvgParts.h"

#include <string>
#include <vector>

namespace lowtide::report {

inline constexpr size_t maxPictureColumns = 640;

/// A drawn timeline and what a page needs to point into it.
struct TimelinePicture {
  Plot plot;
  std::vector<ChartColumn> columns;
  std::string svg;
};
TimelinePicture drawTimelinePicture(const PlanReport &report);

} // namespace lowtide::report

#endif // LOWTIDE_LIB_REPORT_TIMELINESVG_H
