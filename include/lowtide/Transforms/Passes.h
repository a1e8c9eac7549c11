//===- Passes.h - The passes of Lowtide -------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Creators and registration of Passes.td. A pass is thin: the functions it
// calls (Shapes.h, BuildStep.h, PlanStep.h, VerifyForm.h) are the library.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TRANSFORMS_PASSES_H
#define LOWTIDE_TRANSFORMS_PASSES_H

#include "lowtide/Transforms/BuildStep.h"
#include "lowtide/Transforms/VerifyForm.h"

#include "mlir/Pass/Pass.h"

namespace lowtide {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lowtide/Transforms/Passes.h.inc"

} // namespace lowtide

#endif // LOWTIDE_TRANSFORMS_PASSES_H
