//===- ParetoReport.h - Extra time against bytes, as plain data -*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What a step costs at every budget that was tried, with the proved least
// cost beside it. Rendered by `Render.h`.
//
// Tested by test/unit/Report/ParetoTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_REPORT_PARETOREPORT_H
#define LOWTIDE_REPORT_PARETOREPORT_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::report {

struct ParetoPoint {
  int64_t budgetBytes = 0;
  /// Absent, like the extra time, where there is no plan.
  std::optional<int64_t> peakBytes;
  std::optional<double> extraPercent;
  std::optional<double> lowerBoundPercent;
  std::string status; ///< optimal, feasible, infeasible or timeout.
};

struct ParetoReport {
  std::string model;
  std::string device;
  std::optional<int64_t> storeAllPeakBytes;
  std::optional<int64_t> residentBytes;
  std::optional<int64_t> floorBytes;
  std::optional<int64_t> smallestFeasibleBytes;
  std::optional<double> stepCostSeconds;
  std::optional<double> planSeconds;
  std::vector<ParetoPoint> points; ///< In any order; shown largest first.
};

/// The points from the largest budget to the smallest; equal ones keep their
/// order.
std::vector<ParetoPoint> sortedPoints(const ParetoReport &report);

} // namespace lowtide::report

#endif // LOWTIDE_REPORT_PARETOREPORT_H
