//===- TensorDataTest.cpp - Tests of tensors in a file --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "TensorData.h"

#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace lowtide;
using namespace lowtide::frontend;
using ::onnx::TensorProto;

namespace {

struct Checker {
  Checker() { context.allowUnregisteredDialects(); }
  FileStatus check(const TensorProto &tensor) {
    mlir::ScopedDiagnosticHandler quiet(
        &context, [](mlir::Diagnostic &) { return mlir::success(); });
    return checkTensor(tensor, "t", FileDiagnostics(context, "file"));
  }
  mlir::MLIRContext context;
};

TensorProto makeTensor(int32_t type, std::initializer_list<int64_t> dims) {
  TensorProto tensor;
  tensor.set_data_type(type);
  for (int64_t dim : dims)
    tensor.add_dims(dim);
  return tensor;
}

} // namespace

TEST_CASE("a tensor has the bytes that its dimensions say") {
  Checker checker;
  TensorProto tensor = makeTensor(TensorProto::FLOAT, {2});
  CHECK(checker.check(tensor) == FileStatus::BadModel);
  tensor.set_raw_data("12345678");
  CHECK(checker.check(tensor) == FileStatus::Ok);
  tensor.add_float_data(1);
  CHECK(checker.check(tensor) == FileStatus::BadModel);
  tensor.clear_raw_data();
  CHECK(checker.check(tensor) == FileStatus::BadModel);
  tensor.add_float_data(2);
  CHECK(checker.check(tensor) == FileStatus::Ok);
}

TEST_CASE("halves in int32_data are their low 16 bits") {
  TensorProto tensor = makeTensor(TensorProto::FLOAT16, {2});
  tensor.add_int32_data(15360);
  tensor.add_int32_data(0xC000);
  Checker checker;
  REQUIRE(checker.check(tensor) == FileStatus::Ok);
  std::vector<char> bytes = denseData(tensor);
  REQUIRE(bytes.size() == 4);
  uint16_t halves[2];
  std::memcpy(halves, bytes.data(), 4);
  CHECK(halves[0] == 0x3C00);
  CHECK(halves[1] == 0xC000);
}

TEST_CASE("a reference names its weight and keeps its dimensions") {
  TensorProto tensor = makeTensor(TensorProto::FLOAT, {2});
  tensor.set_raw_data("12345678");
  CHECK_FALSE(isReference(tensor));
  makeReference(tensor, "w");
  CHECK(isReference(tensor));
  CHECK(referenceName(tensor) == "w");
  CHECK(tensor.raw_data().empty());
  CHECK(tensor.dims(0) == 2);
}
