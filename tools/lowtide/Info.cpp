//===- Info.cpp - lowtide info --------------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Describes the model as it is in the file. With every dimension bound, also
// the bytes: of the training step where --loss says which one, else of the
// graph itself.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "ModelSummary.h"
#include "PlanFlags.h"
#include "StepFlags.h"

#include "lowtide/Report/PlanReport.h"
#include "lowtide/Support/Bytes.h"
#include "lowtide/Support/JsonWriter.h"
#include "lowtide/Support/Printable.h"
#include "lowtide/Transforms/Shapes.h"

using namespace lowtide;
using namespace lowtide::cli;

namespace {
struct MemoryFigures {
  int64_t residentBytes = 0, storeAllPeakBytes = 0, floorBytes = 0;
};
} // namespace

static void printPorts(llvm::raw_ostream &os, llvm::StringRef title,
                       const std::vector<ModelSummary::Port> &ports) {
  os << title << "\n";
  for (const ModelSummary::Port &port : ports) {
    os << "  " << printable(port.name) << "  " << printable(port.type);
    if (!port.role.empty() && port.role != "input")
      os << "  (" << port.role << ")";
    os << "\n";
  }
}

static void printProblems(llvm::raw_ostream &os, llvm::StringRef title,
                          const std::vector<ModelSummary::Problem> &problems) {
  if (problems.empty()) {
    os << title << ": nothing\n";
    return;
  }
  os << title << "\n";
  for (const ModelSummary::Problem &problem : problems)
    os << "  node '" << printable(problem.node) << "' ("
       << printable(problem.op) << "): " << problem.reason << "\n";
}

static std::string bytesText(int64_t bytes) {
  return report::formatCount(bytes) + " bytes (" + formatBytes(bytes) + ")";
}

static void printText(const std::string &model, const ModelSummary &summary,
                      const std::optional<MemoryFigures> &figures) {
  llvm::raw_ostream &os = llvm::outs();
  os << printable(model) << ": " << summary.form << ", opset " << summary.opset
     << ", IR version " << summary.irVersion;
  if (!summary.producer.empty())
    os << ", by " << printable(summary.producer);
  os << "\n";
  printPorts(os, "inputs", summary.inputs);
  printPorts(os, "outputs", summary.outputs);
  os << "unbound dimensions: "
     << (summary.unboundDimensions.empty() ? "none" : "");
  for (const std::string &name : summary.unboundDimensions)
    os << (&name == &summary.unboundDimensions.front() ? "" : ", ")
       << printable(name);
  os << "\nparameters: " << summary.numParameters << " tensors, "
     << report::formatCount(summary.numElements) << " elements, "
     << bytesText(summary.parameterBytes) << "\n";
  os << "ops\n";
  for (const auto &[name, count] : summary.countByOp)
    os << "  " << padLeft(std::to_string(count), 5) << "  " << printable(name)
       << "\n";
  printProblems(os, "can't be differentiated", summary.withoutGradient);
  printProblems(os, "can't be run", summary.withoutKernel);
  if (!figures)
    return;
  os << "resident   " << bytesText(figures->residentBytes) << "\n"
     << "store-all  " << bytesText(figures->storeAllPeakBytes) << "\n"
     << "floor      " << bytesText(figures->floorBytes) << "\n";
}

static void writePorts(JsonWriter &json, std::string_view key,
                       const std::vector<ModelSummary::Port> &ports) {
  json.key(key);
  json.beginArray();
  for (const ModelSummary::Port &port : ports) {
    json.beginObject(JsonWriter::Layout::OneLine);
    json.attribute("name", port.name);
    json.attribute("type", port.type);
    if (!port.role.empty())
      json.attribute("role", port.role);
    json.endObject();
  }
  json.endArray();
}

static void writeProblems(JsonWriter &json, std::string_view key,
                          const std::vector<ModelSummary::Problem> &problems) {
  json.key(key);
  json.beginArray();
  for (const ModelSummary::Problem &problem : problems) {
    json.beginObject(JsonWriter::Layout::OneLine);
    json.attribute("node", problem.node);
    json.attribute("op", problem.op);
    json.attribute("reason", problem.reason);
    json.endObject();
  }
  json.endArray();
}

static void printJson(const std::string &model, const ModelSummary &summary,
                      const std::optional<MemoryFigures> &figures) {
  JsonWriter json;
  json.beginObject();
  json.attribute("schema", "lowtide.info/1");
  json.attribute("model", model);
  json.attribute("form", summary.form);
  json.attribute("opset", summary.opset);
  json.attribute("ir_version", summary.irVersion);
  json.attribute("producer", summary.producer);
  writePorts(json, "inputs", summary.inputs);
  writePorts(json, "outputs", summary.outputs);
  json.key("unbound_dimensions");
  json.beginArray(JsonWriter::Layout::OneLine);
  for (const std::string &name : summary.unboundDimensions)
    json.value(name);
  json.endArray();
  json.attribute("parameters", summary.numParameters);
  json.attribute("parameter_elements", summary.numElements);
  json.attribute("parameter_bytes", summary.parameterBytes);
  json.key("ops");
  json.beginObject();
  for (const auto &[name, count] : summary.countByOp)
    json.attribute(name, count);
  json.endObject();
  writeProblems(json, "without_gradient", summary.withoutGradient);
  writeProblems(json, "without_kernel", summary.withoutKernel);
  if (figures) {
    json.attribute("resident_bytes", figures->residentBytes);
    json.attribute("store_all_peak_bytes", figures->storeAllPeakBytes);
    json.attribute("floor_bytes", figures->floorBytes);
  }
  json.endObject();
  llvm::outs() << json.take();
}

/// Plans a copy as store-all; nothing and the first reason where it can't be
/// planned.
static std::optional<MemoryFigures> measure(Session &session,
                                            std::string &reason) {
  auto target = makeTarget("cpu", "");
  if (!target) {
    llvm::consumeError(target.takeError());
    return std::nullopt;
  }
  Model copy = session.cloneModel();
  session.diagnostics.hold();
  auto outcome = planModel(copy, *target, PlanOptions());
  std::vector<std::string> errors = session.diagnostics.release();
  if (mlir::failed(outcome)) {
    reason = errors.empty() ? "the graph can't be planned" : errors.front();
    return std::nullopt;
  }
  return MemoryFigures{outcome->residentBytes, outcome->storeAllPeakBytes,
                       outcome->floorBytes};
}

int cli::runInfo(Arguments &arguments) {
  Arguments::Declaration declared;
  declareStepFlags(declared);
  declared.boolFlags.push_back("--json");
  declared.leastPlain = declared.mostPlain = 1;
  StepFlags step;
  if (!arguments.parse(declared) || !readStepFlags(arguments, step))
    return UsageError;
  llvm::StringRef path = arguments.plain(0);
  if (!canRead(path))
    return InputOutput;
  Session session;
  if (int code = session.load(path))
    return code;
  bool forward = !isStep(session.model);
  ModelSummary summary = summarize(session.model);
  if (!forward && !step.given.empty())
    return buildTrainingStep(session, arguments, step);
  if (forward && !step.forward.sizeByName.empty()) {
    if (int code = bindForward(session, step.forward))
      return code;
    // Shapes are known now, and what followed from them is folded away.
    summary = summarize(session.model);
  }
  std::optional<MemoryFigures> figures;
  std::string reason;
  if (summary.unboundDimensions.empty()) {
    if (forward && step.hasLoss && summary.withoutGradient.empty())
      if (mlir::failed(makeStep(session.model, step.step)))
        return Unsupported;
    figures = measure(session, reason);
  }
  if (arguments.has("--json"))
    printJson(modelName(path), summary, figures);
  else
    printText(modelName(path), summary, figures);
  if (!reason.empty())
    warn("no byte figures: " + reason +
         (forward && !step.hasLoss ? " (--loss asks for the training step's)"
                                   : ""));
  return Done;
}
