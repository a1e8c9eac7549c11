//===- PlanReport.cpp - What a plan promises, as plain data ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/PlanReport.h"

#include "lowtide/Support/Bytes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace lowtide;
using namespace lowtide::report;

std::string_view report::classKey(BufferClass cls) {
  switch (cls) {
  case BufferClass::Parameter:
    return "parameters";
  case BufferClass::Gradient:
    return "gradients";
  case BufferClass::OptimizerState:
    return "optimizer_state";
  case BufferClass::Statistic:
    return "statistics";
  case BufferClass::Input:
    return "inputs";
  case BufferClass::Constant:
    return "constants";
  case BufferClass::Activation:
    return "activations";
  case BufferClass::Workspace:
    return "workspace";
  }
  return "";
}

std::string_view report::classLabel(BufferClass cls) {
  return cls == BufferClass::OptimizerState ? "optimizer state" : classKey(cls);
}

std::string_view report::phaseKey(Phase phase) {
  switch (phase) {
  case Phase::Forward:
    return "forward";
  case Phase::Backward:
    return "backward";
  case Phase::Update:
    return "update";
  }
  return "";
}

int64_t ClassBytes::total() const {
  int64_t sum = 0;
  for (int64_t b : bytes)
    sum += b;
  return sum;
}

std::optional<size_t>
report::peakRow(const std::vector<TimelineRow> &timeline) {
  if (timeline.empty())
    return std::nullopt;
  auto peak = std::max_element(timeline.begin(), timeline.end(),
                               [](const TimelineRow &a, const TimelineRow &b) {
                                 return a.liveBytes < b.liveBytes;
                               });
  return peak - timeline.begin();
}

void report::completeReport(PlanReport &report) {
  if (std::optional<size_t> peak = peakRow(report.timeline)) {
    const TimelineRow &row = report.timeline[*peak];
    if (!report.maxLiveBytes)
      report.maxLiveBytes = row.liveBytes;
    if (!report.byClass)
      report.byClass = row.byClass;
  }
  if (!report.fragmentation && report.arenaBytes && report.maxLiveBytes &&
      *report.arenaBytes > 0)
    report.fragmentation =
        1.0 - double(*report.maxLiveBytes) / double(*report.arenaBytes);
}

std::vector<BudgetOption> report::budgetOptions(const PlanReport &report) {
  std::vector<BudgetOption> options = report.whatNext;
  auto has = [&](std::string_view label) {
    return std::any_of(options.begin(), options.end(),
                       [&](const BudgetOption &o) { return o.label == label; });
  };
  if (report.storeAllPeakBytes && !has("store-all"))
    options.push_back({"store-all", *report.storeAllPeakBytes, 0.0, 0.0});
  if (report.smallestFeasibleBytes && !has("smallest"))
    options.push_back({"smallest", *report.smallestFeasibleBytes, {}, {}});
  std::stable_sort(options.begin(), options.end(),
                   [](const BudgetOption &a, const BudgetOption &b) {
                     return a.bytes > b.bytes;
                   });
  return options;
}

std::vector<std::string> report::budgetAdvice(const PlanReport &report) {
  std::vector<std::string> advice;
  if (report.status != "infeasible" && report.status != "timeout")
    return advice;
  if (report.budgetBytes && report.residentBytes &&
      *report.residentBytes > *report.budgetBytes)
    advice.push_back("resident bytes alone (parameters, state) exceed the "
                     "budget; recomputation can't help below " +
                     formatMib(*report.residentBytes));
  if (report.smallestFeasibleBytes)
    advice.push_back("try --budget " +
                     std::to_string(*report.smallestFeasibleBytes) +
                     ", which is sure to be met");
  return advice;
}

std::string report::formatCount(int64_t number) {
  std::string text = std::to_string(number);
  size_t firstDigit = text[0] == '-' ? 1 : 0;
  for (size_t at = text.size(); at > firstDigit + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string report::formatMib(int64_t bytes) {
  constexpr int64_t mib = int64_t(1) << 20;
  if (bytes < mib)
    return formatBytes(bytes);
  int64_t whole = bytes / mib;
  int64_t tenths = (bytes % mib * 10 + mib / 2) / mib;
  if (tenths == 10) {
    ++whole;
    tenths = 0;
  }
  return formatCount(whole) + "." + std::to_string(tenths) + " MiB";
}

static std::string decimals(double number, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*f", digits, number);
  return buffer;
}

std::string report::formatPercent(double percent) {
  if (!std::isfinite(percent))
    return "?";
  double size = std::fabs(percent);
  if (size < 0.005)
    return "0 %";
  return decimals(percent, size < 1 ? 2 : 1) + " %";
}

std::string report::formatExtra(double percent) {
  std::string text = formatPercent(percent);
  return percent >= 0 || text == "0 %" ? "+" + text : text;
}

std::string report::formatSeconds(double seconds) {
  if (!std::isfinite(seconds))
    return "?";
  if (seconds >= 9.995)
    return decimals(seconds, 1) + " s";
  if (seconds >= 0.9995)
    return decimals(seconds, 2) + " s";
  if (seconds >= 0.0009995)
    return decimals(seconds * 1e3, seconds >= 0.00995 ? 1 : 2) + " ms";
  return decimals(seconds * 1e6, seconds >= 9.95e-6 ? 0 : 1) + " µs";
}
