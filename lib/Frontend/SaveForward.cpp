//===- SaveForward.cpp - A step's parameters back into the forward model --===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The forward model travels with its step as a message whose large tensors are
// references. They are looked up in the new values first, then among the step's
// weights. A step may compute in another precision than the model has: floats
// are rounded back to the type that the model declares.
//
// Tested by test/Frontend/steps.py.
//
//===----------------------------------------------------------------------===//

#include "SaveForward.h"
#include "ElementTypes.h"
#include "TensorData.h"
#include "WriteModel.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;

namespace lowtide {

using namespace frontend;
using ::onnx::ModelProto;
using ::onnx::TensorProto;

/// One float after the other from one format to another.
static std::vector<char> convertFloats(llvm::ArrayRef<char> bytes,
                                       FloatType from, FloatType to) {
  size_t fromSize = from.getWidth() / 8, toSize = to.getWidth() / 8;
  size_t count = bytes.size() / fromSize;
  std::vector<char> out(count * toSize);
  if (from.isF64() && to.isF32()) {
    for (size_t i = 0; i < count; ++i) {
      double wide = 0;
      std::memcpy(&wide, bytes.data() + i * sizeof wide, sizeof wide);
      float narrow = static_cast<float>(wide);
      std::memcpy(out.data() + i * sizeof narrow, &narrow, sizeof narrow);
    }
    return out;
  }
  for (size_t i = 0; i < count; ++i) {
    uint64_t raw = 0;
    std::memcpy(&raw, bytes.data() + i * fromSize, fromSize);
    llvm::APFloat value(from.getFloatSemantics(),
                        llvm::APInt(from.getWidth(), raw));
    bool lost = false;
    value.convert(to.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                  &lost);
    raw = value.bitcastToAPInt().getZExtValue();
    std::memcpy(out.data() + i * toSize, &raw, toSize);
  }
  return out;
}

/// The bytes of `entry` in the type that the model declares; nothing when that
/// can't be.
static std::optional<WeightStore::Entry>
asDeclared(const TensorProto &tensor, const WeightStore::Entry &entry) {
  Type wanted = toElementType(entry.type.getContext(), tensor.data_type());
  Type given = entry.type.getElementType();
  if (wanted == given)
    return entry;
  auto from = dyn_cast<FloatType>(given), to = dyn_cast<FloatType>(wanted);
  if (!from || !to)
    return std::nullopt;
  auto owned = std::make_shared<const std::vector<char>>(
      convertFloats(entry.bytes, from, to));
  return WeightStore::Entry{
      RankedTensorType::get(entry.type.getShape(), wanted), *owned, owned};
}

/// A small tensor that stands in the message itself, with its new value if it
/// has one.
static void replaceInline(TensorProto &tensor, const WeightStore &newValues) {
  const WeightStore::Entry *entry =
      tensor.name().empty() ? nullptr : newValues.find(tensor.name());
  if (!entry)
    return;
  std::optional<WeightStore::Entry> value = asDeclared(tensor, *entry);
  if (!value)
    return;
  TensorProto replaced;
  replaced.set_name(tensor.name());
  replaced.set_data_type(tensor.data_type());
  *replaced.mutable_dims() = tensor.dims();
  replaced.set_raw_data(value->bytes.data(), value->bytes.size());
  tensor = std::move(replaced);
}

/// A constant node that the step trained becomes an initializer.
static void replaceTrainedConstants(ModelProto &proto,
                                    const WeightStore &newValues) {
  auto *nodes = proto.mutable_graph()->mutable_node();
  for (int i = nodes->size() - 1; i >= 0; --i) {
    const ::onnx::NodeProto &node = nodes->Get(i);
    if ((node.op_type() != "Constant" && node.op_type() != "ConstantOfShape") ||
        node.output_size() != 1)
      continue;
    const WeightStore::Entry *entry = newValues.find(node.output(0));
    if (!entry)
      continue;
    TensorProto tensor;
    tensor.set_name(node.output(0));
    tensor.set_data_type(TensorProto::FLOAT);
    for (const auto &attribute : node.attribute())
      if (attribute.has_t())
        tensor.set_data_type(attribute.t().data_type());
    std::optional<WeightStore::Entry> value = asDeclared(tensor, *entry);
    if (!value)
      continue;
    for (int64_t size : value->type.getShape())
      tensor.add_dims(size);
    tensor.set_raw_data(value->bytes.data(), value->bytes.size());
    *proto.mutable_graph()->add_initializer() = std::move(tensor);
    nodes->DeleteSubrange(i, 1);
  }
}

FileStatus saveForwardModel(const Model &step, const WeightStore &newValues,
                            StringRef path, MLIRContext &context) {
  FileDiagnostics diagnostics(context, path);
  ModelProto proto;
  if (step.forwardModel.empty() || !proto.ParseFromString(step.forwardModel))
    return diagnostics.unsupported("the step doesn't carry the forward model "
                                   "that it was made of");
  replaceTrainedConstants(proto, newValues);
  WeightStore weights;
  FileStatus status =
      forEachTensor(proto, [&](TensorProto &tensor, const TensorSite &site) {
        if (!isReference(tensor)) {
          replaceInline(tensor, newValues);
          return FileStatus::Ok;
        }
        const WeightStore::Entry *entry = newValues.find(referenceName(tensor));
        if (!entry)
          entry = step.weights.find(referenceName(tensor));
        std::optional<int64_t> count = elementCount(
            SmallVector<int64_t>(tensor.dims().begin(), tensor.dims().end()));
        if (!entry || entry->type.getNumElements() != count)
          return diagnostics.unsupported(site.what +
                                         ": the step doesn't hold its value");
        std::optional<WeightStore::Entry> value = asDeclared(tensor, *entry);
        if (!value)
          return diagnostics.unsupported(
              site.what + ": its new value has another type than the model's");
        weights.set(referenceName(tensor), std::move(*value));
        return FileStatus::Ok;
      });
  if (status != FileStatus::Ok)
    return status;
  return writeModel(proto, weights, step.hadExternalData, path, diagnostics);
}

namespace frontend {

std::string completeForward(const Model &step,
                            const llvm::StringSet<> &stepWeights) {
  ModelProto proto;
  if (!proto.ParseFromString(step.forwardModel))
    return step.forwardModel;
  forEachTensor(proto, [&](TensorProto &tensor, const TensorSite &) {
    if (!isReference(tensor) || stepWeights.contains(referenceName(tensor)))
      return FileStatus::Ok;
    const WeightStore::Entry *entry = step.weights.find(referenceName(tensor));
    std::optional<WeightStore::Entry> value;
    if (entry)
      value = asDeclared(tensor, *entry);
    if (value) {
      tensor.clear_external_data();
      tensor.clear_data_location();
      tensor.set_raw_data(value->bytes.data(), value->bytes.size());
    }
    return FileStatus::Ok;
  });
  return proto.SerializeAsString();
}

} // namespace frontend

} // namespace lowtide
