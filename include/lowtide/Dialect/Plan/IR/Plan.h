//===- Plan.h - The plan dialect --------------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Dialect and attributes of PlanDialect.td.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_PLAN_IR_PLAN_H
#define LOWTIDE_DIALECT_PLAN_IR_PLAN_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Dialect.h"

#include "lowtide/Dialect/Plan/IR/PlanDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lowtide/Dialect/Plan/IR/PlanAttrs.h.inc"

#endif // LOWTIDE_DIALECT_PLAN_IR_PLAN_H
