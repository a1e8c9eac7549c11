//===- BuildExecPlan.h - A planned step as flat data ------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// From form F4 to what the runtime executes: buffers, steps, ports. No MLIR is
// left in the result.
//
// Tested by test/unit/Codegen/BuildExecPlanTest.cpp and every executed model.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_CODEGEN_BUILDEXECPLAN_H
#define LOWTIDE_CODEGEN_BUILDEXECPLAN_H

#include "lowtide/Analysis/StepMemory.h"

namespace lowtide {

/// The function must be in form F4 and `memory` an analysis of it as it is.
/// Fails with a diagnostic when a place is missing.
mlir::FailureOr<runtime::ExecPlan> buildExecPlan(mlir::func::FuncOp function,
                                                 const StepMemory &memory,
                                                 const DeviceSpec &device);

} // namespace lowtide

#endif // LOWTIDE_CODEGEN_BUILDEXECPLAN_H
