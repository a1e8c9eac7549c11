//===- KernelCases.h - One call or more for every kernel --------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TEST_UNIT_RUNTIME_KERNELCASES_H
#define LOWTIDE_TEST_UNIT_RUNTIME_KERNELCASES_H

#include "KernelHarness.h"

namespace lowtide::runtime::test {

/// Calls that every back end must agree on; floats are of type `type`.
std::vector<Call> kernelCases(DataType type);

} // namespace lowtide::runtime::test

#endif // LOWTIDE_TEST_UNIT_RUNTIME_KERNELCASES_H
