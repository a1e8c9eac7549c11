//===- CostModel.h - Seconds of an op ---------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The time of an op is a launch plus the larger of its arithmetic at the rate
// of its kind and its bytes at the memory's rate (a roofline). Where a measured
// cost file has the same kernel call, its seconds are taken instead. Costs are
// whole picoseconds, so that sums are exact and plans are deterministic.
//
// Reference: Williams, Waterman, Patterson, "Roofline", CACM 2009.
// Tested by test/unit/Analysis/CostModelTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_ANALYSIS_COSTMODEL_H
#define LOWTIDE_ANALYSIS_COSTMODEL_H

#include "lowtide/Analysis/DeviceSpec.h"
#include "lowtide/Runtime/KernelCall.h"

#include "mlir/IR/Operation.h"

namespace lowtide {

/// The kernel call as text: name, operand and result types, attributes. Equal
/// calls have equal keys.
std::string costKey(const runtime::KernelCall &call);

class CostModel {
public:
  explicit CostModel(DeviceSpec spec) : spec(std::move(spec)) {}
  CostModel(DeviceSpec spec, MeasuredCosts measured)
      : spec(std::move(spec)), measured(std::move(measured)) {}

  const DeviceSpec &getSpec() const { return spec; }
  /// Picoseconds of one run; at least 1 for an op that does anything. `call` is
  /// the op's kernel call.
  int64_t getCost(mlir::Operation *op, const runtime::KernelCall &call) const;

private:
  DeviceSpec spec;
  MeasuredCosts measured;
};

} // namespace lowtide

#endif // LOWTIDE_ANALYSIS_COSTMODEL_H
