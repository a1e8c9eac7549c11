//===- Compare.cpp - lowtide-solve compare --------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RematResultOutput.h"

#include "lowtide/Solver/Remat/RematFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace lowtide::solve;
using namespace lowtide::solver;
using llvm::StringRef;

namespace {
struct Row {
  std::string algorithm, budget;
  int64_t budgetBytes;
  RematResult result;
};
} // namespace

static void printTable(const std::vector<Row> &rows, llvm::raw_ostream &os) {
  os << "budget        algorithm            extra %      gap %    seconds  "
        "status\n";
  for (const Row &row : rows) {
    os << llvm::format("%-14s%-16s", row.budget.c_str(), row.algorithm.c_str());
    if (row.result.hasPlan())
      os << llvm::format("%12.4f%11.4f", row.result.increasePercent(),
                         row.result.gapPercent());
    else
      os << "           -          -";
    // A baseline that doesn't fit proves nothing about the budget.
    os << llvm::format("%11.2f  ", row.result.seconds)
       << (row.result.status == RematStatus::Timeout
               ? "doesn't fit"
               : statusName(row.result.status))
       << "\n";
  }
}

static void printRows(const RematProblem &problem, const std::vector<Row> &rows,
                      llvm::raw_ostream &os) {
  llvm::json::OStream out(os);
  out.array([&] {
    for (const Row &row : rows)
      out.object([&] {
        out.attribute("algorithm", row.algorithm);
        out.attribute("budget", row.budgetBytes);
        writeResult(problem, row.result, out);
      });
  });
  os << "\n";
}

int lowtide::solve::runCompare(Arguments &arguments) {
  if (!arguments.parse({"--budgets", "--algorithms", "--order", "--time-limit",
                        "--seed", "--threads", "--effort"},
                       {"--json"}, 1))
    return UsageError;
  RematOptions options;
  if (!readSolverFlags(arguments, options))
    return UsageError;
  llvm::SmallVector<StringRef> budgetWords, names;
  std::vector<BudgetText> budgets;
  if (auto text = arguments.value("--budgets"))
    text->split(budgetWords, ',', -1, false);
  for (StringRef word : budgetWords) {
    auto budget = parseBudget(word);
    if (!budget || budget->kind == BudgetText::Least)
      return arguments.usage("'--budgets' holds '" + word +
                             "', which is neither bytes nor a percent");
    budgets.push_back(*budget);
  }
  std::vector<std::string> known = rematAlgorithms();
  known.push_back("auto");
  if (auto text = arguments.value("--algorithms"))
    text->split(names, ',', -1, false);
  else
    names.append(known.begin(), known.end());
  for (StringRef name : names)
    if (!llvm::is_contained(known, name.str()))
      return arguments.usage("'--algorithms' holds '" + name +
                             "', which is unknown");
  if (!canRead(arguments.plain(0)))
    return InputOutput;
  if (budgets.empty())
    return arguments.usage("'--budgets' is missing");

  auto problem = readProblemFile(arguments.plain(0));
  if (!problem)
    return fail(BadProblem, llvm::toString(problem.takeError()));
  std::vector<Row> rows;
  for (size_t k = 0; k < budgets.size(); ++k) {
    options.budgetBytes = bytesOf(budgets[k], *problem);
    size_t first = rows.size();
    int64_t boundCost = 0;
    for (StringRef name : names) {
      options.algorithm = name.str();
      rows.push_back({name.str(), budgetWords[k].str(), options.budgetBytes,
                      solveRemat(*problem, options)});
      boundCost = std::max(boundCost, rows.back().result.boundCost);
    }
    // One bound for all: the best one that any of them proved.
    for (size_t row = first; row < rows.size(); ++row)
      rows[row].result.boundCost = boundCost;
  }
  if (arguments.has("--json"))
    printRows(*problem, rows, llvm::outs());
  else
    printTable(rows, llvm::outs());
  return Done;
}
