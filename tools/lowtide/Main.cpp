//===- Main.cpp - lowtide: training steps within a budget -----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "PlanFlags.h"
#include "ReportFlags.h"
#include "StepFlags.h"

#include "llvm/ADT/ArrayRef.h"

using namespace lowtide::cli;
using llvm::StringRef;

namespace {
struct Subcommand {
  StringRef name;
  int (*run)(Arguments &);
  StringRef summary;
  /// Behind the name, before shared flags.
  std::string synopsis;
  StringRef details;
  StringRef example;
};
} // namespace

static std::string join(std::initializer_list<StringRef> parts) {
  std::string text;
  for (StringRef part : parts)
    text += (text.empty() ? "" : " ") + part.str();
  return text;
}

static const StringRef stepDetails =
    "A forward model needs --loss: cross-entropy and mse add an input "
    "'target',\n"
    "output:NAME takes a scalar output of the model. Defaults and formulas of\n"
    "the optimizers are PyTorch's. --wrt trains only what matches the glob\n"
    "patterns. Dimensions that follow from bound ones need no --dim.\n";

static std::vector<Subcommand> subcommands() {
  return {
      {"info", runInfo, "what is in a model, and what of it can't be trained",
       join({"MODEL [--dim NAME=VALUE]... [--json]"}),
       "Lists inputs, outputs, dimensions, ops and parameters. With every\n"
       "dimension bound also the bytes of the forward graph.\n",
       "lowtide info resnet50.onnx --dim N=8"},
      {"grad", runGrad, "make the training step of a model",
       join({"MODEL OUT", stepSynopsis, "[--opset N|keep]"}), stepDetails,
       "lowtide grad mlp.onnx step.onnx --loss cross-entropy --dim N=8"},
      {"optimize", runOptimize, "plan a training step within a byte budget",
       join({"MODEL OUT --budget BYTES|P%|min", stepSynopsis, planSynopsis,
             reportSynopsis, "[--opset N|keep] [--problem FILE] [--dry-run]"}),
       "MODEL is a forward model or a step that 'grad' or 'optimize' wrote.\n"
       "--dry-run plans and reports but writes no model; --problem writes "
       "what\n"
       "the solver is asked, for lowtide-solve.\n",
       "lowtide optimize resnet50.onnx step.onnx --budget 50% "
       "--loss cross-entropy --optimizer adamw --dim N=8"},
      {"run", runRun, "execute a step on this machine's CPU",
       join({"STEP [--inputs F.npz] [--outputs F.npz] [--steps K] [--seed S]",
             "[--threads T] [--check] [--save MODEL.onnx]",
             "[--dim NAME=VALUE]...", reportSynopsis}),
       "A file without a plan runs as store-all. Inputs that aren't given are\n"
       "drawn from the seed. --check also runs the step without recomputation\n"
       "and compares every output bit for bit; --save writes the forward "
       "model\n"
       "with the new parameters.\n",
       "lowtide run step.onnx --check --steps 3"},
      {"pareto", runPareto, "extra time against bytes",
       join({"MODEL", stepSynopsis, planSynopsis, reportSynopsis,
             "[--points N]"}),
       "Plans from the least peak to store-all; more bytes never cost more.\n",
       "lowtide pareto step.onnx --report=svg=curve.svg"},
      {"report", runReport, "the report of a planned step",
       join({"STEP", reportSynopsis}), "",
       "lowtide report step.onnx --report=html=step.html"},
      {"profile", runProfile, "measure the ops of a step on this machine",
       join({"MODEL --out FILE", stepSynopsis, "[--threads T]"}),
       "The file is for --costs of optimize and pareto.\n",
       "lowtide profile step.onnx --out costs.json"},
      {"ops", runOps, "the ops that can be differentiated and run",
       join({"[--json]"}), "", "lowtide ops"},
  };
}

static void printHelp(const std::vector<Subcommand> &commands) {
  llvm::outs() << "usage: lowtide COMMAND ...\n\n"
                  "Plans training steps of ONNX models within a byte budget "
                  "and runs them.\n\ncommands:\n";
  constexpr unsigned column = 11;
  for (const Subcommand &command : commands) {
    llvm::outs() << "  " << command.name;
    llvm::outs().indent(column - unsigned(command.name.size()))
        << command.summary << "\n";
  }
  llvm::outs() << "\nlowtide COMMAND --help says more.\n"
                  "exit codes: 0 done, 2 usage, 3 bad model, 4 unsupported, "
                  "5 budget not met, 6 check failed, 7 input or output\n";
}

static void printHelp(const Subcommand &command, StringRef synopsis) {
  llvm::outs() << "usage: " << synopsis << "\n\n"
               << command.name << ": " << command.summary << "\n";
  if (!command.details.empty())
    llvm::outs() << "\n" << command.details;
  llvm::outs() << "\nexample: " << command.example << "\n";
}

/// Whether the words ask for help; what stands behind `--` doesn't.
static bool asksForHelp(const std::vector<std::string> &words) {
  for (const std::string &word : words) {
    if (word == "--")
      return false;
    if (word == "--help" || word == "-h")
      return true;
  }
  return false;
}

static int dispatch(llvm::ArrayRef<const char *> words) {
  std::vector<Subcommand> commands = subcommands();
  if (words.empty())
    return fail(UsageError, "no command given; try lowtide --help");
  StringRef name = words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    printHelp(commands);
    return Done;
  }
  if (name == "--version") {
    llvm::outs() << "lowtide " LOWTIDE_VERSION "\n";
    return Done;
  }
  for (const Subcommand &command : commands) {
    if (command.name != name)
      continue;
    std::vector<std::string> rest(words.begin() + 1, words.end());
    std::string synopsis = "lowtide " + name.str() + " " + command.synopsis;
    if (asksForHelp(rest)) {
      printHelp(command, synopsis);
      return Done;
    }
    Arguments arguments(std::move(rest), synopsis);
    return command.run(arguments);
  }
  return fail(UsageError, "unknown command '" + name + "'; try lowtide --help");
}

int main(int argc, char **argv) {
  int code = dispatch(llvm::ArrayRef<const char *>(argv + 1, argv + argc));
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return code;
  llvm::outs().clear_error();
  return fail(InputOutput, "cannot write to standard output");
}
