//===- SolverRow.cpp - Rows of a benchmark table --------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "SolverRow.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace lowtide;

bench::Table::Table(llvm::StringRef title) {
  std::printf("%s\n%-44s %-26s %-34s %s\n", title.str().c_str(), "work", "bar",
              "reached", "");
}

void bench::Table::row(llvm::StringRef work, llvm::StringRef bar,
                       llvm::StringRef reached, bool isMet) {
  std::printf("%-44s %-26s %-34s %s\n", work.str().c_str(), bar.str().c_str(),
              reached.str().c_str(), isMet ? "pass" : "FAIL");
  std::fflush(stdout);
  ++(isMet ? numMet : numMissed);
}

void bench::Table::skip(llvm::StringRef work, llvm::StringRef why) {
  std::printf("%-44s skipped: %s\n", work.str().c_str(), why.str().c_str());
  ++numSkipped;
}

int bench::Table::finish() const {
  std::printf("%d passed, %d failed, %d skipped\n", numMet, numMissed,
              numSkipped);
  return numMissed ? 1 : 0;
}

double bench::cpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

std::optional<std::string> bench::sharedFolder(llvm::StringRef name) {
  const char *given = std::getenv("LOWTIDE_SHARED");
  llvm::SmallString<128> path(given ? given : LOWTIDE_SOURCE_DIR "/../shared");
  llvm::sys::path::append(path, name);
  if (!llvm::sys::fs::is_directory(path))
    return std::nullopt;
  return std::string(path);
}

std::vector<std::string> bench::filesIn(const std::string &folder,
                                        llvm::StringRef extension) {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error))
    if (llvm::StringRef(it->path()).ends_with(extension))
      files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}
