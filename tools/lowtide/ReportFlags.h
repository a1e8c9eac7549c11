//===- ReportFlags.h - --report=KIND[=FILE] ---------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_REPORTFLAGS_H
#define LOWTIDE_TOOLS_LOWTIDE_REPORTFLAGS_H

#include "CommandLine/CommandLine.h"

#include "lowtide/Report/Render.h"

namespace lowtide::cli {

extern const char *const reportSynopsis;

class ReportFlags {
public:
  static void declare(Arguments::Declaration &declaration);
  /// False after a message.
  bool read(const Arguments &arguments);
  /// The files can be written and aren't one of `others`; an exit code.
  int checkPaths(const Arguments &arguments,
                 llvm::ArrayRef<llvm::StringRef> others) const;

  bool isEmpty() const { return requests.empty(); }
  /// Whether a report goes to standard output.
  bool usesStdout() const;
  /// A table on standard output, for commands that show one by default.
  void addDefaultTable();

  /// Writes every report; an exit code.
  template <typename Report>
  int write(const Report &report) const {
    return writeEach(
        [&](report::ReportKind kind) { return report::render(report, kind); });
  }

private:
  struct Request {
    report::ReportKind kind;
    std::string path; ///< Empty for standard output.
  };
  int writeEach(
      llvm::function_ref<std::string(report::ReportKind)> render) const;

  std::vector<Request> requests;
};

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_REPORTFLAGS_H
