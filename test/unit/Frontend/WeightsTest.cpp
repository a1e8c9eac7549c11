//===- WeightsTest.cpp - Tests of the weight store ------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Frontend/Weights.h"

#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

using namespace lowtide;

static mlir::RankedTensorType bytesType(mlir::MLIRContext &context, int64_t n) {
  return mlir::RankedTensorType::get({n}, mlir::IntegerType::get(&context, 8));
}

TEST_CASE("weights are found by name, in the order in which they came") {
  mlir::MLIRContext context;
  WeightStore store;
  CHECK(store.find("b") == nullptr);
  store.set("b", bytesType(context, 2), {1, 2});
  store.set("a", bytesType(context, 1), {3});
  REQUIRE(store.find("b"));
  CHECK(store.find("b")->bytes == llvm::ArrayRef<char>({1, 2}));
  std::string order;
  for (const auto &entry : store.entries())
    order += entry.first;
  CHECK(order == "ba");
}

TEST_CASE("setting a weight again replaces it in its place") {
  mlir::MLIRContext context;
  WeightStore store;
  store.set("w", bytesType(context, 1), {1});
  store.set("v", bytesType(context, 1), {2});
  store.set("w", bytesType(context, 2), {7, 8});
  CHECK(store.entries().size() == 2);
  CHECK(store.entries().front().first == "w");
  CHECK(store.find("w")->bytes.size() == 2);
}

TEST_CASE("an entry keeps its bytes alive") {
  mlir::MLIRContext context;
  WeightStore::Entry entry;
  {
    WeightStore store;
    store.set("w", bytesType(context, 3), {4, 5, 6});
    entry = *store.find("w");
  }
  CHECK(entry.bytes == llvm::ArrayRef<char>({4, 5, 6}));
}
