//===- Generate.cpp - lowtide-solve generate ------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "lowtide/Solver/Remat/GenerateProblem.h"
#include "lowtide/Solver/Remat/RematFile.h"

#include "llvm/ADT/Twine.h"

using namespace lowtide::solve;
using namespace lowtide::solver;
using llvm::StringRef;
using llvm::Twine;

int lowtide::solve::runGenerate(Arguments &arguments) {
  if (!arguments.parse({"--ops", "--seed", "--out"}, {}, 1))
    return UsageError;
  int64_t numOps = 0, seed = 0;
  if (!arguments.integer("--ops", 1, 10000000, numOps) ||
      !arguments.integer("--seed", 0, INT64_MAX, seed))
    return UsageError;
  StringRef kind = arguments.plain(0);
  if (kind != "chain" && kind != "transformer" && kind != "random")
    return arguments.usage("the kind is '" + kind +
                           "'; known: chain, transformer, random");
  auto path = arguments.value("--out");
  if (path && !canWrite(*path))
    return InputOutput;
  if (!path || numOps == 0)
    return arguments.usage(Twine("'") + (path ? "--ops" : "--out") +
                           "' is missing");

  RematProblem problem = kind == "chain" ? generateChain(int(numOps - 1) / 2)
                         : kind == "transformer"
                             ? generateTransformer(int(numOps), uint64_t(seed))
                             : generateRandom(int(numOps), uint64_t(seed));
  if (llvm::Error error = writeAtomically(
          *path, [&](llvm::raw_ostream &os) { writeProblem(problem, os); }))
    return fail(InputOutput, "cannot write '" + *path +
                                 "': " + llvm::toString(std::move(error)));
  return Done;
}
