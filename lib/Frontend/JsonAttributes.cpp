//===- JsonAttributes.cpp - Attributes as JSON and back -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Keys are sorted and floats always have a point or an exponent, so that text
// is the same from run to run and numbers come back as the kind they were
// (a whole negative float excepted).
//
//   {budget = 4096 : i64, extra = 3.0}  <->  {"budget":4096,"extra":3.0}
//
// Tested by test/Frontend/steps.py.
//
//===----------------------------------------------------------------------===//

#include "StepMetadata.h"

#include "mlir/IR/Builders.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace lowtide::frontend {

namespace {

constexpr int maximumJsonDepth = 16;

/// The shortest text that reads back as the same double.
std::string doubleText(double value) {
  char buffer[40];
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  StringRef text = buffer;
  return text.find_first_of(".en") == StringRef::npos ? text.str() + ".0"
                                                      : text.str();
}

std::string stringText(StringRef text) {
  std::string fixed =
      llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
  return llvm::formatv("{0}", llvm::json::Value(fixed)).str();
}

bool write(Attribute attribute, std::string &out) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    out += '{';
    for (auto [i, entry] : llvm::enumerate(dictionary)) {
      out += (i ? "," : "") + stringText(entry.getName()) + ":";
      if (!write(entry.getValue(), out))
        return false;
    }
    out += '}';
    return true;
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    out += '[';
    for (auto [i, entry] : llvm::enumerate(array)) {
      out += i ? "," : "";
      if (!write(entry, out))
        return false;
    }
    out += ']';
    return true;
  }
  if (auto text = dyn_cast<StringAttr>(attribute)) {
    out += stringText(text.getValue());
    return true;
  }
  if (auto flag = dyn_cast<BoolAttr>(attribute)) {
    out += flag.getValue() ? "true" : "false";
    return true;
  }
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    if (!integer.getType().isInteger(64))
      return false;
    out += std::to_string(integer.getInt());
    return true;
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    double value = number.getValueAsDouble();
    if (!number.getType().isF64() || !std::isfinite(value))
      return false;
    out += doubleText(value);
    return true;
  }
  if (isa<UnitAttr>(attribute)) {
    out += "null";
    return true;
  }
  return false;
}

} // namespace

std::optional<std::string> attributeToJson(Attribute attribute) {
  std::string out;
  if (!write(attribute, out))
    return std::nullopt;
  return out;
}

Attribute attributeFromJson(MLIRContext *context,
                            const llvm::json::Value &value) {
  Builder builder(context);
  switch (value.kind()) {
  case llvm::json::Value::Null:
    return builder.getUnitAttr();
  case llvm::json::Value::Boolean:
    return builder.getBoolAttr(*value.getAsBoolean());
  case llvm::json::Value::String:
    return builder.getStringAttr(*value.getAsString());
  case llvm::json::Value::Number: {
    // The parser keeps "3" and "3.0" apart, and only this accessor shows it.
    // For whole negative numbers none does: they come back as integers.
    std::optional<int64_t> integer = value.getAsInteger();
    if (integer && (*integer < 0 || value.getAsUINT64()))
      return builder.getI64IntegerAttr(*integer);
    return builder.getF64FloatAttr(*value.getAsNumber());
  }
  case llvm::json::Value::Array: {
    SmallVector<Attribute> entries;
    for (const llvm::json::Value &entry : *value.getAsArray())
      entries.push_back(attributeFromJson(context, entry));
    return builder.getArrayAttr(entries);
  }
  case llvm::json::Value::Object: {
    NamedAttrList entries;
    for (const auto &entry : *value.getAsObject())
      if (!StringRef(entry.first).empty())
        entries.set(StringRef(entry.first),
                    attributeFromJson(context, entry.second));
    return entries.getDictionary(context);
  }
  }
  return {};
}

std::optional<llvm::json::Value> parseJson(StringRef text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      i += c == '\\';
      inString = c != '"';
      continue;
    }
    inString = c == '"';
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    if (depth > maximumJsonDepth)
      return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  return std::move(*value);
}

} // namespace lowtide::frontend
