//===- SaveForward.h - The forward model inside a step ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_SAVEFORWARD_H
#define LOWTIDE_LIB_FRONTEND_SAVEFORWARD_H

#include "lowtide/Frontend/Model.h"

#include "llvm/ADT/StringSet.h"

namespace lowtide::frontend {

/// `step.forwardModel` with the bytes of those tensors that aren't among the
/// weights which the step's file will hold.
std::string completeForward(const Model &step,
                            const llvm::StringSet<> &stepWeights);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_SAVEFORWARD_H
