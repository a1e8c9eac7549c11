//===- SolverRow.h - Rows of a benchmark table ------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A row measures something and compares it with a bar. The table is printed
// as it grows; the exit code says whether every bar was met.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TEST_BENCH_SOLVERROW_H
#define LOWTIDE_TEST_BENCH_SOLVERROW_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::bench {

class Table {
public:
  explicit Table(llvm::StringRef title);

  /// Prints a row and remembers whether its bar was met.
  void row(llvm::StringRef work, llvm::StringRef bar, llvm::StringRef reached,
           bool isMet);
  void skip(llvm::StringRef work, llvm::StringRef why);
  /// Prints the sum; 0 when every bar was met, else 1.
  int finish() const;

private:
  int numMet = 0, numMissed = 0, numSkipped = 0;
};

/// CPU seconds of this thread; a busy machine doesn't make a bar harder.
double cpuSeconds();

/// A folder of the data that lies outside the checkout: below the environment
/// variable LOWTIDE_SHARED, or ../shared beside the checkout.
std::optional<std::string> sharedFolder(llvm::StringRef name);

/// The files of a folder with an extension, sorted.
std::vector<std::string> filesIn(const std::string &folder,
                                 llvm::StringRef extension);

} // namespace lowtide::bench

#endif // LOWTIDE_TEST_BENCH_SOLVERROW_H
