//===- CommandLine.h - Flags, paths and messages of the tools ---*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What the subcommands of `lowtide` and `lowtide-solve` share. One subcommand
// is one file with a function `int runName(Arguments &)`. Flag values are
// checked first, then paths, then missing flags, then what is in the files.
//
// Tested by test/Tools/usage.test.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_COMMANDLINE_COMMANDLINE_H
#define LOWTIDE_TOOLS_COMMANDLINE_COMMANDLINE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::cli {

enum ExitCode {
  Done = 0,
  UsageError = 2,
  BadModel = 3,
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

  struct Declaration {
    std::vector<llvm::StringRef> valueFlags;
    std::vector<llvm::StringRef> boolFlags;
    /// Flags with a value that may be given more than once.
    std::vector<llvm::StringRef> repeatedFlags;
    size_t leastPlain = 0, mostPlain = 0;
  };

  /// Splits the words; false after a message on an unknown flag, on one
  /// without its value, on one that is given twice or on a wrong number of
  /// plain words.
  bool parse(const Declaration &declaration);
  bool parse(llvm::ArrayRef<llvm::StringRef> valueFlags,
             llvm::ArrayRef<llvm::StringRef> boolFlags, size_t numPlain);

  std::optional<llvm::StringRef> value(llvm::StringRef flag) const;
  /// Every value of a repeated flag, in order.
  std::vector<llvm::StringRef> values(llvm::StringRef flag) const;
  bool has(llvm::StringRef flag) const { return value(flag).has_value(); }
  size_t numPlain() const { return plainWords.size(); }
  llvm::StringRef plain(size_t index) const { return plainWords[index]; }

  /// An integer flag in [low, high]; a message and false when it isn't one.
  bool integer(llvm::StringRef flag, int64_t low, int64_t high,
               int64_t &out) const;
  /// A positive decimal number of seconds.
  bool seconds(llvm::StringRef flag, double &out) const;
  /// A finite number in [low, high], or [low, high) where `belowHigh`.
  bool number(llvm::StringRef flag, double low, double high, bool belowHigh,
              double &out) const;
  /// Says what is wrong and how the command is used; returns UsageError.
  int usage(const llvm::Twine &text) const;

private:
  bool addFlag(llvm::StringRef name, llvm::StringRef text, bool repeated);

  std::vector<std::string> words;
  llvm::StringRef synopsis;
  std::vector<std::pair<std::string, std::string>> flags;
  std::vector<std::string> plainWords;
};

/// A budget: bytes ("2GiB"), a percent ("50%") or "min".
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

/// What messages begin with, before "error: ".
void setMessagePrefix(llvm::StringRef prefix);
/// Prints "error: ..." to standard error and returns `code`.
int fail(ExitCode code, const llvm::Twine &text);
void warn(const llvm::Twine &text);

/// Writes to a temporary file beside `path`, then renames it. What isn't a
/// regular file (a terminal, a pipe) is written to directly.
llvm::Error
writeAtomically(llvm::StringRef path,
                llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_COMMANDLINE_COMMANDLINE_H
