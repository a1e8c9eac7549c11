//===- Inputs.h - What a step is fed with -----------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every input of the graph gets bytes from the first of these that has them:
// the arrays that the user gave, the model's weights, and what its role says
// (state starts at zero, `step` counts from 0, `seed` is the seed). What is
// left is drawn from the seed: floats from N(0, 1), integers that index an axis
// uniformly over that axis, other integers and booleans 0 or 1.
//
// Tested by test/Tools/run-inputs.test.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_INPUTS_H
#define LOWTIDE_TOOLS_LOWTIDE_INPUTS_H

#include "Npz.h"
#include "Session.h"

namespace lowtide::cli {

struct StepInput {
  std::string name;
  runtime::TensorDesc desc;
  std::string role; ///< Empty for a forward model.
  ArrayBytes bytes;
};

/// Names and types of the arrays that the user may give.
ArrayTypes inputTypes(const Model &model);

/// Fails where a weight isn't what the graph says.
llvm::Expected<std::vector<StepInput>>
makeInputs(const Model &model, std::map<std::string, ArrayBytes> given,
           uint64_t seed);

/// How many values an integer argument may take because ops index an axis
/// with it: the length of the shortest such axis; nothing when none does.
std::optional<int64_t> indexedLength(mlir::Value argument);

/// The values of element `i` of the `stream`-th drawn input, for tests to
/// agree on: N(0, 1), and uniform below `bound`.
double drawNormal(uint64_t seed, uint32_t stream, int64_t i);
int64_t drawBelow(uint64_t seed, uint32_t stream, int64_t i, int64_t bound);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_INPUTS_H
