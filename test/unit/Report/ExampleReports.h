//===- ExampleReports.h - Made-up plans for the tests -----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_UNITTESTS_REPORT_EXAMPLEREPORTS_H
#define LOWTIDE_UNITTESTS_REPORT_EXAMPLEREPORTS_H

#include "lowtide/Report/PlanReport.h"

#include <algorithm>
#include <cmath>

namespace lowtide::report {

inline constexpr int64_t mib = int64_t(1) << 20;

/// Four steps by hand: 10 MiB resident, up to 6 MiB of activations.
///
///   step  node    phase     live  parameters  gradients  activations workspace
///      0  conv    forward     13          10          0            2 1 1  relu
///      forward     14          10          0            4          0 2  conv~
///      backward    18          10          1            6          1 3  update
///      update      11          10          1            0          0
inline PlanReport smallReport() {
  PlanReport report;
  report.model = "tiny.onnx";
  report.device = "cpu";
  report.status = "feasible";
  report.stoppedBy = "effort";
  report.budgetBytes = 20 * mib;
  report.storeAllPeakBytes = 40 * mib;
  report.residentBytes = 10 * mib;
  report.floorBytes = 12 * mib;
  report.smallestFeasibleBytes = 13 * mib;
  report.plannedPeakBytes = 18 * mib;
  report.arenaBytes = 18 * mib;
  report.stepCostSeconds = 0.5;
  report.extraPercent = 8.125;
  report.lowerBoundPercent = 7.5;
  report.gapPercent = 0.58;
  report.planSeconds = 1.25;
  auto row = [&](int64_t step, std::string node, Phase phase, int64_t gradient,
                 int64_t activation, int64_t workspace, bool recomputed) {
    TimelineRow r;
    r.step = step;
    r.node = std::move(node);
    r.phase = phase;
    r.byClass[BufferClass::Parameter] = 10 * mib;
    r.byClass[BufferClass::Gradient] = gradient * mib;
    r.byClass[BufferClass::Activation] = activation * mib;
    r.byClass[BufferClass::Workspace] = workspace * mib;
    r.liveBytes = r.byClass.total();
    r.recomputed = recomputed;
    report.timeline.push_back(std::move(r));
  };
  row(0, "conv", Phase::Forward, 0, 2, 1, false);
  row(1, "relu", Phase::Forward, 0, 4, 0, false);
  row(2, "conv~1", Phase::Backward, 1, 6, 1, true);
  row(3, "update", Phase::Update, 1, 0, 0, false);
  report.recomputed = {{"conv", 0.040625, 2 * mib}};
  report.topAtPeak = {{"w", 10 * mib, "update"}, {"x", 4 * mib, "conv_grad"}};
  report.buffers = {{"w", 0, 10 * mib, 0, 3, BufferClass::Parameter},
                    {"x", 10 * mib, 4 * mib, 0, 2, BufferClass::Activation},
                    {"g", 16 * mib, 1 * mib, 2, 3, BufferClass::Gradient}};
  report.whatNext = {{"75 %", 30 * mib, 1.0, 0.5},
                     {"50 %", 20 * mib, 8.125, 7.5},
                     {"smallest", 13 * mib, 40.0, 30.0}};
  completeReport(report);
  return report;
}

/// Figures around the peak of a made-up timeline.
inline void addFigures(PlanReport &report, int64_t storeAllBytes) {
  const TimelineRow &peak = report.timeline[*peakRow(report.timeline)];
  report.plannedPeakBytes = peak.liveBytes + 3 * mib;
  report.arenaBytes = report.plannedPeakBytes;
  report.storeAllPeakBytes = storeAllBytes;
  report.budgetBytes = peak.liveBytes + 4 * mib;
  report.floorBytes = *report.residentBytes + 90 * mib;
  report.smallestFeasibleBytes = *report.residentBytes + 97 * mib;
  report.stepCostSeconds = 1.42;
  report.extraPercent = 6.31;
  report.lowerBoundPercent = 6.02;
  report.gapPercent = 0.27;
  report.planSeconds = 4.8;
  report.whatNext = {{"75 %", *report.storeAllPeakBytes * 3 / 4, 1.52, 1.5},
                     {"50 %", *report.storeAllPeakBytes / 2, 9.1, 8.8},
                     {"smallest", *report.smallestFeasibleBytes, 38.4, 31.0}};
}

/// A convolutional network of `blocks` blocks whose activations grow in the
/// forward pass and go in the backward pass, held below a budget by
/// recomputation. The figures are made up, the shape is that of a real plan.
inline PlanReport blockReport(int blocks) {
  PlanReport report;
  report.model = "resnet50 (made up)";
  report.device = "cpu, 2 threads";
  report.status = "feasible";
  report.stoppedBy = "effort";
  std::vector<std::string> kinds = {"Conv", "BatchNormalization", "Relu"};
  auto sizeOf = [&](int block, int op) {
    double early = std::exp(-2.6 * block / blocks);
    return int64_t(early * (op == 1 ? 22.0 : 18.0) * mib) / 64 * 64 + 64;
  };
  auto weightOf = [&](int block) {
    return int64_t(0.2 * mib + 3.6 * mib * block / blocks);
  };
  ClassBytes live;
  for (int b = 0; b < blocks; ++b)
    live[BufferClass::Parameter] += weightOf(b);
  live[BufferClass::OptimizerState] = 2 * live[BufferClass::Parameter];
  live[BufferClass::Statistic] = mib / 4;
  live[BufferClass::Input] = 5 * mib;
  int64_t address = live.total();
  report.residentBytes = live.total();
  report.buffers.push_back({"parameters", 0, live[BufferClass::Parameter], 0, 0,
                            BufferClass::Parameter});
  report.buffers.push_back({"optimizer state", live[BufferClass::Parameter],
                            live[BufferClass::OptimizerState], 0, 0,
                            BufferClass::OptimizerState});
  auto step = [&](std::string node, Phase phase, int64_t workspace,
                  bool recomputed) {
    TimelineRow row;
    row.step = int64_t(report.timeline.size());
    row.node = std::move(node);
    row.phase = phase;
    row.byClass = live;
    row.byClass[BufferClass::Workspace] = workspace;
    row.liveBytes = row.byClass.total();
    row.recomputed = recomputed;
    report.timeline.push_back(std::move(row));
  };
  auto name = [&](int block, int op) {
    return "/layer" + std::to_string(1 + 4 * block / blocks) + "/block." +
           std::to_string(block) + "/" + kinds[size_t(op)];
  };
  int64_t all = live.total();
  std::vector<size_t> openBuffers;
  int64_t stackTop = address;
  for (int b = 0; b < blocks; ++b) {
    for (int op = 0; op < 3; ++op) {
      bool isKept = op == 0 || b % 4 == 3;
      all += sizeOf(b, op);
      live[BufferClass::Activation] += sizeOf(b, op);
      step(name(b, op), Phase::Forward, op == 0 ? 6 * mib : 0, false);
      if (!isKept)
        live[BufferClass::Activation] -= sizeOf(b, op);
      int64_t now = int64_t(report.timeline.size()) - 1;
      report.buffers.push_back({name(b, op) + "_output_0", stackTop,
                                sizeOf(b, op), now, now + 2,
                                BufferClass::Activation});
      if (isKept) {
        stackTop += sizeOf(b, op);
        openBuffers.push_back(report.buffers.size() - 1);
      }
    }
  }
  for (int b = blocks - 1; b >= 0; --b) {
    for (int op = 1; op < 3; ++op) {
      if (b % 4 == 3)
        continue;
      live[BufferClass::Activation] += sizeOf(b, op);
      step(name(b, op), Phase::Backward, 0, true);
      report.recomputed.push_back(
          {name(b, op), 0.0004 * (1 + b % 4), sizeOf(b, op)});
    }
    for (int op = 2; op >= 0; --op) {
      live[BufferClass::Gradient] += op == 0 ? weightOf(b) : 0;
      live[BufferClass::Activation] += sizeOf(b, op) / 2;
      step(name(b, op) + "_grad", Phase::Backward, op == 0 ? 6 * mib : 0,
           false);
      live[BufferClass::Activation] -= sizeOf(b, op) / 2;
      live[BufferClass::Activation] -= sizeOf(b, op);
      int64_t now = int64_t(report.timeline.size()) - 1;
      if (op == 0 || b % 4 == 3) {
        report.buffers[openBuffers.back()].lastStep = now;
        openBuffers.pop_back();
      }
    }
    step("update layer." + std::to_string(b) + ".weight", Phase::Update, 0,
         false);
    live[BufferClass::Gradient] -= weightOf(b);
  }
  for (size_t i = 0; i < 2; ++i)
    report.buffers[i].lastStep = int64_t(report.timeline.size()) - 1;
  addFigures(report, all + 20 * mib);
  report.topAtPeak = {
      {"/layer1/block.0/Conv_output_0", sizeOf(0, 0), "/layer1/block.0/Conv"},
      {"/layer1/block.1/Conv_output_0", sizeOf(1, 0), "/layer1/block.1/Conv"}};
  completeReport(report);
  return report;
}

} // namespace lowtide::report

#endif // LOWTIDE_UNITTESTS_REPORT_EXAMPLEREPORTS_H
