//===- Progress.h - What a long command is doing ----------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One line on the terminal that is replaced by the next and gone at the end.
// Nothing is written where standard error is no terminal.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_PROGRESS_H
#define LOWTIDE_TOOLS_LOWTIDE_PROGRESS_H

#include "llvm/ADT/StringRef.h"

namespace lowtide::cli {

class Progress {
public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// "planning ..."
  void show(llvm::StringRef activity);
  /// Before anything else is printed.
  void clear();

private:
  bool isTerminal;
  bool isShown = false;
};

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_PROGRESS_H
