//===- PlanReport.h - What a plan promises, as plain data -------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Everything that the reports show about one planned training step. Whoever
// planned or ran the step fills a `PlanReport`; `Render.h` turns it into a
// table, JSON, CSV, SVG or HTML. A field that isn't known is absent and doesn't
// appear in any report.
//
// Tested by test/unit/Report/PlanReportTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_REPORT_PLANREPORT_H
#define LOWTIDE_REPORT_PLANREPORT_H

#include "lowtide/Runtime/ExecPlan.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::report {

using runtime::BufferClass;
using runtime::Phase;

/// Every class, from what stays the longest to what goes the soonest: the
/// order in which pictures stack them and texts list them.
inline constexpr std::array<BufferClass, 8> stackedClasses = {
    BufferClass::Parameter,  BufferClass::OptimizerState,
    BufferClass::Statistic,  BufferClass::Constant,
    BufferClass::Input,      BufferClass::Gradient,
    BufferClass::Activation, BufferClass::Workspace};

/// "optimizer_state": the key in JSON and the column in CSV.
std::string_view classKey(BufferClass cls);
/// "optimizer state": the label for people.
std::string_view classLabel(BufferClass cls);
/// "forward", "backward", "update".
std::string_view phaseKey(Phase phase);

/// Bytes of each class.
class ClassBytes {
public:
  int64_t &operator[](BufferClass cls) {
    return bytes[static_cast<size_t>(cls)];
  }
  int64_t operator[](BufferClass cls) const {
    return bytes[static_cast<size_t>(cls)];
  }
  int64_t total() const;
  bool operator==(const ClassBytes &) const = default;

private:
  std::array<int64_t, stackedClasses.size()> bytes = {};
};

/// Memory while one step runs.
struct TimelineRow {
  int64_t step = 0; ///< Position in the schedule, from 0.
  std::string node;
  Phase phase = Phase::Forward;
  int64_t liveBytes = 0;
  ClassBytes byClass;
  bool recomputed = false;
};

struct RecomputedNode {
  std::string node;
  double costSeconds = 0; ///< Of the one extra run.
  /// Bytes at the peak that needn't be kept because of it.
  int64_t bytesSaved = 0;
};

struct PeakTensor {
  std::string tensor;
  int64_t bytes = 0;
  std::string keptAliveBy; ///< The node that reads it last.
};

/// Why a budget can't be met: these tensors are needed at once when `op` runs.
struct ForcedBy {
  std::string op;
  std::vector<std::string> tensors;
};

/// A buffer's place in the arena and the steps that it lives through, first and
/// last included. Steps are positions in the timeline.
struct PlannedBuffer {
  std::string name;
  int64_t offsetBytes = 0;
  int64_t bytes = 0;
  int64_t firstStep = 0;
  int64_t lastStep = 0;
  BufferClass cls = BufferClass::Activation;
};

/// One budget that the user could try, and what it would cost.
struct BudgetOption {
  std::string label; ///< "75 %", "50 %", "smallest".
  int64_t bytes = 0;
  std::optional<double> extraPercent;
  std::optional<double> lowerBoundPercent;
};

struct PlanReport {
  std::string model;
  std::string device;
  std::string status;    ///< optimal, feasible, infeasible or timeout.
  std::string stoppedBy; ///< "proof", "effort" or "clock"; may be empty.

  std::optional<int64_t> budgetBytes;
  std::optional<int64_t> storeAllPeakBytes;
  std::optional<int64_t> residentBytes;
  std::optional<int64_t> floorBytes;
  std::optional<int64_t> smallestFeasibleBytes;
  std::optional<int64_t> plannedPeakBytes;
  std::optional<int64_t> maxLiveBytes;
  std::optional<int64_t> arenaBytes;
  /// Share of the arena that is empty at the moment of the most live bytes.
  std::optional<double> fragmentation;

  std::optional<double> stepCostSeconds; ///< Without recomputation.
  std::optional<double> extraPercent;
  std::optional<double> lowerBoundPercent;
  std::optional<double> gapPercent;
  std::optional<double> planSeconds;

  std::optional<ForcedBy> forcedBy;
  std::optional<ClassBytes> byClass; ///< At the peak.
  std::vector<RecomputedNode> recomputed;
  std::vector<PeakTensor> topAtPeak;
  std::vector<TimelineRow> timeline;
  std::vector<PlannedBuffer> buffers;
  std::vector<BudgetOption> whatNext;

  // Only after a run.
  std::optional<int64_t> measuredPeakBytes;
  std::optional<double> measuredStepSeconds; ///< Median.
  std::optional<int64_t> outsideArenaBytes;
  std::optional<std::string> check; ///< "passed" or "failed".
};

/// Index of the first row with the most live bytes; nothing when there are no
/// rows.
std::optional<size_t> peakRow(const std::vector<TimelineRow> &timeline);

/// Fills, where absent, what follows from the other fields: the most live
/// bytes and the classes at the peak from the timeline, fragmentation from the
/// arena.
void completeReport(PlanReport &report);

/// The budgets that a user could go to next, the largest first: the report's
/// own `whatNext` rows, store-all and the smallest feasible one.
std::vector<BudgetOption> budgetOptions(const PlanReport &report);

/// Sentences for a user whose budget wasn't met: which number to try, and when
/// recomputation can't help. Empty when there is a plan.
std::vector<std::string> budgetAdvice(const PlanReport &report);

/// "472.1 MiB", "2,878.0 MiB"; below one MiB as `formatBytes` says.
std::string formatMib(int64_t bytes);
/// "12,345,678".
std::string formatCount(int64_t number);
/// "8.1 %", "0.04 %", "0 %".
std::string formatPercent(double percent);
/// "+8.1 %".
std::string formatExtra(double percent);
/// "1.24 s", "16.0 ms", "31 µs".
std::string formatSeconds(double seconds);

} // namespace lowtide::report

#endif // LOWTIDE_REPORT_PLANREPORT_H
