//===- RematTable.cpp - The solver's promises, measured -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// usage: lowtide-bench-remat [--slack=FACTOR] [NAME...]
//
// Prints one line per row with pass, miss or skip and ends with 1 when a row
// is missed. Public problems are read from the folder `instances` of
// $LOWTIDE_SHARED or ../shared; rows whose file is absent are skipped. With
// names only the rows whose problem has one of them run. On a busy machine all
// time limits can be multiplied by a factor.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/GenerateProblem.h"
#include "lowtide/Solver/Remat/RematFile.h"
#include "lowtide/Solver/Remat/Simulate.h"
#include "lowtide/Solver/Remat/SolveRemat.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <map>

using namespace lowtide::solver;

namespace {
/// What a row must reach; percents are of the cost without recomputation.
struct Row {
  const char *problem;
  double budgetPercent;
  bool fixedOrder;
  double maxExtraPercent; ///< < 0: must be infeasible with a witness
  double minBoundPercent;
  double maxGapPercent; ///< < 0: any
  double maxSeconds;
};
} // namespace

static const Row rows[] = {
    {"FCN8", 90, true, 0.0294, 0, 0, 0.5},
    {"FCN8", 80, true, 0.1362, 0, 0, 0.5},
    {"FCN8", 60, true, -1, 0, -1, 1},
    {"ResNet50", 90, true, 0.1085, 0, 0, 1},
    {"ResNet50", 80, true, 0.2786, 0, 0, 1},
    {"ResNet50", 70, true, 0.5645, 0, 0, 1},
    {"ResNet50", 60, true, 0.9627, 0, 0, 1},
    {"ResNet50", 50, true, 1.4988, 0, 0, 1},
    {"ResNet50", 40, true, 2.3, 0, -1, 10},
    {"ResNet50", 30, true, 4.3, 0, -1, 10},
    {"ResNet50", 20, true, 7.5, 0, -1, 10},
    {"VGG16", 90, true, 1.9678, 0, 0, 1},
    {"VGG16", 80, true, -1, 0, -1, 1},
    {"U-Net", 90, true, 1.129, 0, 0, 1},
    {"U-Net", 80, true, 1.9836, 0, 0, 1},
    {"U-Net", 70, true, 2.9673, 0, 0, 1},
    {"U-Net", 60, true, 4.4509, 0, 0, 1},
    {"U-Net", 50, true, 7.4, 0, -1, 10},
    {"U-Net", 30, true, -1, 0, -1, 1},
    {"MobileNet", 90, true, 0.1636, 0, 0, 1},
    {"MobileNet", 80, true, 0.3703, 0, 0, 1},
    {"MobileNet", 70, true, 0.6263, 0, 0, 1},
    {"MobileNet", 50, true, 1.7, 0, -1, 10},
    {"MobileNet", 40, true, 2.6, 0, -1, 10},
    {"MobileNet", 30, true, 4.1, 0, -1, 10},
    {"RL1", 90, true, 0.8, 0.682, -1, 10},
    {"RL1", 80, true, 2.3, 1.528, -1, 10},
    {"RL2", 90, true, 0.91, 0.7515, -1, 10},
    {"RL2", 80, true, 4.9, 2.44, -1, 10},
    {"RL1", 90, false, 0, 0, -1, 30},
    {"RL1", 80, false, 0.3, 0, -1, 30},
    {"RL1", 70, false, 2.2, 0, -1, 30},
    {"RL2", 90, false, 0, 0, -1, 30},
    {"RL2", 80, false, 0, 0, -1, 30},
    {"RL2", 70, false, 2.6, 0, -1, 30},
    {"transformer-100000", 80, true, 1e9, 0, 1, 10},
    {"transformer-100000", 50, true, 1e9, 0, 1, 10},
    {"transformer-100000", 25, true, 1e9, 0, 5, 10},
};

static std::string instanceFolder() {
  const char *shared = std::getenv("LOWTIDE_SHARED");
  return std::string(shared ? shared : "../shared") + "/instances/";
}

/// The problem of a row, read or generated once; null where it is absent.
static const RematProblem *problemOf(const std::string &name) {
  static std::map<std::string, RematProblem> known;
  auto found = known.find(name);
  if (found != known.end())
    return &found->second;
  if (name == "transformer-100000")
    return &(known[name] = generateTransformer(100000, 1));
  std::string path = instanceFolder() + name + ".json";
  if (!llvm::sys::fs::exists(path))
    return nullptr;
  auto problem = readProblemFile(path);
  if (!problem) {
    llvm::errs() << llvm::toString(problem.takeError()) << "\n";
    return nullptr;
  }
  return &(known[name] = std::move(*problem));
}

static double slack = 1;

static bool isReached(const Row &row, const RematResult &result) {
  if (result.seconds > row.maxSeconds * slack)
    return false;
  if (row.maxExtraPercent < 0)
    return result.status == RematStatus::Infeasible && result.witnessOp >= 0;
  return result.hasPlan() &&
         result.increasePercent() <= row.maxExtraPercent + 5e-5 &&
         result.boundPercent() >= row.minBoundPercent - 5e-4 &&
         (row.maxGapPercent < 0 ||
          result.gapPercent() <= row.maxGapPercent + 1e-9);
}

/// Prints one row; 0 reached, 1 missed, 2 skipped.
static int runRow(const Row &row) {
  llvm::raw_ostream &os = llvm::outs();
  os << llvm::format("%-20s%5.0f%% %-6s", row.problem, row.budgetPercent,
                     row.fixedOrder ? "fixed" : "free");
  const RematProblem *problem = problemOf(row.problem);
  if (!problem) {
    os << " skip (" << instanceFolder() << row.problem << ".json is absent)\n";
    return 2;
  }
  auto base = simulate(*problem, problem->order);
  if (!base) {
    os << " miss: " << llvm::toString(base.takeError()) << "\n";
    return 1;
  }
  RematOptions options;
  options.fixedOrder = row.fixedOrder;
  options.budgetBytes = percentOfPeak(base->peakBytes, row.budgetPercent);
  options.timeLimitSeconds = row.maxSeconds * slack * 0.8;
  RematResult result = solveRemat(*problem, options);
  bool reached = isReached(row, result);
  os << llvm::format(" %-11s extra %9.4f%% bound %9.4f%% gap %8.4f%% %6.2f s  ",
                     statusName(result.status),
                     result.hasPlan() ? result.increasePercent() : 0,
                     result.boundPercent(),
                     result.hasPlan() ? result.gapPercent() : 0, result.seconds)
     << (reached ? "pass" : "MISS") << "\n";
  os.flush();
  return reached ? 0 : 1;
}

static bool runChains() {
  const int64_t costs[] = {45, 26, 22, 21, 20, 19, 18, 17};
  RematProblem chain = generateChain(8);
  bool reached = true;
  for (int budget = 2; budget <= 10; ++budget) {
    RematOptions options;
    options.budgetBytes = budget;
    RematResult result = solveRemat(chain, options);
    reached &= budget == 2 ? result.status == RematStatus::Infeasible
                           : result.cost == costs[budget - 3];
  }
  llvm::outs() << "chain of 8 layers, budgets 2 to 10: "
               << (reached ? "pass" : "MISS") << "\n";
  return reached;
}

int main(int argc, char **argv) {
  int count[3] = {0, 0, 0};
  std::vector<std::string> names;
  for (int k = 1; k < argc; ++k)
    if (llvm::StringRef word = argv[k]; word.consume_front("--slack="))
      word.getAsDouble(slack);
    else
      names.push_back(argv[k]);
  for (const Row &row : rows) {
    bool isWanted = names.empty();
    for (const std::string &name : names)
      isWanted |= name == row.problem;
    if (isWanted)
      ++count[runRow(row)];
  }
  if (names.empty())
    ++count[runChains() ? 0 : 1];
  llvm::outs() << count[0] << " passed, " << count[1] << " missed, " << count[2]
               << " skipped\n";
  return count[1] > 0 ? 1 : 0;
}
