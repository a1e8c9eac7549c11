//===- JsonAttributesTest.cpp - Tests of attributes as JSON ---------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "StepMetadata.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace lowtide::frontend;

TEST_CASE("attributes come back from JSON as they were") {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  mlir::NamedAttrList all;
  all.set("whole", builder.getF64FloatAttr(3.0));
  all.set("tiny", builder.getF64FloatAttr(5e-324));
  all.set("third", builder.getF64FloatAttr(1.0 / 3));
  all.set("large", builder.getI64IntegerAttr(INT64_MAX));
  all.set("low", builder.getI64IntegerAttr(-5));
  all.set("flag", builder.getBoolAttr(true));
  all.set("unit", builder.getUnitAttr());
  all.set("text \"q\"", builder.getStringAttr("line\n\"quoted\" \xC3\xA9"));
  all.set("list", builder.getArrayAttr({builder.getI64IntegerAttr(1),
                                        builder.getStringAttr("x")}));
  mlir::Attribute attribute = all.getDictionary(&context);
  auto text = attributeToJson(attribute);
  REQUIRE(text);
  auto value = parseJson(*text);
  REQUIRE(value);
  CHECK(attributeFromJson(&context, *value) == attribute);
}

TEST_CASE("what JSON has no form for is refused") {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  CHECK_FALSE(attributeToJson(builder.getF32FloatAttr(1)));
  CHECK_FALSE(attributeToJson(
      builder.getF64FloatAttr(std::numeric_limits<double>::infinity())));
  CHECK_FALSE(parseJson(std::string(100000, '[')));
  CHECK_FALSE(parseJson("{"));
}

TEST_CASE("the forward model comes back; damage is noticed") {
  std::string bytes(100000, 'x'), back;
  bytes += std::string("\0end", 4);
  std::string text = encodeForward(bytes);
  CHECK(text.size() < bytes.size() / 10);
  REQUIRE(decodeForward(text, back));
  CHECK(back == bytes);
  CHECK_FALSE(decodeForward("", back));
  CHECK_FALSE(decodeForward("not base64!", back));
  CHECK_FALSE(decodeForward(text.substr(0, text.size() / 8 * 4), back));
}
