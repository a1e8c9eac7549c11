//===- Progress.cpp - What a long command is doing ------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include "lowtide/Support/Printable.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace lowtide::cli;

Progress::Progress() {
  const char *terminal = std::getenv("TERM");
  isTerminal = llvm::errs().is_displayed() && terminal &&
               llvm::StringRef(terminal) != "dumb";
}

void Progress::show(llvm::StringRef activity) {
  if (!isTerminal)
    return;
  constexpr int width = 70;
  llvm::errs() << "\r\x1b[K"
               << elideMiddle(printable(std::string_view(activity)), width)
               << " ...";
  isShown = true;
}

void Progress::clear() {
  if (isShown)
    llvm::errs() << "\r\x1b[K";
  isShown = false;
}
