//===- Inputs.cpp - What a step is fed with -------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "lowtide/Analysis/KernelCalls.h"
#include "lowtide/Runtime/Philox.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

#include <cmath>
#include <cstring>

using namespace lowtide;
using namespace lowtide::cli;
using llvm::StringRef;
using runtime::DataType;
using runtime::TensorDesc;

static llvm::Error error(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static runtime::PhiloxBlock drawBlock(uint64_t seed, uint32_t stream,
                                      int64_t i) {
  // No step of a model has this number.
  constexpr int64_t inputsOfTheStep = -1;
  return runtime::OpRandom(static_cast<int64_t>(seed), inputsOfTheStep, stream)
      .block(i);
}

double cli::drawNormal(uint64_t seed, uint32_t stream, int64_t i) {
  constexpr double scale = 1.0 / 4294967296.0;
  runtime::PhiloxBlock words = drawBlock(seed, stream, i);
  double radius = std::sqrt(-2 * std::log((double(words[0]) + 1) * scale));
  return radius * std::cos(2 * M_PI * double(words[1]) * scale);
}

int64_t cli::drawBelow(uint64_t seed, uint32_t stream, int64_t i,
                       int64_t bound) {
  runtime::PhiloxBlock words = drawBlock(seed, stream, i);
  uint64_t word = uint64_t(words[0]) << 32 | words[1];
  return static_cast<int64_t>(word % static_cast<uint64_t>(bound));
}

/// The length of the axis that this use indexes, or nothing.
static std::optional<int64_t> lengthIndexedBy(mlir::OpOperand &use) {
  mlir::Operation *op = use.getOwner();
  StringRef name = op->getName().getStringRef();
  constexpr int64_t attributeOrNone = -1000;
  // Operand that is indexed, operand of the indices, default axis.
  auto [data, indices, axis] =
      llvm::StringSwitch<std::tuple<unsigned, unsigned, int64_t>>(name)
          .Cases("onnx.Gather", "onnx.GatherElements", {0, 1, 0})
          .Case("onnx.ScatterElements", {0, 1, 0})
          .Cases("onnx.SoftmaxCrossEntropyLoss",
                 "onnx.NegativeLogLikelihoodLoss", {0, 1, 1})
          .Case("train.softmax_cross_entropy", {0, 1, 1})
          .Default({0, 0, attributeOrNone});
  if (axis == attributeOrNone || use.getOperandNumber() != indices)
    return std::nullopt;
  auto type =
      mlir::dyn_cast<mlir::RankedTensorType>(op->getOperand(data).getType());
  if (auto attr = op->getAttrOfType<mlir::IntegerAttr>("axis"))
    axis = attr.getInt();
  if (!type)
    return std::nullopt;
  if (axis < 0)
    axis += type.getRank();
  if (axis < 0 || axis >= type.getRank() || type.isDynamicDim(axis))
    return std::nullopt;
  return type.getDimSize(axis);
}

/// Ops whose result holds the same numbers, so that an index stays one.
static bool movesValues(mlir::Operation *op) {
  StringRef name = op->getName().getStringRef();
  return llvm::StringSwitch<bool>(name)
      .Cases("onnx.Reshape", "onnx.Squeeze", "onnx.Unsqueeze", "onnx.Identity",
             "onnx.Flatten", "onnx.Cast", true)
      .Cases("onnx.Transpose", "onnx.Expand", "onnx.Slice", "onnx.Concat",
             "onnx.Tile", "onnx.Split", true)
      .Default(false);
}

std::optional<int64_t> cli::indexedLength(mlir::Value argument) {
  std::optional<int64_t> shortest;
  llvm::SmallVector<mlir::Value> worklist = {argument};
  llvm::SmallPtrSet<mlir::Value, 8> seen;
  while (!worklist.empty()) {
    mlir::Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (mlir::OpOperand &use : value.getUses()) {
      if (auto length = lengthIndexedBy(use))
        shortest = std::min(shortest.value_or(*length), *length);
      if (movesValues(use.getOwner()))
        worklist.append(use.getOwner()->result_begin(),
                        use.getOwner()->result_end());
    }
  }
  return shortest;
}

template <typename T, typename Draw>
static void fill(ArrayBytes &bytes, Draw draw) {
  for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    T value = static_cast<T>(draw(static_cast<int64_t>(i)));
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
}

/// The upper half of the float32, which is what bfloat16 is.
static uint16_t toBFloat16(double value) {
  float narrow = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);
}

static void drawInput(StepInput &input, mlir::Value argument, uint64_t seed,
                      uint32_t stream) {
  input.bytes.resize(static_cast<size_t>(input.desc.bytes()));
  auto normal = [&](int64_t i) { return drawNormal(seed, stream, i); };
  int64_t bound = std::max<int64_t>(1, indexedLength(argument).value_or(2));
  auto below = [&](int64_t i) { return drawBelow(seed, stream, i, bound); };
  auto bit = [&](int64_t i) { return drawBelow(seed, stream, i, 2); };
  switch (input.desc.type) {
  case DataType::Float32:
    return fill<float>(input.bytes, normal);
  case DataType::Float64:
    return fill<double>(input.bytes, normal);
  case DataType::BFloat16:
    return fill<uint16_t>(input.bytes,
                          [&](int64_t i) { return toBFloat16(normal(i)); });
  case DataType::Float16:
    return fill<_Float16>(input.bytes, normal);
  case DataType::Int64:
  case DataType::UInt64:
    return fill<int64_t>(input.bytes, below);
  case DataType::Int32:
  case DataType::UInt32:
    return fill<int32_t>(input.bytes, below);
  case DataType::Int16:
  case DataType::UInt16:
    return fill<int16_t>(input.bytes, below);
  case DataType::Int8:
  case DataType::UInt8:
    bound = std::min<int64_t>(bound, 127);
    return fill<int8_t>(input.bytes, below);
  case DataType::Bool:
    return fill<int8_t>(input.bytes, bit);
  }
}

ArrayTypes cli::inputTypes(const Model &model) {
  ArrayTypes types;
  mlir::func::FuncOp function = getMain(model);
  for (mlir::BlockArgument argument : function.getArguments())
    if (isStaticTensor(argument.getType()))
      types[getValueName(argument)] = toTensorDesc(argument.getType());
  return types;
}

static llvm::Expected<ArrayBytes> weightBytes(const WeightStore::Entry &entry,
                                              const StepInput &input) {
  std::string what = "weight '" + input.name + "' ";
  if (!isStaticTensor(entry.type))
    return error(what + "has a type that the runtime doesn't know");
  TensorDesc desc = toTensorDesc(entry.type);
  if (desc.shape != input.desc.shape)
    return error(what + "is " + runtime::toString(desc) +
                 " but the graph says " + runtime::toString(input.desc));
  if (static_cast<int64_t>(entry.bytes.size()) != desc.bytes())
    return error(what + "has " + llvm::Twine(entry.bytes.size()) +
                 " bytes instead of " + llvm::Twine(desc.bytes()));
  ArrayBytes bytes(entry.bytes.size());
  std::memcpy(bytes.data(), entry.bytes.data(), bytes.size());
  if (desc.type == input.desc.type)
    return bytes;
  if (desc.type == DataType::Float32 && input.desc.type == DataType::Float64) {
    ArrayBytes wide(static_cast<size_t>(input.desc.bytes()));
    fill<double>(wide, [&](int64_t i) {
      float narrow;
      std::memcpy(&narrow, bytes.data() + i * sizeof narrow, sizeof narrow);
      return narrow;
    });
    return wide;
  }
  return error(what + "is " + runtime::toString(desc) + " but the graph says " +
               runtime::toString(input.desc));
}

llvm::Expected<std::vector<StepInput>>
cli::makeInputs(const Model &model, std::map<std::string, ArrayBytes> given,
                uint64_t seed) {
  std::vector<StepInput> inputs;
  mlir::func::FuncOp function = getMain(model);
  uint32_t stream = 0;
  for (mlir::BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    StepInput input;
    input.name = getValueName(argument);
    input.desc = toTensorDesc(argument.getType());
    if (auto role =
            function.getArgAttrOfType<mlir::StringAttr>(index, "train.role"))
      input.role = role.str();
    auto found = given.find(input.name);
    const WeightStore::Entry *weight =
        function.getArgAttr(index, "onnx.initializer")
            ? model.weights.find(input.name)
            : nullptr;
    if (found != given.end()) {
      input.bytes = std::move(found->second);
    } else if (weight) {
      auto bytes = weightBytes(*weight, input);
      if (!bytes)
        return bytes.takeError();
      input.bytes = std::move(*bytes);
    } else if (input.role == "state" || input.role == "step") {
      input.bytes.resize(static_cast<size_t>(input.desc.bytes()));
    } else if (input.role == "seed") {
      input.bytes.resize(static_cast<size_t>(input.desc.bytes()));
      std::memcpy(input.bytes.data(), &seed,
                  std::min(input.bytes.size(), sizeof seed));
    } else if (function.getArgAttr(index, "onnx.initializer")) {
      return error("the file doesn't hold the weight '" + input.name + "'");
    } else {
      drawInput(input, argument, seed, stream++);
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}
