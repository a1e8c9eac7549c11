//===- VerifyForm.h - The forms as checks -----------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What passes may rely on between them, re-checked from the function alone.
//
//   F1  forward graph, every shape static, host operands constant
//   F2  training step: roles, a loss, updates, a name for every op, and no
//       argument read after the op that replaces it
//   F3  F2 in an order that is meaning; clones run an earlier op again
//   F4  F2 with clones and a place for everything, apart while live
//
// Tested by test/Transforms/verify-form.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TRANSFORMS_VERIFYFORM_H
#define LOWTIDE_TRANSFORMS_VERIFYFORM_H

#include "lowtide/Analysis/CostModel.h"
#include "lowtide/Runtime/Backend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lowtide {

enum class Form { F1, F2, F3, F4 };

/// Fails with a diagnostic for everything that breaks the form's contract.
/// Costs and back end serve F4, whose places depend on kernels.
mlir::LogicalResult verifyForm(mlir::func::FuncOp function, Form form,
                               const CostModel &costs,
                               const runtime::Backend &backend);

} // namespace lowtide

#endif // LOWTIDE_TRANSFORMS_VERIFYFORM_H
