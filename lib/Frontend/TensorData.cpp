//===- TensorData.cpp - Bytes of tensors in a model file ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Files come from anywhere: every size is checked against the dimensions
// before a byte is looked at, and all arithmetic on sizes is checked too.
//
// Tested by test/Frontend/tensors.py and test/unit/Frontend/TensorDataTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "TensorData.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;

namespace lowtide::frontend {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

namespace {

constexpr const char *referenceLocation = "lowtide:weight";
constexpr const char *referenceKey = "weight";

SmallVector<int64_t> dimsOf(const TensorProto &tensor) {
  return SmallVector<int64_t>(tensor.dims().begin(), tensor.dims().end());
}

std::string dimsText(const TensorProto &tensor) {
  return "[" +
         llvm::join(
             llvm::map_range(tensor.dims(),
                             [](int64_t dim) { return std::to_string(dim); }),
             ",") +
         "]";
}

bool isExternal(const TensorProto &tensor) {
  return tensor.has_data_location() &&
         tensor.data_location() == TensorProto::EXTERNAL;
}

/// Which typed field a type's data may stand in, and how many entries `count`
/// elements take there.
struct TypedField {
  int64_t present = 0;
  int64_t expected = 0;
  int64_t others = 0;
};

TypedField typedField(const TensorProto &tensor, int64_t count) {
  int64_t floats = tensor.float_data_size(),
          doubles = tensor.double_data_size();
  int64_t int32s = tensor.int32_data_size(), int64s = tensor.int64_data_size();
  int64_t uint64s = tensor.uint64_data_size();
  int64_t strings = tensor.string_data_size();
  int64_t all = floats + doubles + int32s + int64s + uint64s + strings;
  auto field = [&](int64_t present, int64_t expected) {
    return TypedField{present, expected, all - present};
  };
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return field(floats, count);
  case TensorProto::COMPLEX64:
    return field(floats, 2 * count);
  case TensorProto::DOUBLE:
    return field(doubles, count);
  case TensorProto::COMPLEX128:
    return field(doubles, 2 * count);
  case TensorProto::INT64:
    return field(int64s, count);
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return field(uint64s, count);
  case TensorProto::STRING:
    return field(strings, count);
  default: {
    int64_t bits = bitsPerElement(tensor.data_type());
    return field(int32s, bits >= 8 ? count : (count * bits + 7) / 8);
  }
  }
}

template <typename T, typename Range>
std::vector<char> packed(const Range &values) {
  std::vector<char> bytes(static_cast<size_t>(values.size()) * sizeof(T));
  char *out = bytes.data();
  for (auto value : values) {
    T narrow = static_cast<T>(value);
    std::memcpy(out, &narrow, sizeof(T));
    out += sizeof(T);
  }
  return bytes;
}

} // namespace

FileStatus checkTensor(const TensorProto &tensor, StringRef what,
                       const FileDiagnostics &diagnostics) {
  auto bad = [&](const Twine &message) {
    return diagnostics.badModel(what + ": " + message);
  };
  if (tensor.data_type() == TensorProto::UNDEFINED ||
      !toElementType(diagnostics.context(), tensor.data_type()))
    return bad("undefined element " + dataTypeName(tensor.data_type()));
  if (tensor.has_segment())
    return bad("tensors in segments are not supported");
  for (int64_t dim : tensor.dims())
    if (dim < 0)
      return bad("negative dimension in " + dimsText(tensor));
  std::optional<int64_t> count = elementCount(dimsOf(tensor));
  bool isString = tensor.data_type() == TensorProto::STRING;
  std::optional<int64_t> bytes =
      isString ? count : denseBytes(tensor.data_type(), dimsOf(tensor));
  if (!count || !bytes || *count > INT64_MAX / 16)
    return bad("dimensions " + dimsText(tensor) + " are too large");

  TypedField typed = typedField(tensor, *count);
  if (isExternal(tensor)) {
    if (isString)
      return bad("strings cannot be stored externally");
    if (tensor.raw_data().empty() && typed.present + typed.others == 0)
      return FileStatus::Ok;
    return bad("data both in the file and in an external one");
  }
  if (!tensor.raw_data().empty()) {
    if (typed.present + typed.others != 0)
      return bad("data in more than one field");
    if (isString)
      return bad("strings cannot be raw data");
    if (static_cast<int64_t>(tensor.raw_data().size()) != *bytes)
      return bad("expected " + Twine(*bytes) + " bytes for " +
                 dataTypeName(tensor.data_type()) + dimsText(tensor) +
                 " but got " + Twine(tensor.raw_data().size()));
    return FileStatus::Ok;
  }
  if (typed.others != 0)
    return bad("data in a field of another type than " +
               dataTypeName(tensor.data_type()));
  if (typed.present != typed.expected)
    return bad("expected " + Twine(typed.expected) + " values for " +
               dataTypeName(tensor.data_type()) + dimsText(tensor) +
               " but got " + Twine(typed.present));
  return FileStatus::Ok;
}

std::vector<char> denseData(const TensorProto &tensor) {
  if (!tensor.raw_data().empty())
    return {tensor.raw_data().begin(), tensor.raw_data().end()};
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
  case TensorProto::COMPLEX64:
    return packed<float>(tensor.float_data());
  case TensorProto::DOUBLE:
  case TensorProto::COMPLEX128:
    return packed<double>(tensor.double_data());
  case TensorProto::INT64:
    return packed<int64_t>(tensor.int64_data());
  case TensorProto::UINT32:
    return packed<uint32_t>(tensor.uint64_data());
  case TensorProto::UINT64:
    return packed<uint64_t>(tensor.uint64_data());
  case TensorProto::INT32:
    return packed<int32_t>(tensor.int32_data());
  case TensorProto::INT16:
  case TensorProto::UINT16:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return packed<uint16_t>(tensor.int32_data());
  default:
    return packed<uint8_t>(tensor.int32_data());
  }
}

bool isReference(const TensorProto &tensor) {
  return isExternal(tensor) && tensor.external_data_size() == 2 &&
         tensor.external_data(0).value() == referenceLocation;
}

StringRef referenceName(const TensorProto &tensor) {
  assert(isReference(tensor) && "not a reference");
  return tensor.external_data(1).value();
}

void makeReference(TensorProto &tensor, StringRef name) {
  tensor.clear_raw_data();
  tensor.clear_float_data();
  tensor.clear_double_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_uint64_data();
  tensor.clear_external_data();
  tensor.set_data_location(TensorProto::EXTERNAL);
  auto *location = tensor.add_external_data();
  location->set_key("location");
  location->set_value(referenceLocation);
  auto *weight = tensor.add_external_data();
  weight->set_key(referenceKey);
  weight->set_value(name.str());
}

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

namespace {

/// Graphs that are still to be visited; nesting is bounded by the validator,
/// but the list keeps this walk free of recursion anyway.
class TensorWalk {
public:
  explicit TensorWalk(TensorVisitor visit) : visit(visit) {}

  FileStatus node(NodeProto &node, size_t index, bool inMain) {
    for (AttributeProto &attribute : *node.mutable_attribute()) {
      TensorSite site;
      site.what = "node " +
                  (node.name().empty() ? "#" + std::to_string(index)
                                       : "'" + node.name() + "'") +
                  " (" + node.op_type() + "), attribute '" + attribute.name() +
                  "'";
      if (inMain && node.op_type() == "Constant" && node.domain().empty() &&
          node.output_size() == 1)
        site.constant = node.output(0);
      if (attribute.has_t())
        if (FileStatus s = visit(*attribute.mutable_t(), site);
            s != FileStatus::Ok)
          return s;
      for (TensorProto &tensor : *attribute.mutable_tensors())
        if (FileStatus s = visit(tensor, site); s != FileStatus::Ok)
          return s;
      site.constant.clear();
      if (attribute.has_sparse_tensor())
        if (FileStatus s = sparse(*attribute.mutable_sparse_tensor(), site);
            s != FileStatus::Ok)
          return s;
      for (auto &tensor : *attribute.mutable_sparse_tensors())
        if (FileStatus s = sparse(tensor, site); s != FileStatus::Ok)
          return s;
      if (attribute.has_g())
        pending.push_back(attribute.mutable_g());
      for (GraphProto &graph : *attribute.mutable_graphs())
        pending.push_back(&graph);
    }
    return FileStatus::Ok;
  }

  FileStatus nodes(::google::protobuf::RepeatedPtrField<NodeProto> &list,
                   bool inMain) {
    for (auto [i, entry] : llvm::enumerate(list))
      if (FileStatus s = node(entry, i, inMain); s != FileStatus::Ok)
        return s;
    return FileStatus::Ok;
  }

  FileStatus graph(GraphProto &graph, bool isMain) {
    for (TensorProto &tensor : *graph.mutable_initializer()) {
      TensorSite site{"initializer '" + tensor.name() + "'", isMain, ""};
      if (FileStatus s = visit(tensor, site); s != FileStatus::Ok)
        return s;
    }
    for (auto &tensor : *graph.mutable_sparse_initializer()) {
      TensorSite site{"sparse initializer '" + tensor.values().name() + "'",
                      false, ""};
      if (FileStatus s = sparse(tensor, site); s != FileStatus::Ok)
        return s;
    }
    return nodes(*graph.mutable_node(), isMain);
  }

  FileStatus rest() {
    while (!pending.empty()) {
      GraphProto *next = pending.pop_back_val();
      if (FileStatus s = graph(*next, false); s != FileStatus::Ok)
        return s;
    }
    return FileStatus::Ok;
  }

private:
  FileStatus sparse(::onnx::SparseTensorProto &tensor, const TensorSite &site) {
    if (FileStatus s = visit(*tensor.mutable_values(), site);
        s != FileStatus::Ok)
      return s;
    return visit(*tensor.mutable_indices(), site);
  }

  TensorVisitor visit;
  SmallVector<GraphProto *> pending;
};

} // namespace

FileStatus forEachTensor(::onnx::ModelProto &model, TensorVisitor visit) {
  TensorWalk walk(visit);
  if (FileStatus s = walk.graph(*model.mutable_graph(), true);
      s != FileStatus::Ok)
    return s;
  for (auto &function : *model.mutable_functions())
    if (FileStatus s = walk.nodes(*function.mutable_node(), false);
        s != FileStatus::Ok)
      return s;
  return walk.rest();
}

FileStatus forEachTensor(NodeProto &node, TensorVisitor visit) {
  TensorWalk walk(visit);
  if (FileStatus s = walk.node(node, 0, false); s != FileStatus::Ok)
    return s;
  return walk.rest();
}

//===----------------------------------------------------------------------===//
// Detaching
//===----------------------------------------------------------------------===//

namespace {

/// Whether an initializer is worth no argument of its own: sizes, axes and
/// other numbers that shape inference reads.
bool staysInline(const TensorProto &tensor, int64_t bytes) {
  if (bytes > inlineTensorBytes)
    return false;
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
  case TensorProto::DOUBLE:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return tensor.dims_size() == 0;
  case TensorProto::BOOL:
  case TensorProto::INT8:
  case TensorProto::INT16:
  case TensorProto::INT32:
  case TensorProto::INT64:
  case TensorProto::UINT8:
  case TensorProto::UINT16:
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return true;
  default:
    return false;
  }
}

void makeInline(TensorProto &tensor, ArrayRef<char> bytes) {
  makeReference(tensor, "");
  tensor.clear_external_data();
  tensor.clear_data_location();
  tensor.set_raw_data(bytes.data(), bytes.size());
}

/// The tensor's own bytes, without a copy where they are raw.
void takeBytes(TensorProto &tensor, WeightStore::Entry &entry) {
  if (!tensor.raw_data().empty()) {
    std::shared_ptr<const std::string> owned(tensor.release_raw_data());
    entry.bytes = ArrayRef<char>(owned->data(), owned->size());
    entry.owner = owned;
    return;
  }
  auto owned = std::make_shared<const std::vector<char>>(denseData(tensor));
  entry.bytes = *owned;
  entry.owner = owned;
}

/// Initializers that a resize reads as its scales or sizes.
llvm::StringSet<> resizeOperands(const GraphProto &graph) {
  llvm::StringSet<> names;
  for (const NodeProto &node : graph.node())
    if (node.op_type() == "Resize" || node.op_type() == "Upsample")
      for (int i = 1; i < node.input_size(); ++i)
        names.insert(node.input(i));
  return names;
}

} // namespace

FileStatus detachTensors(::onnx::ModelProto &model, StringRef path,
                         const FileDiagnostics &diagnostics,
                         WeightStore &weights, bool &external) {
  ExternalFiles files(path);
  llvm::StringSet<> usedNames;
  for (const TensorProto &tensor : model.graph().initializer())
    usedNames.insert(tensor.name());
  llvm::StringSet<> resizes = resizeOperands(model.graph());
  int64_t nested = 0;

  auto visit = [&](TensorProto &tensor, const TensorSite &site) {
    StringRef what = site.what;
    bool isMain = site.isMainInitializer;
    if (FileStatus s = checkTensor(tensor, what, diagnostics);
        s != FileStatus::Ok)
      return s;
    if (tensor.data_type() == TensorProto::STRING)
      return FileStatus::Ok;
    SmallVector<int64_t> dims = dimsOf(tensor);
    int64_t bytes = *denseBytes(tensor.data_type(), dims);
    bool keep = isMain ? staysInline(tensor, bytes) ||
                             (resizes.contains(tensor.name()) &&
                              bytes <= inlineTensorBytes)
                       : bytes <= inlineTensorBytes;
    WeightStore::Entry entry;
    if (isExternal(tensor)) {
      external = true;
      if (FileStatus s = files.find(tensor, what, bytes, diagnostics, entry);
          s != FileStatus::Ok)
        return s;
      if (keep) {
        makeInline(tensor, entry.bytes);
        return FileStatus::Ok;
      }
    } else if (keep) {
      return FileStatus::Ok;
    } else {
      takeBytes(tensor, entry);
    }
    // A name that the step of this model knows the bytes by, where there is
    // one.
    std::string name = isMain ? tensor.name() : site.constant;
    if (!isMain && (name.empty() || !usedNames.insert(name).second))
      do
        name = "lowtide.tensor." + std::to_string(nested++);
      while (!usedNames.insert(name).second);
    entry.type = RankedTensorType::get(
        dims, toElementType(diagnostics.context(), tensor.data_type()));
    weights.set(name, std::move(entry));
    makeReference(tensor, name);
    return FileStatus::Ok;
  };
  return forEachTensor(model, visit);
}

} // namespace lowtide::frontend
