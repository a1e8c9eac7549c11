//===- CommandLine.cpp - Flags, paths and messages of the tools -----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "CommandLine/CommandLine.h"

#include "lowtide/Support/Bytes.h"
#include "lowtide/Support/JsonWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace lowtide;
using namespace lowtide::cli;
using llvm::StringRef;
using llvm::Twine;

static std::string &messagePrefix() {
  static std::string prefix;
  return prefix;
}

void cli::setMessagePrefix(StringRef prefix) { messagePrefix() = prefix.str(); }

int cli::fail(ExitCode code, const Twine &text) {
  llvm::errs() << messagePrefix() << "error: " << text << "\n";
  return code;
}

void cli::warn(const Twine &text) {
  llvm::errs() << messagePrefix() << "warning: " << text << "\n";
}

int Arguments::usage(const Twine &text) const {
  fail(UsageError, text);
  llvm::errs() << "usage: " << synopsis << "\n";
  return UsageError;
}

bool Arguments::addFlag(StringRef name, StringRef text, bool repeated) {
  if (!repeated && has(name)) {
    usage("flag '" + name + "' is given twice");
    return false;
  }
  flags.emplace_back(name.str(), text.str());
  return true;
}

bool Arguments::parse(llvm::ArrayRef<StringRef> valueFlags,
                      llvm::ArrayRef<StringRef> boolFlags, size_t numPlain) {
  return parse({valueFlags.vec(), boolFlags.vec(), {}, numPlain, numPlain});
}

bool Arguments::parse(const Declaration &declared) {
  bool onlyPlain = false;
  for (size_t k = 0; k < words.size(); ++k) {
    StringRef word = words[k];
    if (onlyPlain || word == "-" || !word.starts_with("-")) {
      plainWords.push_back(word.str());
      continue;
    }
    if (word == "--") {
      onlyPlain = true;
      continue;
    }
    auto [name, joined] = word.split('=');
    bool hasJoined = word.contains('=');
    if (llvm::is_contained(declared.boolFlags, name)) {
      if (hasJoined) {
        usage("flag '" + name + "' takes no value");
        return false;
      }
      if (!addFlag(name, "", /*repeated=*/true))
        return false;
      continue;
    }
    bool repeated = llvm::is_contained(declared.repeatedFlags, name);
    if (!repeated && !llvm::is_contained(declared.valueFlags, name)) {
      usage("unknown flag '" + word + "'");
      return false;
    }
    if (!hasJoined && k + 1 == words.size()) {
      usage("flag '" + name + "' needs a value");
      return false;
    }
    if (!addFlag(name, hasJoined ? joined : StringRef(words[++k]), repeated))
      return false;
  }
  if (plainWords.size() >= declared.leastPlain &&
      plainWords.size() <= declared.mostPlain)
    return true;
  std::string wanted = std::to_string(declared.leastPlain);
  if (declared.mostPlain != declared.leastPlain)
    wanted += " to " + std::to_string(declared.mostPlain);
  usage("expected " + wanted +
        (wanted == "1" ? " argument but got " : " arguments but got ") +
        Twine(plainWords.size()));
  return false;
}

std::optional<StringRef> Arguments::value(StringRef flag) const {
  std::optional<StringRef> found;
  for (const auto &[name, text] : flags)
    if (name == flag)
      found = text;
  return found;
}

std::vector<StringRef> Arguments::values(StringRef flag) const {
  std::vector<StringRef> found;
  for (const auto &[name, text] : flags)
    if (name == flag)
      found.push_back(text);
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

bool Arguments::number(StringRef flag, double low, double high, bool belowHigh,
                       double &out) const {
  auto text = value(flag);
  if (!text)
    return true;
  double number;
  if (text->getAsDouble(number) || !(number >= low) || !(number <= high) ||
      (belowHigh && number >= high)) {
    std::string range = "from " + shortestNumber(low);
    if (std::isfinite(high))
      range += (belowHigh ? " to below " : " to ") + shortestNumber(high);
    usage("'" + flag + "' is '" + *text + "' but should be a number " + range);
    return false;
  }
  if (!std::isfinite(number)) {
    usage("'" + flag + "' is '" + *text + "' but should be a finite number");
    return false;
  }
  out = number;
  return true;
}

std::optional<BudgetText> cli::parseBudget(StringRef text) {
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

bool cli::canRead(StringRef path) {
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

bool cli::canWrite(StringRef path) {
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

/// Whether `path` names something that can't be replaced by a file.
static bool isDevice(StringRef path) {
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) &&
         llvm::sys::fs::is_other(status);
}

static llvm::Error finish(llvm::raw_fd_ostream &os) {
  os.flush();
  auto error = os.error();
  os.clear_error();
  return error ? llvm::errorCodeToError(error) : llvm::Error::success();
}

llvm::Error
cli::writeAtomically(StringRef path,
                     llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (isDevice(path)) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (error)
      return llvm::errorCodeToError(error);
    write(os);
    return finish(os);
  }
  auto temporary = llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!temporary)
    return temporary.takeError();
  llvm::Error error = llvm::Error::success();
  {
    llvm::raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
    write(os);
    error = finish(os);
  }
  if (error) {
    llvm::consumeError(temporary->discard());
    return error;
  }
  return temporary->keep(path);
}
