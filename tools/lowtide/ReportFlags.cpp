//===- ReportFlags.cpp - --report=KIND[=FILE] -----------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ReportFlags.h"
#include "Session.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace lowtide;
using namespace lowtide::cli;
using llvm::StringRef;

const char *const cli::reportSynopsis =
    "[--report=table|json|csv|svg|html[=FILE]]...";

void ReportFlags::declare(Arguments::Declaration &declaration) {
  declaration.repeatedFlags.push_back("--report");
}

bool ReportFlags::read(const Arguments &arguments) {
  for (StringRef text : arguments.values("--report")) {
    auto [name, path] = text.split('=');
    auto kind = report::parseReportKind(std::string_view(name));
    if (!kind) {
      arguments.usage("'--report' is '" + text +
                      "' but should be table, json, csv, svg or html, "
                      "optionally with =FILE");
      return false;
    }
    if (text.contains('=') && path.empty()) {
      arguments.usage("'--report=" + text + "' names no file");
      return false;
    }
    requests.push_back({*kind, path.str()});
  }
  return true;
}

static bool isRegularOrNew(StringRef path) {
  llvm::sys::fs::file_status status;
  return llvm::sys::fs::status(path, status) ||
         !llvm::sys::fs::is_other(status);
}

int ReportFlags::checkPaths(const Arguments &arguments,
                            llvm::ArrayRef<StringRef> others) const {
  std::vector<std::string> taken(others.begin(), others.end());
  for (const Request &request : requests) {
    if (request.path.empty())
      continue;
    if (isRegularOrNew(request.path)) {
      for (const std::string &other : taken)
        if (isSameFile(request.path, other))
          return arguments.usage("the report '" + request.path +
                                 "' would overwrite '" + other + "'");
      taken.push_back(request.path);
    }
    if (!canWrite(request.path))
      return InputOutput;
  }
  return Done;
}

bool ReportFlags::usesStdout() const {
  return llvm::any_of(requests, [](const Request &request) {
    return request.path.empty() || request.path == "/dev/stdout";
  });
}

void ReportFlags::addDefaultTable() {
  requests.push_back({report::ReportKind::Table, ""});
}

int ReportFlags::writeEach(
    llvm::function_ref<std::string(report::ReportKind)> render) const {
  for (const Request &request : requests) {
    std::string text = render(request.kind);
    if (request.path.empty()) {
      llvm::outs() << text;
      if (!text.empty() && text.back() != '\n')
        llvm::outs() << '\n';
      continue;
    }
    if (llvm::Error error = writeAtomically(
            request.path, [&](llvm::raw_ostream &os) { os << text; }))
      return fail(InputOutput, "cannot write '" + request.path +
                                   "': " + llvm::toString(std::move(error)));
  }
  return Done;
}
