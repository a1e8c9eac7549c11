//===- Main.cpp - lowtide-solve: the solvers on problem files -------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "llvm/ADT/StringRef.h"

using namespace lowtide::solve;
using llvm::StringRef;

namespace {
struct Subcommand {
  StringRef name;
  int (*run)(Arguments &);
  StringRef summary;
  StringRef synopsis;
  StringRef example;
};
} // namespace

static const Subcommand subcommands[] = {
    {"remat", runRemat, "find the cheapest schedule within a budget",
     "lowtide-solve remat FILE --budget BYTES|P%|min [--order fixed|free] "
     "[--algorithm NAME] [--time-limit S] [--seed N] [--threads T] "
     "[--plan OUT] [--json]",
     "lowtide-solve remat resnet50.json --budget 50% --plan plan.json"},
    {"pareto", runPareto, "extra cost against bytes, with bounds",
     "lowtide-solve pareto FILE [--points N] [--order fixed|free] [--seed N] "
     "[--json|--csv]",
     "lowtide-solve pareto resnet50.json --points 16"},
    {"compare", runCompare, "all algorithms in one table",
     "lowtide-solve compare FILE --budgets LIST [--algorithms LIST] "
     "[--order fixed|free] [--json]",
     "lowtide-solve compare resnet50.json --budgets 90%,50%"},
    {"check", runCheck, "judge a plan",
     "lowtide-solve check FILE PLAN [--budget BYTES|P%] [--order fixed|free] "
     "[--json]",
     "lowtide-solve check resnet50.json plan.json --budget 50%"},
    {"pack", runPack, "addresses for buffers with lifetimes",
     "lowtide-solve pack FILE [--capacity N] [--align A] [--time-limit S] "
     "[--seed N] [--out FILE] [--json]",
     "lowtide-solve pack buffers.csv --capacity 1048576 --out packed.csv"},
    {"order", runOrder, "the order of ops with the least peak",
     "lowtide-solve order FILE [--time-limit S] [--plan OUT] [--json]",
     "lowtide-solve order resnet50.json --plan order.json"},
    {"generate", runGenerate, "make a problem",
     "lowtide-solve generate chain|transformer|random --ops N --out FILE "
     "[--seed S]",
     "lowtide-solve generate transformer --ops 1000 --seed 1 --out t.json"},
};

static void printHelp() {
  llvm::outs() << "usage: lowtide-solve COMMAND ...\n\ncommands:\n";
  for (const Subcommand &command : subcommands) {
    llvm::outs() << "  " << command.name;
    llvm::outs().indent(unsigned(10 - command.name.size()))
        << command.summary << "\n";
  }
  llvm::outs() << "\nlowtide-solve COMMAND --help says more.\n"
                  "exit codes: 0 done, 2 usage, 3 bad problem, 4 unsupported, "
                  "5 budget not met, 6 check failed, 7 input or output\n";
}

int main(int argc, char **argv) {
  setMessagePrefix("lowtide-solve: ");
  if (argc < 2) {
    fail(UsageError, "no command given; try lowtide-solve --help");
    return UsageError;
  }
  StringRef name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") {
    printHelp();
    return Done;
  }
  for (const Subcommand &command : subcommands) {
    if (command.name != name)
      continue;
    std::vector<std::string> words(argv + 2, argv + argc);
    for (const std::string &word : words)
      if (word == "--help" || word == "-h") {
        llvm::outs() << "usage: " << command.synopsis << "\n\n"
                     << command.name << ": " << command.summary
                     << "\n\nexample: " << command.example << "\n";
        return Done;
      }
    Arguments arguments(std::move(words), command.synopsis);
    return command.run(arguments);
  }
  fail(UsageError, "unknown command '" + name + "'; try lowtide-solve --help");
  return UsageError;
}
