//===- KernelAgreementTest.cpp - Same call, same answer -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// For every call of KernelCases.cpp: writing over an operand, the number of
// threads (plain loops) and a second run change no bit; fast kernels agree with
// the plain loops up to rounding.
//
//===----------------------------------------------------------------------===//

#include "KernelCases.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace lowtide::runtime;
using namespace lowtide::runtime::test;

static void checkDonations(const Call &call, const BackendOptions &options,
                           const Outcome &plain) {
  for (const Donation &donation : plain.needs.donations) {
    INFO("result " << donation.result << " over operand " << donation.operand);
    REQUIRE(call.results[donation.result]->bytes() ==
            call.operands[donation.operand]->desc.bytes());
    const Outcome over = run(call, options, donation);
    CHECK(over.error == "");
    CHECK(over.results == plain.results);
  }
}

TEST_CASE("donations, threads and repetition change no bit") {
  for (DataType type : {DataType::Float32, DataType::Float64})
    for (bool reference : {true, false})
      for (const Call &call : kernelCases(type)) {
        INFO(call.kernel << " " << toString(type)
                         << (reference ? " plain" : " fast"));
        const BackendOptions options{2, reference};
        const Outcome plain = run(call, options);
        REQUIRE(plain.error == "");
        CHECK(run(call, options).results == plain.results);
        if (reference)
          CHECK(run(call, {1, true}).results == plain.results);
        checkDonations(call, options, plain);
      }
}

TEST_CASE("fast kernels agree with the plain loops") {
  for (const Call &call : kernelCases(DataType::Float32)) {
    INFO(call.kernel << " " << toString(call.operands[0]->desc));
    const Outcome plain = run(call, {1, true}), fast = run(call, {2, false});
    REQUIRE(plain.error == "");
    REQUIRE(fast.error == "");
    for (size_t r = 0; r < plain.results.size(); ++r) {
      const std::vector<double> a = plain.values(r), b = fast.values(r);
      double scale = 1e-3;
      for (double value : a)
        scale = std::max(scale, std::fabs(value));
      for (size_t i = 0; i < a.size(); ++i) {
        INFO("result " << r << " element " << i);
        CHECK(std::fabs(a[i] - b[i]) <= 4e-6 * scale);
      }
    }
  }
}

TEST_CASE("float32 agrees with float64") {
  const std::vector<Call> narrow = kernelCases(DataType::Float32);
  const std::vector<Call> wide = kernelCases(DataType::Float64);
  for (size_t c = 0; c < narrow.size(); ++c) {
    INFO(narrow[c].kernel);
    const Outcome a = run(narrow[c]), b = run(wide[c]);
    for (size_t r = 0; r < a.results.size(); ++r) {
      const std::vector<double> x = a.values(r), y = b.values(r);
      double scale = 1e-3;
      for (double value : y)
        scale = std::max(scale, std::fabs(value));
      for (size_t i = 0; i < x.size(); ++i)
        CHECK(std::fabs(x[i] - y[i]) <= 1e-5 * scale);
    }
  }
}
