//===- Run.cpp - lowtide run ----------------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Executes a planned step exactly as its file says, or a file without a plan
// as store-all. `--check` runs the same step without its clones beside it, in
// an arena of its own, and compares every output after every step.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "PlanFlags.h"
#include "Progress.h"
#include "ReportFlags.h"
#include "RunStep.h"
#include "StepFlags.h"

#include "lowtide/Analysis/KernelCalls.h"
#include "lowtide/Support/Printable.h"
#include "lowtide/Transforms/Shapes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <thread>

using namespace lowtide;
using namespace lowtide::cli;
using llvm::StringRef;

namespace {

class RunCommand {
public:
  explicit RunCommand(Arguments &arguments) : arguments(arguments) {}
  int run();

private:
  bool readFlags();
  int checkPaths();
  int bindModel();
  int planIfNeeded();
  int prepare();
  llvm::Expected<std::unique_ptr<StepRunner>> makePlainRunner();
  int runSteps();
  int runOneStep(int64_t step);
  void noteOutside();
  void printSummary(llvm::raw_ostream &os) const;
  int writeOutputs();
  int saveForward();
  int writeReports();

  Arguments &arguments;
  ReportFlags reports;
  std::map<std::string, int64_t> sizeByName;
  int64_t numSteps = 1, seed = 0, threads = 1;
  bool check = false;

  Session session;
  std::optional<Target> target;
  PlanOutcome outcome;
  std::vector<StepInput> inputs;
  std::unique_ptr<StepRunner> runner, plain;
  /// Of the step that allocated the most.
  int64_t outsideBytes = 0;
  int64_t outsideStep = 0;
  std::vector<runtime::OutsideAllocation> outside;
};

} // namespace

/// A sanitized build looks for stray writes in every run.
static constexpr bool isSanitized =
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

bool RunCommand::readFlags() {
  Arguments::Declaration declared;
  declared.valueFlags = {"--inputs", "--outputs", "--steps",
                         "--seed",   "--threads", "--save"};
  declared.boolFlags = {"--check"};
  declared.repeatedFlags = {"--dim"};
  ReportFlags::declare(declared);
  declared.leastPlain = declared.mostPlain = 1;
  threads = std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, 1024);
  if (!arguments.parse(declared))
    return false;
  check = arguments.has("--check");
  return arguments.integer("--steps", 1, 1000000, numSteps) &&
         arguments.integer("--seed", 0, INT64_MAX, seed) &&
         arguments.integer("--threads", 1, 1024, threads) &&
         readDimensions(arguments, sizeByName) && reports.read(arguments);
}

int RunCommand::checkPaths() {
  StringRef model = arguments.plain(0);
  if (!canRead(model))
    return InputOutput;
  std::vector<StringRef> taken = {model};
  if (auto path = arguments.value("--inputs")) {
    if (!canRead(*path))
      return InputOutput;
    taken.push_back(*path);
  }
  for (StringRef flag : {"--outputs", "--save"}) {
    auto path = arguments.value(flag);
    if (!path)
      continue;
    for (StringRef other : taken)
      if (isSameFile(*path, other))
        return arguments.usage("'" + flag + "' would overwrite '" + other +
                               "'");
    if (!canWrite(*path))
      return InputOutput;
    taken.push_back(*path);
  }
  return reports.checkPaths(arguments, taken);
}

/// A forward model is run as it is, once its dimensions are bound.
int RunCommand::bindModel() {
  if (isStep(session.model)) {
    if (!sizeByName.empty())
      return arguments.usage(
          "the model is a training step already, so '--dim' can't be given");
    return Done;
  }
  if (arguments.has("--save"))
    return arguments.usage("'--save' needs a training step; this is a forward "
                           "model, which learns nothing");
  if (int code = bindForward(session, {.sizeByName = sizeByName}))
    return code;
  auto unbound = getUnboundDimensions(getMain(session.model));
  if (!unbound.empty())
    return arguments.usage("running needs every dimension bound; unbound: " +
                           llvm::join(unbound, ", ") + " (--dim NAME=VALUE)");
  return Done;
}

int RunCommand::planIfNeeded() {
  if (isPlanned(session.model)) {
    outcome = readOutcome(session.model);
    return targetOfPlan(session.model, target);
  }
  auto made = makeTarget("cpu", "");
  if (!made)
    return fail(BadModel, llvm::toString(made.takeError()));
  target.emplace(std::move(*made));
  auto planned = planModel(session.model, *target, PlanOptions());
  if (mlir::failed(planned) || !planned->hasPlan())
    return Unsupported;
  outcome = *planned;
  return Done;
}

int RunCommand::prepare() {
  std::map<std::string, ArrayBytes> given;
  if (auto path = arguments.value("--inputs")) {
    auto read = readNpz(*path, inputTypes(session.model));
    if (!read)
      return fail(BadModel, llvm::toString(read.takeError()));
    given = std::move(*read);
  }
  auto made =
      makeInputs(session.model, std::move(given), static_cast<uint64_t>(seed));
  if (!made)
    return fail(BadModel, llvm::toString(made.takeError()));
  inputs = std::move(*made);
  auto plan = makeExecPlan(session.model, *target);
  if (mlir::failed(plan))
    return BadModel;
  auto created = StepRunner::create(std::move(*plan), inputs, int(threads),
                                    check || isSanitized);
  if (!created)
    return fail(BadModel, llvm::toString(created.takeError()));
  runner = std::move(*created);
  if (!check)
    return Done;
  auto reference = makePlainRunner();
  if (!reference)
    return fail(CheckFailed, llvm::toString(reference.takeError()));
  plain = std::move(*reference);
  return Done;
}

llvm::Expected<std::unique_ptr<StepRunner>> RunCommand::makePlainRunner() {
  Model copy = session.cloneModel();
  PlanOptions options;
  options.keepOrder = true;
  auto planned = planModel(copy, *target, options);
  auto failed = [] {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the step can't be planned as store-all");
  };
  if (mlir::failed(planned) || !planned->hasPlan())
    return failed();
  auto plan = makeExecPlan(copy, *target);
  if (mlir::failed(plan))
    return failed();
  return StepRunner::create(std::move(*plan), inputs, int(threads),
                            isSanitized);
}

void RunCommand::noteOutside() {
  const runtime::Timeline &timeline = runner->timeline();
  if (timeline.outsideArenaBytes <= outsideBytes)
    return;
  outsideBytes = timeline.outsideArenaBytes;
  outsideStep = static_cast<int64_t>(timeline.runSeconds.size()) - 1;
  outside = timeline.outsideAllocations;
}

int RunCommand::runOneStep(int64_t step) {
  if (llvm::Error error = runner->run())
    return fail(CheckFailed, "step " + std::to_string(step) + ": " +
                                 printable(llvm::toString(std::move(error))));
  noteOutside();
  auto loss = runner->loss();
  if (!loss)
    return fail(CheckFailed, llvm::toString(loss.takeError()));
  if (*loss) {
    llvm::raw_ostream &os = reports.usesStdout() ? llvm::errs() : llvm::outs();
    os << "step " << step << "  loss " << llvm::format("%.9g", **loss) << "\n";
  }
  if (!plain)
    return Done;
  if (llvm::Error error = plain->run())
    return fail(CheckFailed, "step " + std::to_string(step) +
                                 " without recomputation: " +
                                 printable(llvm::toString(std::move(error))));
  auto difference = compareOutputs(*runner, *plain);
  if (!difference)
    return fail(CheckFailed, llvm::toString(difference.takeError()));
  if (!difference->empty())
    return fail(CheckFailed, "step " + std::to_string(step) +
                                 ": the plan computes something else than the "
                                 "step without recomputation: " +
                                 printable(*difference));
  return Done;
}

int RunCommand::runSteps() {
  Progress progress;
  for (int64_t step = 0; step < numSteps; ++step) {
    progress.show("step " + std::to_string(step));
    // The line goes before anything is printed.
    progress.clear();
    if (int code = runOneStep(step))
      return code;
  }
  return Done;
}

void RunCommand::printSummary(llvm::raw_ostream &os) const {
  const runtime::Timeline &timeline = runner->timeline();
  if (!isStep(session.model))
    for (const runtime::Port &port : runner->plan().outputs)
      os << "output         " << printable(port.name) << "  "
         << runtime::toString(runner->plan().buffers[port.buffer].desc) << "\n";
  os << "planned peak   " << report::formatCount(runner->plan().arenaBytes)
     << " bytes\n"
     << "measured peak  " << report::formatCount(timeline.measuredPeakBytes)
     << " bytes\n";
  if (timeline.countedAllocations) {
    os << "outside arena  " << report::formatCount(outsideBytes) << " bytes";
    if (outsideBytes > 0)
      os << " in step " << outsideStep << ", "
         << report::formatCount(timeline.outsideArenaBytes)
         << " in the last step";
    os << "\n";
    constexpr size_t mostShown = 10;
    for (size_t i = 0; i < std::min(outside.size(), mostShown); ++i) {
      const runtime::Step &step = runner->plan().steps[outside[i].step];
      os << "  " << report::formatCount(outside[i].bytes) << " bytes by '"
         << printable(step.node) << "' (" << step.call.kernel << ")\n";
    }
    if (outside.size() > mostShown)
      os << "  and by " << outside.size() - mostShown << " more nodes\n";
  } else {
    os << "outside arena  not counted in this build\n";
  }
  os << "step time      " << report::formatSeconds(timeline.medianRunSeconds())
     << " (median of " << timeline.runSeconds.size() << ")\n";
  if (check)
    os << "check          passed: " << runner->plan().outputs.size()
       << " outputs, equal bit for bit after every step\n";
}

int RunCommand::writeOutputs() {
  auto path = arguments.value("--outputs");
  if (!path)
    return Done;
  auto arrays = runner->outputs();
  if (!arrays)
    return fail(CheckFailed, llvm::toString(arrays.takeError()));
  if (llvm::Error error = writeNpz(*path, *arrays))
    return fail(InputOutput,
                "cannot write " + llvm::toString(std::move(error)));
  return Done;
}

int RunCommand::saveForward() {
  auto path = arguments.value("--save");
  if (!path)
    return Done;
  WeightStore values;
  for (const runtime::Port &port : runner->plan().outputs) {
    if (port.updates.empty())
      continue;
    auto bytes = runner->output(port.name);
    if (!bytes)
      return fail(CheckFailed, llvm::toString(bytes.takeError()));
    const runtime::TensorDesc &desc = runner->plan().buffers[port.buffer].desc;
    auto type = mlir::RankedTensorType::get(
        desc.shape, toElementType(desc.type, &session.context));
    const char *data = reinterpret_cast<const char *>(bytes->data());
    values.set(port.updates, type,
               std::vector<char>(data, data + bytes->size()));
  }
  if (values.entries().empty())
    warn("no effect: '--save' writes the parameters as they were, since the "
         "step updates none (--optimizer none)");
  return static_cast<int>(
      saveForwardModel(session.model, values, *path, session.context));
}

int RunCommand::writeReports() {
  if (reports.isEmpty())
    return Done;
  auto report = makeReport(session.model, *target, outcome,
                           modelName(arguments.plain(0)));
  if (mlir::failed(report))
    return BadModel;
  const runtime::Timeline &timeline = runner->timeline();
  report->measuredPeakBytes = timeline.measuredPeakBytes;
  report->measuredStepSeconds = timeline.medianRunSeconds();
  if (timeline.countedAllocations)
    report->outsideArenaBytes = outsideBytes;
  if (check)
    report->check = plain ? "passed" : "failed";
  return reports.write(*report);
}

int RunCommand::run() {
  if (!readFlags())
    return UsageError;
  if (int code = checkPaths())
    return code;
  if (int code = session.load(arguments.plain(0)))
    return code;
  if (int code = bindModel())
    return code;
  if (int code = planIfNeeded())
    return code;
  if (int code = prepare())
    return code;
  int ran = runSteps();
  if (ran) {
    // A report that was asked for is written all the same.
    plain.reset();
    writeReports();
    return ran;
  }
  printSummary(reports.usesStdout() ? llvm::errs() : llvm::outs());
  llvm::outs().flush();
  if (int code = writeOutputs())
    return code;
  if (int code = saveForward())
    return code;
  return writeReports();
}

int cli::runRun(Arguments &arguments) { return RunCommand(arguments).run(); }
