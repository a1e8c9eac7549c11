//===- Pack.cpp - lowtide-solve pack --------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "lowtide/Solver/Packing/PackBuffers.h"
#include "lowtide/Solver/Packing/PackingCsv.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <numeric>

using namespace lowtide::solve;
using namespace lowtide::solver;
using llvm::StringRef;

static bool hasOffsets(const PackingResult &result) {
  return result.status == PackingStatus::Optimal ||
         result.status == PackingStatus::Feasible;
}

static std::string nameOf(const PackingProblem &problem, int32_t index) {
  const std::string &name = problem.buffers[index].name;
  return name.empty() ? std::to_string(index) : name;
}

static void printJson(const PackingProblem &problem,
                      const PackingResult &result, double seconds) {
  llvm::json::OStream out(llvm::outs(), 2);
  out.object([&] {
    out.attribute("status", toString(result.status));
    if (hasOffsets(result))
      out.attribute("height", result.heightBytes);
    else
      out.attribute("height", nullptr);
    out.attribute("max_live", result.maxLiveBytes);
    out.attribute("lower_bound", result.lowerBoundBytes);
    out.attribute("seconds", seconds);
    out.attribute("stopped_by", toString(result.stoppedBy));
    out.attributeArray("witness", [&] {
      for (int32_t index : result.witness)
        out.value(nameOf(problem, index));
    });
  });
  llvm::outs() << "\n";
}

static void printText(const PackingProblem &problem,
                      const PackingResult &result, double seconds) {
  llvm::raw_ostream &os = llvm::outs();
  os << toString(result.status) << ": ";
  if (hasOffsets(result))
    os << "height " << result.heightBytes << ", ";
  os << "max live " << result.maxLiveBytes << ", lower bound "
     << result.lowerBoundBytes << ", " << llvm::format("%.3f", seconds) << " s";
  if (result.stoppedBy != PackingStop::Complete)
    os << ", stopped by " << toString(result.stoppedBy);
  os << "\n";
  if (result.status == PackingStatus::Infeasible) {
    os << "no packing exists for these " << result.witness.size()
       << " buffers:";
    for (int32_t index : result.witness)
      os << " " << nameOf(problem, index);
    os << "\n";
  }
}

/// Reads the table and applies `--capacity` and `--align`.
static llvm::Expected<PackingProblem>
readProblem(Arguments &arguments, int64_t capacity, int64_t alignment) {
  auto file = llvm::MemoryBuffer::getFile(arguments.plain(0));
  if (!file)
    return llvm::createStringError(file.getError(), "cannot read the file");
  llvm::Expected<PackingProblem> problem = readPackingCsv((*file)->getBuffer());
  if (!problem)
    return problem.takeError();
  if (arguments.has("--capacity"))
    problem->capacityBytes = capacity;
  for (PackingBuffer &buffer : problem->buffers)
    buffer.alignment = std::lcm(buffer.alignment, alignment);
  return problem;
}

int lowtide::solve::runPack(Arguments &arguments) {
  if (!arguments.parse(
          {"--capacity", "--align", "--time-limit", "--seed", "--out"},
          {"--json"}, 1))
    return UsageError;
  PackingOptions options;
  int64_t capacity = 0, alignment = 1, seed = 0;
  if (!arguments.integer("--capacity", 0, INT64_MAX, capacity) ||
      !arguments.integer("--align", 1, int64_t(1) << 30, alignment) ||
      !arguments.seconds("--time-limit", options.timeLimitSeconds) ||
      !arguments.integer("--seed", 0, INT64_MAX, seed))
    return UsageError;
  options.seed = uint64_t(seed);
  if (!canRead(arguments.plain(0)))
    return InputOutput;
  auto outPath = arguments.value("--out");
  if (outPath && !canWrite(*outPath))
    return InputOutput;

  auto begin = std::chrono::steady_clock::now();
  auto problem = readProblem(arguments, capacity, alignment);
  if (!problem)
    return fail(BadProblem, arguments.plain(0) + ": " +
                                llvm::toString(problem.takeError()));
  auto result = packBuffers(*problem, options);
  if (!result)
    return fail(BadProblem,
                arguments.plain(0) + ": " + llvm::toString(result.takeError()));
  if (hasOffsets(*result)) {
    if (llvm::Error error = verifyPacking(*problem, result->solution()))
      return fail(CheckFailed, llvm::toString(std::move(error)));
    if (outPath)
      if (llvm::Error error =
              writeAtomically(*outPath, [&](llvm::raw_ostream &os) {
                os << writePackingCsv(*problem, result->offsetsBytes);
              }))
        return fail(InputOutput, "cannot write '" + *outPath +
                                     "': " + llvm::toString(std::move(error)));
  }
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  if (arguments.has("--json"))
    printJson(*problem, *result, seconds);
  else
    printText(*problem, *result, seconds);
  return hasOffsets(*result) ? Done : BudgetNotMet;
}
