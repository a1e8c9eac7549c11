//===- Command.cpp - Flags, paths and messages of lowtide-solve -----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "lowtide/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lowtide;
using namespace lowtide::solve;
using llvm::StringRef;
using llvm::Twine;

int solve::fail(ExitCode code, const Twine &text) {
  llvm::errs() << "lowtide-solve: error: " << text << "\n";
  return code;
}

int Arguments::usage(const Twine &text) const {
  fail(UsageError, text);
  llvm::errs() << "usage: " << synopsis << "\n";
  return UsageError;
}

bool Arguments::parse(llvm::ArrayRef<StringRef> valueFlags,
                      llvm::ArrayRef<StringRef> boolFlags, size_t numPlain) {
  for (size_t k = 0; k < words.size(); ++k) {
    StringRef word = words[k];
    if (!word.starts_with("--")) {
      plainWords.push_back(word.str());
      continue;
    }
    auto [name, joined] = word.split('=');
    bool hasJoined = word.contains('=');
    if (llvm::is_contained(boolFlags, name) && !hasJoined) {
      flags.emplace_back(name.str(), "");
      continue;
    }
    if (!llvm::is_contained(valueFlags, name)) {
      usage("unknown flag '" + word + "'");
      return false;
    }
    if (!hasJoined && k + 1 == words.size()) {
      usage("flag '" + name + "' needs a value");
      return false;
    }
    flags.emplace_back(name.str(), hasJoined ? joined.str() : words[++k]);
  }
  if (plainWords.size() != numPlain) {
    usage("expected " + Twine(numPlain) + " arguments but got " +
          Twine(plainWords.size()));
    return false;
  }
  return true;
}

std::optional<StringRef> Arguments::value(StringRef flag) const {
  std::optional<StringRef> found;
  for (const auto &[name, text] : flags)
    if (name == flag)
      found = text;
  return found;
}

bool Arguments::integer(StringRef flag, int64_t low, int64_t high,
                        int64_t &out) const {
  auto text = value(flag);
  if (!text)
    return true;
  int64_t number;
  if (text->getAsInteger(10, number) || number < low || number > high) {
    usage("'" + flag + "' is '" + *text + "' but should be an integer from " +
          Twine(low) + " to " + Twine(high));
    return false;
  }
  out = number;
  return true;
}

bool Arguments::seconds(StringRef flag, double &out) const {
  auto text = value(flag);
  if (!text)
    return true;
  double number;
  if (text->getAsDouble(number) || !(number > 0) || number > 1e9) {
    usage("'" + flag + "' is '" + *text + "' but should be seconds above 0");
    return false;
  }
  out = number;
  return true;
}

std::optional<BudgetText> solve::parseBudget(StringRef text) {
  BudgetText budget;
  if (text == "min") {
    budget.kind = BudgetText::Least;
    return budget;
  }
  if (text.consume_back("%")) {
    budget.kind = BudgetText::Percent;
    if (text.empty() || text.find_first_not_of("0123456789.") != text.npos ||
        text.getAsDouble(budget.percent) || !(budget.percent > 0) ||
        budget.percent > 1e6)
      return std::nullopt;
    return budget;
  }
  auto bytes = parseBytes(std::string_view(text.data(), text.size()));
  if (!bytes)
    return std::nullopt;
  budget.bytes = *bytes;
  return budget;
}

bool solve::canRead(StringRef path) {
  if (llvm::sys::fs::is_directory(path)) {
    fail(InputOutput, "cannot read '" + path + "': is a directory");
    return false;
  }
  int handle;
  if (auto error = llvm::sys::fs::openFileForRead(path, handle)) {
    fail(InputOutput, "cannot read '" + path + "': " + error.message());
    return false;
  }
  llvm::sys::fs::file_t file = llvm::sys::fs::convertFDToNativeFile(handle);
  llvm::sys::fs::closeFile(file);
  return true;
}

bool solve::canWrite(StringRef path) {
  if (llvm::sys::fs::is_directory(path)) {
    fail(InputOutput, "cannot write '" + path + "': is a directory");
    return false;
  }
  StringRef folder = llvm::sys::path::parent_path(path);
  if (auto error = llvm::sys::fs::access(folder.empty() ? "." : folder,
                                         llvm::sys::fs::AccessMode::Write)) {
    fail(InputOutput, "cannot write '" + path + "': " + error.message());
    return false;
  }
  return true;
}

llvm::Error
solve::writeAtomically(StringRef path,
                       llvm::function_ref<void(llvm::raw_ostream &)> write) {
  auto temporary = llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!temporary)
    return temporary.takeError();
  {
    llvm::raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
    write(os);
    os.flush();
    if (auto error = os.error()) {
      os.clear_error();
      llvm::consumeError(temporary->discard());
      return llvm::errorCodeToError(error);
    }
  }
  return temporary->keep(path);
}
