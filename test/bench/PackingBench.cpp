//===- PackingBench.cpp - The table of packing and order ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
//   lowtide-bench-packing [--quick]
//
// Prints one row per bar and exits with 1 when one is missed. `--quick` leaves
// out what takes longer than a few seconds. Every packing and every order is
// verified before its row can pass.
//
//===----------------------------------------------------------------------===//

#include "SolverRow.h"
#include "TransformerStep.h"

#include "../unit/Solver/Packing/SmallPackings.h"
#include "../unit/Solver/Schedule/SmallDags.h"

#include "lowtide/Solver/Packing/PackBuffers.h"
#include "lowtide/Solver/Packing/PackingCsv.h"
#include "lowtide/Solver/Remat/GenerateProblem.h"
#include "lowtide/Solver/Remat/RematFile.h"
#include "lowtide/Solver/Remat/Simulate.h"
#include "lowtide/Solver/Schedule/OrderOps.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <random>

using namespace lowtide;
using namespace lowtide::bench;
using namespace lowtide::solver;
using llvm::formatv;

static constexpr int64_t kCapacity = 1048576;

static std::optional<PackingProblem> readTable(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return std::nullopt;
  auto problem = readPackingCsv((*file)->getBuffer());
  if (!problem) {
    llvm::consumeError(problem.takeError());
    return std::nullopt;
  }
  return std::move(*problem);
}

/// Packs under a capacity; true when the answer is verified and fits.
static bool packs(PackingProblem problem, int64_t capacity,
                  PackingResult &result, double limitSeconds = 60) {
  problem.capacityBytes = capacity;
  PackingOptions options;
  options.timeLimitSeconds = limitSeconds;
  auto packed = packBuffers(problem, options);
  if (!packed) {
    llvm::consumeError(packed.takeError());
    return false;
  }
  result = std::move(*packed);
  return !llvm::errorToBool(verifyPacking(problem, result.solution()));
}

//===----------------------------------------------------------------------===//
// The public packing files
//===----------------------------------------------------------------------===//

using Change = void (*)(PackingProblem &);

static void reverseTime(PackingProblem &problem) {
  for (PackingBuffer &b : problem.buffers)
    for (LifeInterval &life : b.lifetime)
      life = {-life.upper, -life.lower};
}

static void shuffle(PackingProblem &problem) {
  std::mt19937_64 random(99);
  for (size_t i = problem.buffers.size(); i > 1; --i)
    std::swap(problem.buffers[i - 1], problem.buffers[random() % i]);
}

static void scale(PackingProblem &problem) {
  for (PackingBuffer &b : problem.buffers)
    b.sizeBytes *= 3000;
}

static void rankTimes(PackingProblem &problem) {
  std::vector<int64_t> times;
  for (const PackingBuffer &b : problem.buffers)
    for (const LifeInterval &life : b.lifetime) {
      times.push_back(life.lower);
      times.push_back(life.upper);
    }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  auto rank = [&](int64_t time) {
    return std::lower_bound(times.begin(), times.end(), time) - times.begin();
  };
  for (PackingBuffer &b : problem.buffers)
    for (LifeInterval &life : b.lifetime)
      life = {rank(life.lower), rank(life.upper)};
}

static void keepAsIs(PackingProblem &) {}

static void packVariant(Table &table, const std::vector<std::string> &files,
                        llvm::StringRef name, Change change, int64_t capacity,
                        size_t leastSolved, double leastSeconds) {
  size_t numSolved = 0;
  double begin = cpuSeconds(), slowest = 0;
  for (const std::string &path : files) {
    std::optional<PackingProblem> problem = readTable(path);
    if (!problem)
      continue;
    change(*problem);
    PackingResult result;
    double start = cpuSeconds();
    numSolved += packs(*problem, capacity, result);
    slowest = std::max(slowest, cpuSeconds() - start);
  }
  double seconds = cpuSeconds() - begin;
  table.row(formatv("{0} files of minimalloc, {1}", files.size(), name).str(),
            formatv("{0} solved, {1} s", leastSolved, leastSeconds).str(),
            formatv("{0} solved, {1:F2} s, slowest {2:F2}", numSolved, seconds,
                    slowest)
                .str(),
            numSolved >= leastSolved && seconds <= leastSeconds);
}

static void packLower(Table &table, const std::string &folder,
                      llvm::StringRef letter, int64_t capacity,
                      bool wantsProof) {
  std::optional<PackingProblem> problem =
      readTable(folder + "/" + letter.str() + ".1048576.csv");
  std::string work = formatv("{0} at {1}", letter, capacity).str();
  if (!problem)
    return table.skip(work, "no such file");
  PackingResult result;
  double start = cpuSeconds();
  bool fits = packs(*problem, capacity, result);
  double seconds = cpuSeconds() - start;
  bool isProved = result.status == PackingStatus::Optimal;
  table.row(work, wantsProof ? "proved, 60 s" : "60 s",
            formatv("height {0}{1}, {2:F2} s", result.heightBytes,
                    isProved ? " proved" : "", seconds)
                .str(),
            fits && seconds <= 60 && (isProved || !wantsProof));
}

static void packPublicFiles(Table &table, bool isQuick) {
  std::optional<std::string> folder = sharedFolder("data/minimalloc");
  if (!folder)
    return table.skip("the 11 files of minimalloc", "no data beside checkout");
  std::vector<std::string> files = filesIn(*folder, ".csv");
  packVariant(table, files, "as they are", keepAsIs, kCapacity, 11, 3);
  packLower(table, *folder, "C", 1039360, /*wantsProof=*/true);
  packLower(table, *folder, "D", 1024000, /*wantsProof=*/false);
  packLower(table, *folder, "J", 1032192, /*wantsProof=*/false);
  if (isQuick)
    return;
  packVariant(table, files, "reversed", reverseTime, kCapacity, 11, 60);
  packVariant(table, files, "shuffled", shuffle, kCapacity, 11, 60);
  packVariant(table, files, "sizes x 3000", scale, kCapacity * 3000, 11, 60);
  packVariant(table, files, "times as ranks", rankTimes, kCapacity, 10, 600);
}

//===----------------------------------------------------------------------===//
// Generated steps and small instances
//===----------------------------------------------------------------------===//

static void packStep(Table &table, int32_t layers, int32_t stride,
                     int32_t microBatches, double leastSeconds) {
  TransformerStepShape shape;
  shape.layers = layers;
  shape.recomputeStride = stride;
  shape.microBatches = microBatches;
  PackingProblem problem = makeTransformerStep(shape);
  double start = cpuSeconds();
  PackingResult result = llvm::cantFail(packBuffers(problem));
  double seconds = cpuSeconds() - start;
  bool isValid = !llvm::errorToBool(verifyPacking(problem, result.solution()));
  double ratio = double(result.heightBytes) / double(result.maxLiveBytes);
  table.row(
      formatv("step of {0} layers, {1} buffers", layers, problem.buffers.size())
          .str(),
      formatv("{0} s, 1.002 x max live", leastSeconds).str(),
      formatv("{0:F2} s, {1:F6}", seconds, ratio).str(),
      isValid && seconds < leastSeconds && ratio <= 1.002);
}

static void packSmallOnes(Table &table, int numBuffers) {
  size_t numEqual = 0, numAll = 0, numAbove = 0;
  for (int n = 1; n <= numBuffers; ++n)
    test::forEachSmallPacking(n, 3, 3, [&](const PackingProblem &problem) {
      PackingResult result = llvm::cantFail(packBuffers(problem));
      int64_t best = test::leastHeightByForce(problem);
      ++numAll;
      numAbove += best > maxLiveBytes(problem);
      numEqual +=
          result.heightBytes == best && result.status == PackingStatus::Optimal;
    });
  table.row(
      formatv("all sets of up to {0} buffers", numBuffers).str(),
      "as by brute force",
      formatv("{0} of {1}, {2} above max live", numEqual, numAll, numAbove)
          .str(),
      numEqual == numAll);
}

/// All graphs of `numOps` ops, or every `stride`-th of them.
static void orderSmallOnes(Table &table, int numOps, uint64_t stride) {
  size_t numEqual = 0, numAll = 0;
  uint64_t numGraphs = uint64_t(1) << numOps * (numOps - 1) / 2;
  for (uint64_t edges = 0; edges < numGraphs; edges += stride) {
    RematProblem problem =
        test::makeSmallDag(numOps, edges, edges % 5, test::DagFeatures::All);
    if (llvm::errorToBool(checkProblem(problem)))
      continue;
    OrderResult result = llvm::cantFail(orderForLeastPeak(problem));
    ++numAll;
    numEqual += result.peakBytes == test::leastPeakByForce(problem);
  }
  table.row(formatv("{0} graphs of {1} ops, order",
                    stride == 1 ? "all" : "a sample of", numOps)
                .str(),
            "as by brute force", formatv("{0} of {1}", numEqual, numAll).str(),
            numEqual == numAll);
}

/// Every single change of an answer that breaks a rule must be rejected.
static void mutateAnswers(Table &table) {
  TransformerStepShape shape;
  shape.layers = 3;
  PackingProblem problem = makeTransformerStep(shape);
  PackingResult result = llvm::cantFail(packBuffers(problem));
  size_t numRejected = 0, numAll = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    for (size_t j = 0; j < problem.buffers.size(); ++j) {
      const LifeInterval &a = problem.buffers[i].lifetime.front();
      const LifeInterval &b = problem.buffers[j].lifetime.front();
      if (i == j || a.lower >= b.upper || b.lower >= a.upper)
        continue;
      PackingSolution mutated = result.solution();
      mutated.offsetsBytes[i] = mutated.offsetsBytes[j];
      mutated.heightBytes = heightOf(problem, mutated.offsetsBytes);
      ++numAll;
      numRejected += llvm::errorToBool(verifyPacking(problem, mutated));
    }
  table.row("answers with one offset changed", "all rejected",
            formatv("{0} of {1}", numRejected, numAll).str(),
            numAll > 0 && numRejected == numAll);
}

static void orderOne(Table &table, const std::string &name,
                     const RematProblem &problem) {
  double start = cpuSeconds();
  OrderResult result = llvm::cantFail(orderForLeastPeak(problem));
  double seconds = cpuSeconds() - start;
  auto judged = simulate(problem, result.order);
  bool isValid = bool(judged) && judged->peakBytes == result.peakBytes;
  if (!judged)
    llvm::consumeError(judged.takeError());
  table.row(
      formatv("order of {0}, {1} ops", name, problem.ops.size()).str(),
      "not above the file's, 2 s",
      formatv("{0:P1} of the file's, {1}, {2:F2} s",
              double(result.peakBytes) /
                  double(std::max<int64_t>(1, result.inputOrderPeakBytes)),
              toString(result.status), seconds)
          .str(),
      isValid && result.peakBytes <= result.inputOrderPeakBytes &&
          seconds <= 2);
}

static void orderPublicFiles(Table &table) {
  std::optional<std::string> folder = sharedFolder("instances");
  if (!folder)
    return table.skip("order of the public graphs", "no data beside checkout");
  for (const std::string &path : filesIn(*folder, ".json")) {
    auto problem = readProblemFile(path);
    if (problem)
      orderOne(table, llvm::sys::path::stem(path).str(), *problem);
    else
      llvm::consumeError(problem.takeError());
  }
}

int main(int argc, char **argv) {
  bool isQuick = argc > 1 && llvm::StringRef(argv[1]) == "--quick";
  Table table("packing and order");
  packPublicFiles(table, isQuick);
  packStep(table, 1100, 3, 1, 1);
  packStep(table, 1300, 1, 1, 1);
  packStep(table, 96, 3, 13, 1);
  packSmallOnes(table, isQuick ? 4 : 6);
  for (int numOps = 1; numOps <= 6; ++numOps)
    orderSmallOnes(table, numOps, isQuick && numOps == 6 ? 17 : 1);
  orderSmallOnes(table, 7, isQuick ? 2003 : 1);
  mutateAnswers(table);
  orderOne(table, "a transformer step", generateTransformer(3000, 1));
  orderOne(table, "a random graph", generateRandom(3000, 1));
  orderPublicFiles(table);
  return table.finish();
}
