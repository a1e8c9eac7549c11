//===- ElementTypesTest.cpp - Tests of element types ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

using namespace lowtide::frontend;
using ::onnx::TensorProto;

TEST_CASE("every element type comes back from the IR") {
  mlir::MLIRContext context;
  context.allowUnregisteredDialects();
  int known = 0;
  for (int type = 1; type <= TensorProto::DataType_MAX; ++type) {
    mlir::Type element = toElementType(&context, type);
    if (!element)
      continue;
    ++known;
    CHECK(toDataType(element) == type);
  }
  CHECK(known >= 25);
  CHECK_FALSE(toElementType(&context, TensorProto::UNDEFINED));
  CHECK_FALSE(toElementType(&context, 1000));
}

TEST_CASE("bytes of a tensor are counted without overflow") {
  int64_t half = int64_t(1) << 33;
  CHECK(denseBytes(TensorProto::FLOAT, {2, 3}) == 24);
  CHECK(denseBytes(TensorProto::FLOAT, {}) == 4);
  CHECK(denseBytes(TensorProto::FLOAT, {half, 0, half}) == 0);
  CHECK(denseBytes(TensorProto::UINT4, {3}) == 2);
  CHECK(denseBytes(TensorProto::INT2, {5}) == 2);
  CHECK(denseBytes(TensorProto::BOOL, {5}) == 5);
  CHECK_FALSE(denseBytes(TensorProto::FLOAT, {half, half}));
  CHECK_FALSE(denseBytes(TensorProto::FLOAT, {INT64_MAX}));
  CHECK_FALSE(denseBytes(TensorProto::FLOAT, {-1}));
  CHECK_FALSE(denseBytes(TensorProto::STRING, {1}));
}

TEST_CASE("a value that is no tensor keeps its type") {
  mlir::MLIRContext context;
  context.allowUnregisteredDialects();
  ::onnx::TypeProto sequence, back;
  sequence.mutable_sequence_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(TensorProto::FLOAT);
  REQUIRE(toTypeProto(toValueType(&context, sequence), {}, back));
  CHECK(back.SerializeAsString() == sequence.SerializeAsString());
  CHECK_FALSE(toTypeProto(unknownValueType(&context), {}, back));
}
