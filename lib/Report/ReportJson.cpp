//===- ReportJson.cpp - lowtide.report/1 ----------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Report/Render.h"
#include "lowtide/Support/JsonWriter.h"

using namespace lowtide;
using namespace lowtide::report;
using Layout = JsonWriter::Layout;

static void writeClasses(JsonWriter &json, const ClassBytes &byClass) {
  json.key("by_class");
  json.beginObject(Layout::OneLine);
  // The order of the interface, which is the order of the enumeration.
  for (size_t i = 0; i < stackedClasses.size(); ++i) {
    auto cls = static_cast<BufferClass>(i);
    json.attribute(classKey(cls), byClass[cls]);
  }
  json.endObject();
}

template <typename T, typename Fn>
static void writeList(JsonWriter &json, std::string_view name,
                      const std::vector<T> &items, Fn writeItem) {
  json.key(name);
  json.beginArray();
  for (const T &item : items) {
    json.beginObject(Layout::OneLine);
    writeItem(item);
    json.endObject();
  }
  json.endArray();
}

static void writeFigures(JsonWriter &json, const PlanReport &report) {
  json.attribute("schema", "lowtide.report/1");
  json.attribute("model", report.model);
  json.attribute("device", report.device);
  json.attribute("budget_bytes", report.budgetBytes);
  json.attribute("store_all_peak_bytes", report.storeAllPeakBytes);
  json.attribute("resident_bytes", report.residentBytes);
  json.attribute("floor_bytes", report.floorBytes);
  json.attribute("planned_peak_bytes", report.plannedPeakBytes);
  json.attribute("max_live_bytes", report.maxLiveBytes);
  json.attribute("arena_bytes", report.arenaBytes);
  json.attribute("fragmentation", report.fragmentation);
  json.attribute("step_cost_seconds", report.stepCostSeconds);
  json.attribute("extra_percent", report.extraPercent);
  json.attribute("lower_bound_percent", report.lowerBoundPercent);
  json.attribute("gap_percent", report.gapPercent);
  json.attribute("status", report.status);
  if (!report.stoppedBy.empty())
    json.attribute("stopped_by", report.stoppedBy);
  json.attribute("plan_seconds", report.planSeconds);
  json.attribute("smallest_feasible_bytes", report.smallestFeasibleBytes);
  json.attribute("measured_peak_bytes", report.measuredPeakBytes);
  json.attribute("measured_step_seconds", report.measuredStepSeconds);
  json.attribute("outside_arena_bytes", report.outsideArenaBytes);
  json.attribute("check", report.check);
}

static void writeForcedBy(JsonWriter &json, const ForcedBy &forcedBy) {
  json.key("forced_by");
  json.beginObject();
  json.attribute("op", forcedBy.op);
  json.key("tensors");
  json.beginArray();
  for (const std::string &tensor : forcedBy.tensors)
    json.value(tensor);
  json.endArray();
  json.endObject();
}

static void writeLists(JsonWriter &json, const PlanReport &report) {
  writeList(json, "recomputed", report.recomputed,
            [&](const RecomputedNode &item) {
              json.attribute("node", item.node);
              json.attribute("cost", item.costSeconds);
              json.attribute("bytes_saved", item.bytesSaved);
            });
  writeList(json, "top_at_peak", report.topAtPeak, [&](const PeakTensor &item) {
    json.attribute("tensor", item.tensor);
    json.attribute("bytes", item.bytes);
    json.attribute("kept_alive_by", item.keptAliveBy);
  });
  writeList(json, "what_next", budgetOptions(report),
            [&](const BudgetOption &item) {
              json.attribute("label", item.label);
              json.attribute("bytes", item.bytes);
              json.attribute("extra_percent", item.extraPercent);
              json.attribute("lower_bound_percent", item.lowerBoundPercent);
            });
  writeList(json, "timeline", report.timeline, [&](const TimelineRow &row) {
    json.attribute("step", row.step);
    json.attribute("node", row.node);
    json.attribute("phase", phaseKey(row.phase));
    json.attribute("live_bytes", row.liveBytes);
    writeClasses(json, row.byClass);
    json.attribute("recomputed", row.recomputed);
  });
  writeList(json, "buffers", report.buffers, [&](const PlannedBuffer &buffer) {
    json.attribute("name", buffer.name);
    json.attribute("class", classKey(buffer.cls));
    json.attribute("bytes", buffer.bytes);
    json.attribute("offset", buffer.offsetBytes);
    json.attribute("first_step", buffer.firstStep);
    json.attribute("last_step", buffer.lastStep);
  });
}

std::string report::renderJson(const PlanReport &report) {
  JsonWriter json;
  json.beginObject();
  writeFigures(json, report);
  if (report.forcedBy)
    writeForcedBy(json, *report.forcedBy);
  if (report.byClass)
    writeClasses(json, *report.byClass);
  writeLists(json, report);
  json.endObject();
  return json.take();
}

std::string report::renderJson(const ParetoReport &report) {
  JsonWriter json;
  json.beginObject();
  json.attribute("schema", "lowtide.pareto/1");
  json.attribute("model", report.model);
  json.attribute("device", report.device);
  json.attribute("store_all_peak_bytes", report.storeAllPeakBytes);
  json.attribute("resident_bytes", report.residentBytes);
  json.attribute("floor_bytes", report.floorBytes);
  json.attribute("smallest_feasible_bytes", report.smallestFeasibleBytes);
  json.attribute("step_cost_seconds", report.stepCostSeconds);
  json.attribute("plan_seconds", report.planSeconds);
  writeList(json, "points", sortedPoints(report), [&](const ParetoPoint &p) {
    json.attribute("budget_bytes", p.budgetBytes);
    json.attribute("planned_peak_bytes", p.peakBytes);
    json.attribute("extra_percent", p.extraPercent);
    json.attribute("lower_bound_percent", p.lowerBoundPercent);
    json.attribute("status", p.status);
  });
  json.endObject();
  return json.take();
}
