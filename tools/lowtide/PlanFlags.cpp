//===- PlanFlags.cpp - The flags that say what to plan for ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "PlanFlags.h"

#include "lowtide/Dialect/Plan/IR/Plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace lowtide;
using namespace lowtide::cli;
using llvm::StringRef;

const char *const cli::planSynopsis =
    "[--device NAME|FILE] [--costs FILE] [--time-limit S] [--threads T] "
    "[--seed S] [--order keep|free]";

void cli::declarePlanFlags(Arguments::Declaration &declaration) {
  for (StringRef flag : {"--device", "--costs", "--time-limit", "--threads",
                         "--seed", "--order"})
    declaration.valueFlags.push_back(flag);
}

static bool isBuiltin(StringRef device) {
  return llvm::is_contained(builtinDeviceNames(), device);
}

bool cli::readPlanFlags(const Arguments &arguments, PlanFlags &flags) {
  if (auto device = arguments.value("--device")) {
    flags.device = device->str();
    if (!isBuiltin(*device) && !llvm::sys::fs::exists(*device)) {
      arguments.usage("'--device' is '" + *device +
                      "', which is no file and none of: " +
                      llvm::join(builtinDeviceNames(), ", "));
      return false;
    }
  }
  if (auto costs = arguments.value("--costs"))
    flags.costsPath = costs->str();
  if (auto order = arguments.value("--order")) {
    if (*order != "keep" && *order != "free") {
      arguments.usage("'--order' is '" + *order +
                      "' but should be keep or free");
      return false;
    }
    flags.options.keepOrder = *order == "keep";
  }
  int64_t seed = 0, threads = 1;
  if (!arguments.seconds("--time-limit", flags.options.timeLimitSeconds) ||
      !arguments.integer("--seed", 0, INT64_MAX, seed) ||
      !arguments.integer("--threads", 1, 1024, threads))
    return false;
  flags.options.seed = static_cast<uint64_t>(seed);
  flags.options.threads = static_cast<int>(threads);
  return true;
}

bool cli::checkPlanPaths(const PlanFlags &flags) {
  return (isBuiltin(flags.device) || canRead(flags.device)) &&
         (flags.costsPath.empty() || canRead(flags.costsPath));
}

int cli::loadTarget(const PlanFlags &flags, std::optional<Target> &target) {
  auto made = makeTarget(flags.device, flags.costsPath);
  if (!made)
    return fail(BadModel, llvm::toString(made.takeError()));
  target.emplace(std::move(*made));
  return Done;
}

int cli::targetOfPlan(const Model &model, std::optional<Target> &target) {
  mlir::func::FuncOp function = getMain(model);
  auto summary = function->getAttrOfType<mlir::DictionaryAttr>("plan.summary");
  auto device =
      summary ? summary.getAs<mlir::StringAttr>("device") : mlir::StringAttr();
  auto threads = summary ? summary.getAs<mlir::IntegerAttr>("threads")
                         : mlir::IntegerAttr();
  std::string name = device ? device.str() : "cpu";
  auto spec = loadDeviceSpec(isBuiltin(name) ? name : "cpu");
  if (!spec)
    return fail(BadModel, llvm::toString(spec.takeError()));
  spec->name = name;
  if (auto arena = function->getAttrOfType<plan::ArenaAttr>("plan.arena"))
    spec->alignmentBytes = arena.getAlignment();
  constexpr int64_t mostThreads = 1024;
  if (threads && threads.getInt() >= 1 && threads.getInt() <= mostThreads)
    spec->threads = static_cast<int>(threads.getInt());
  auto backend =
      runtime::createCpuBackend({.threads = spec->threads, .reference = false});
  target.emplace(Target{CostModel(std::move(*spec)), std::move(backend)});
  return Done;
}
