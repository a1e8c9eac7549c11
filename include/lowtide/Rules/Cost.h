//===- Cost.h - Arithmetic of all ops ---------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Attaches CostOpInterface to the ops of the onnx and train dialects. Ops that
// only move elements have no model: they cost the bytes they move.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RULES_COST_H
#define LOWTIDE_RULES_COST_H

#include "mlir/IR/DialectRegistry.h"

namespace lowtide {

/// Takes effect once both dialects are loaded.
void registerCostRules(mlir::DialectRegistry &registry);

} // namespace lowtide

#endif // LOWTIDE_RULES_COST_H
