//===- OpInterfaces.h - What passes may ask of an op ------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The C++ side of OpInterfaces.td.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_INTERFACES_OPINTERFACES_H
#define LOWTIDE_INTERFACES_OPINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace lowtide {

/// Rates of a device spec: dense matrix arithmetic, convolutions, and all the
/// rest, which memory bandwidth bounds.
enum class ComputeKind { Elementwise, MatMul, Conv };

} // namespace lowtide

#include "lowtide/Interfaces/OpInterfaces.h.inc"

#endif // LOWTIDE_INTERFACES_OPINTERFACES_H
