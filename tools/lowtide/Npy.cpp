//===- Npy.cpp - The header of a .npy member ------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "lowtide/Support/Bytes.h"

#include "llvm/ADT/Twine.h"

#include <cstring>
#include <limits>
#include <type_traits>

using namespace lowtide;
using namespace lowtide::cli;
using llvm::StringRef;
using runtime::DataType;
using runtime::TensorDesc;

static llvm::Error error(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

namespace {
struct TypeName {
  StringRef descr;
  DataType type;
};
} // namespace

/// Types of one byte have no byte order.
static const TypeName typeNames[] = {
    {"<f4", DataType::Float32}, {"<f8", DataType::Float64},
    {"<f2", DataType::Float16}, {"<i8", DataType::Int64},
    {"<i4", DataType::Int32},   {"<i2", DataType::Int16},
    {"|i1", DataType::Int8},    {"<u8", DataType::UInt64},
    {"<u4", DataType::UInt32},  {"<u2", DataType::UInt16},
    {"|u1", DataType::UInt8},   {"|b1", DataType::Bool}};

llvm::Expected<NpyPrefix> cli::parseNpyPrefix(StringRef bytes) {
  constexpr size_t magicBytes = 6;
  if (bytes.size() < npyPrefixBytes ||
      bytes.take_front(magicBytes) != StringRef("\x93NUMPY", magicBytes))
    return error("is no .npy array");
  auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  unsigned version = at(6);
  NpyPrefix prefix;
  if (version == 1) {
    prefix = {10, at(8) | size_t(at(9)) << 8};
  } else if (version == 2 || version == 3) {
    prefix = {12, at(8) | size_t(at(9)) << 8 | size_t(at(10)) << 16 |
                      size_t(at(11)) << 24};
  } else {
    return error("has .npy version " + llvm::Twine(version) +
                 "; versions 1 to 3 are known");
  }
  if (prefix.textBytes > longestNpyText)
    return error("has a header of " + llvm::Twine(prefix.textBytes) +
                 " bytes, which is too long");
  return prefix;
}

/// The text behind `'key':`, or nothing.
static std::optional<StringRef> valueOf(StringRef text, StringRef key) {
  size_t at = text.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef rest = text.drop_front(at + key.size() + 2).ltrim();
  if (!rest.consume_front(":"))
    return std::nullopt;
  return rest.ltrim();
}

/// "(3, 4)", "(3,)" or "()".
static bool parseShape(StringRef text, std::vector<int64_t> &shape) {
  constexpr size_t mostDimensions = 64;
  if (!text.consume_front("("))
    return false;
  auto [inside, rest] = text.split(')');
  if (inside.size() == text.size())
    return false;
  int64_t elements = 1;
  while (!inside.trim().empty()) {
    auto [dimension, next] = inside.split(',');
    int64_t size;
    if (dimension.trim().getAsInteger(10, size) || size < 0 ||
        shape.size() == mostDimensions)
      return false;
    auto product = checkedMultiply(elements, std::max<int64_t>(size, 1));
    if (!product)
      return false;
    elements = *product;
    shape.push_back(size);
    inside = next;
  }
  return true;
}

llvm::Expected<TensorDesc> cli::parseNpyText(StringRef text) {
  auto descr = valueOf(text, "descr");
  auto order = valueOf(text, "fortran_order");
  auto shape = valueOf(text, "shape");
  if (!descr || !order || !shape)
    return error("has a header without 'descr', 'fortran_order' or 'shape'");
  TensorDesc desc;
  if (!parseShape(*shape, desc.shape))
    return error("has a malformed shape");
  if (!order->starts_with("False"))
    return error("is in column order; save it in row order "
                 "(numpy.ascontiguousarray)");
  if (!descr->consume_front("'"))
    return error("has a structured type; plain arrays are read");
  StringRef name = descr->split('\'').first;
  for (const TypeName &known : typeNames)
    if (name == known.descr) {
      desc.type = known.type;
      return desc;
    }
  return error("has the type '" + name + "', which isn't read");
}

std::string cli::makeNpyHeader(const TensorDesc &desc) {
  StringRef descr = "|V2"; // bfloat16: numpy has no name for it.
  for (const TypeName &known : typeNames)
    if (desc.type == known.type)
      descr = known.descr;
  std::string text =
      "{'descr': '" + descr.str() + "', 'fortran_order': False, 'shape': (";
  for (int64_t size : desc.shape)
    text += std::to_string(size) + (desc.shape.size() == 1 ? "," : ", ");
  if (desc.shape.size() > 1)
    text.resize(text.size() - 2);
  text += "), }";
  // The data begins at a multiple of 64 bytes.
  constexpr size_t prefixBytes = 10, alignment = 64;
  size_t whole = alignTo(prefixBytes + text.size() + 1, alignment);
  text.append(whole - prefixBytes - text.size() - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

template <typename From, typename To>
static llvm::Error convertEach(const ArrayBytes &from, ArrayBytes &to) {
  size_t count = from.size() / sizeof(From);
  to.resize(count * sizeof(To));
  for (size_t i = 0; i < count; ++i) {
    From in;
    std::memcpy(&in, from.data() + i * sizeof(From), sizeof(From));
    To out = static_cast<To>(in);
    if constexpr (std::is_integral_v<To>)
      if (static_cast<From>(out) != in || (out < To(0)) != (in < From(0)))
        return error("holds " + std::to_string(in) +
                     ", which the input's type can't hold");
    std::memcpy(to.data() + i * sizeof(To), &out, sizeof(To));
  }
  return llvm::Error::success();
}

template <typename From>
static llvm::Error convertFrom(const ArrayBytes &from, DataType type,
                               ArrayBytes &to) {
  switch (type) {
  case DataType::Float32:
    return convertEach<From, float>(from, to);
  case DataType::Float64:
    return convertEach<From, double>(from, to);
  default:
    break;
  }
  if constexpr (std::is_integral_v<From>) {
    switch (type) {
    case DataType::Int64:
      return convertEach<From, int64_t>(from, to);
    case DataType::Int32:
      return convertEach<From, int32_t>(from, to);
    case DataType::Int16:
      return convertEach<From, int16_t>(from, to);
    case DataType::Int8:
      return convertEach<From, int8_t>(from, to);
    case DataType::UInt64:
      return convertEach<From, uint64_t>(from, to);
    case DataType::UInt32:
      return convertEach<From, uint32_t>(from, to);
    case DataType::UInt16:
      return convertEach<From, uint16_t>(from, to);
    case DataType::UInt8:
      return convertEach<From, uint8_t>(from, to);
    default:
      break;
    }
  }
  return error("has another type than the input, and can't be converted");
}

/// Booleans must be 0 or 1, whatever the file says.
static llvm::Error checkBooleans(const ArrayBytes &bytes) {
  for (std::byte b : bytes)
    if (b > std::byte(1))
      return error("holds a boolean that is neither 0 nor 1");
  return llvm::Error::success();
}

llvm::Expected<ArrayBytes> cli::convertElements(ArrayBytes bytes, DataType from,
                                                DataType to) {
  if (from == DataType::Bool)
    if (llvm::Error e = checkBooleans(bytes))
      return std::move(e);
  if (from == to)
    return bytes;
  ArrayBytes out;
  auto convert = [&]() -> llvm::Error {
    switch (from) {
    case DataType::Float32:
      return convertFrom<float>(bytes, to, out);
    case DataType::Float64:
      return convertFrom<double>(bytes, to, out);
    case DataType::Int64:
      return convertFrom<int64_t>(bytes, to, out);
    case DataType::Int32:
      return convertFrom<int32_t>(bytes, to, out);
    case DataType::Int16:
      return convertFrom<int16_t>(bytes, to, out);
    case DataType::Int8:
      return convertFrom<int8_t>(bytes, to, out);
    case DataType::UInt64:
      return convertFrom<uint64_t>(bytes, to, out);
    case DataType::UInt32:
      return convertFrom<uint32_t>(bytes, to, out);
    case DataType::UInt16:
      return convertFrom<uint16_t>(bytes, to, out);
    case DataType::UInt8:
    case DataType::Bool:
      return convertFrom<uint8_t>(bytes, to, out);
    default:
      return error("has a type that can't be converted");
    }
  };
  if (llvm::Error e = convert())
    return std::move(e);
  return out;
}
