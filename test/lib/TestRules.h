//===- TestRules.h - Passes that show rules and bodies ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TEST_LIB_TESTRULES_H
#define LOWTIDE_TEST_LIB_TESTRULES_H

namespace lowtide::test {
/// --test-gradients, --test-bodies, --test-costs.
void registerRulePasses();
/// --test-run.
void registerRunPass();
} // namespace lowtide::test

#endif // LOWTIDE_TEST_LIB_TESTRULES_H
