//===- Ops.cpp - lowtide ops ----------------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One row per op that we know, from what is registered: dialects, gradient
// rules, kernels, and the versions in the ONNX library's schemas.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Session.h"

#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Runtime/Backend.h"
#include "lowtide/Support/JsonWriter.h"
#include "lowtide/Support/Printable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include "onnx/defs/schema.h"

#include <map>

using namespace lowtide;
using namespace lowtide::cli;
using llvm::StringRef;

namespace {
struct OpRow {
  std::string name;
  int64_t oldestOpset = 0; ///< 0 for ops that aren't in the standard.
  bool gradient = false;
  std::string kernels; ///< "fast, reference", "reference" or "none"
};
} // namespace

static constexpr int64_t oldestReadOpset = 7, internalOpset = 28;

/// The opset that each standard op came with.
static std::map<std::string, int64_t> firstOpsets() {
  std::map<std::string, int64_t> first;
  for (const auto &schema :
       ::onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (!schema.domain().empty())
      continue;
    int64_t since = schema.SinceVersion();
    auto [known, isNew] = first.emplace(schema.Name(), since);
    if (!isNew)
      known->second = std::min(known->second, since);
  }
  return first;
}

static llvm::StringSet<> kernelNames(bool fast) {
  llvm::StringSet<> names;
  for (const std::string &name : runtime::cpuKernelNames(fast))
    names.insert(name);
  return names;
}

static std::string kernelsOf(StringRef name, const llvm::StringSet<> &reference,
                             const llvm::StringSet<> &fast) {
  if (fast.contains(name))
    return "fast, reference";
  return reference.contains(name) ? "reference" : "none";
}

static std::vector<OpRow> listOps(mlir::MLIRContext &context) {
  std::map<std::string, int64_t> first = firstOpsets();
  llvm::StringSet<> reference = kernelNames(false), fast = kernelNames(true);
  std::vector<OpRow> rows;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    StringRef dialect = op.getDialectNamespace();
    if (dialect != "onnx" && dialect != "train")
      continue;
    auto found = first.find(op.stripDialect().str());
    if (dialect == "onnx" && found == first.end())
      continue;
    OpRow row;
    row.name =
        dialect == "onnx" ? op.stripDialect().str() : op.getStringRef().str();
    if (dialect == "onnx")
      row.oldestOpset = std::max(found->second, oldestReadOpset);
    row.gradient = op.hasInterface<GradientOpInterface>() ||
                   op.hasInterface<TrainingFormOpInterface>();
    row.kernels = kernelsOf(op.getStringRef(), reference, fast);
    rows.push_back(std::move(row));
  }
  // Standard ops first, each group by name.
  std::stable_sort(
      rows.begin(), rows.end(), [](const OpRow &a, const OpRow &b) {
        bool aOurs = a.oldestOpset == 0, bOurs = b.oldestOpset == 0;
        return std::tie(aOurs, a.name) < std::tie(bOurs, b.name);
      });
  return rows;
}

static std::string opsetText(const OpRow &row) {
  return row.oldestOpset == 0 ? "-"
                              : std::to_string(row.oldestOpset) + "-" +
                                    std::to_string(internalOpset);
}

static void printTable(const std::vector<OpRow> &rows) {
  constexpr int nameWidth = 36, opsetWidth = 8, gradientWidth = 10;
  llvm::raw_ostream &os = llvm::outs();
  os << padRight("op", nameWidth) << padRight("opset", opsetWidth)
     << padRight("gradient", gradientWidth) << "kernels\n";
  for (const OpRow &row : rows)
    os << padRight(row.name, nameWidth) << padRight(opsetText(row), opsetWidth)
       << padRight(row.gradient ? "yes" : "no", gradientWidth) << row.kernels
       << "\n";
}

static void printJson(const std::vector<OpRow> &rows) {
  JsonWriter json;
  json.beginObject();
  json.attribute("schema", "lowtide.ops/1");
  json.key("ops");
  json.beginArray();
  for (const OpRow &row : rows) {
    json.beginObject(JsonWriter::Layout::OneLine);
    json.attribute("op", row.name);
    if (row.oldestOpset != 0) {
      json.attribute("oldest_opset", row.oldestOpset);
      json.attribute("newest_opset", internalOpset);
    }
    json.attribute("gradient", row.gradient);
    json.attribute("kernels", row.kernels);
    json.endObject();
  }
  json.endArray();
  json.endObject();
  llvm::outs() << json.take();
}

int cli::runOps(Arguments &arguments) {
  if (!arguments.parse({}, {"--json"}, 0))
    return UsageError;
  Session session;
  std::vector<OpRow> rows = listOps(session.context);
  if (arguments.has("--json"))
    printJson(rows);
  else
    printTable(rows);
  return Done;
}
