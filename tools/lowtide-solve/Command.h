//===- Command.h - What every subcommand of lowtide-solve uses --*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One subcommand is one file with a function `int runName(Arguments &)`. Flag
// values are checked first, then paths, then missing flags, then files.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_SOLVE_COMMAND_H
#define LOWTIDE_TOOLS_LOWTIDE_SOLVE_COMMAND_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::solve {

enum ExitCode {
  Done = 0,
  UsageError = 2,
  BadProblem = 3,
  Unsupported = 4,
  BudgetNotMet = 5,
  CheckFailed = 6,
  InputOutput = 7,
};

/// The words after the subcommand, split into flags and plain words.
class Arguments {
public:
  Arguments(std::vector<std::string> words, llvm::StringRef synopsis)
      : words(std::move(words)), synopsis(synopsis) {}

  /// Declares the flags; false after a message on an unknown one, on a flag
  /// without its value or on a wrong number of plain words.
  bool parse(llvm::ArrayRef<llvm::StringRef> valueFlags,
             llvm::ArrayRef<llvm::StringRef> boolFlags, size_t numPlain);

  std::optional<llvm::StringRef> value(llvm::StringRef flag) const;
  bool has(llvm::StringRef flag) const { return value(flag).has_value(); }
  llvm::StringRef plain(size_t index) const { return plainWords[index]; }

  /// An integer flag in [low, high]; a message and false when it isn't one.
  bool integer(llvm::StringRef flag, int64_t low, int64_t high,
               int64_t &out) const;
  /// A positive decimal number of seconds.
  bool seconds(llvm::StringRef flag, double &out) const;
  /// Says what is wrong and how the command is used; returns UsageError.
  int usage(const llvm::Twine &text) const;

private:
  std::vector<std::string> words;
  llvm::StringRef synopsis;
  std::vector<std::pair<std::string, std::string>> flags;
  std::vector<std::string> plainWords;
};

/// A budget: bytes ("2GiB"), a percent of the order's peak ("50%") or "min".
struct BudgetText {
  enum Kind { Bytes, Percent, Least } kind = Bytes;
  int64_t bytes = 0;
  double percent = 0;
};
std::optional<BudgetText> parseBudget(llvm::StringRef text);

/// True when `path` can be opened for reading; otherwise says why not.
bool canRead(llvm::StringRef path);
/// True when a file can be written at `path`; otherwise says why not. Leaves
/// nothing behind.
bool canWrite(llvm::StringRef path);

/// Prints "lowtide-solve: error: ..." and returns `code`.
int fail(ExitCode code, const llvm::Twine &text);

/// Writes to a temporary file beside `path`, then renames it.
llvm::Error
writeAtomically(llvm::StringRef path,
                llvm::function_ref<void(llvm::raw_ostream &)> write);

int runRemat(Arguments &arguments);
int runPareto(Arguments &arguments);
int runCompare(Arguments &arguments);
int runCheck(Arguments &arguments);
int runGenerate(Arguments &arguments);
int runOrder(Arguments &arguments);
int runPack(Arguments &arguments);

} // namespace lowtide::solve

#endif // LOWTIDE_TOOLS_LOWTIDE_SOLVE_COMMAND_H
