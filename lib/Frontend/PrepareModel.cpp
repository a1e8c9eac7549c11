//===- PrepareModel.cpp - From the file's graph to the internal one -------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The way of a model before it is IR, one step after the other: our own checks,
// tensors out, functions inlined, large tensors lifted to graph inputs, the
// library's checker at the file's opset, conversion, shape inference. What the
// library sees is small and well-formed, whatever the file was.
//
// Tested by test/Frontend.
//
//===----------------------------------------------------------------------===//

#include "PrepareModel.h"

#include "GraphCheck.h"
#include "OpsetDowngrade.h"
#include "OpsetUpgrade.h"
#include "TensorData.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "onnx/checker.h"
#include "onnx/shape_inference/implementation.h"

namespace lowtide::frontend {

using llvm::StringRef;
using llvm::Twine;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

/// Messages may nest this deep: graphs take three levels each.
constexpr int messageDepth = 3 * 4 * maximumDepth;
/// A list of dimensions longer than this is no shape.
constexpr int64_t longestShape = 65536;

FileStatus readModelProto(StringRef path, const FileDiagnostics &diagnostics,
                          ModelProto &proto) {
  namespace fs = llvm::sys::fs;
  fs::file_status status;
  if (std::error_code error = fs::status(path, status))
    return diagnostics.inputOutput("cannot read the model: " + error.message());
  if (status.type() != fs::file_type::regular_file)
    return diagnostics.inputOutput("the model is not a file");
  if (status.getSize() > INT32_MAX)
    return diagnostics.unsupported(
        "the file has " + Twine(status.getSize()) +
        " bytes; ONNX files of 2 GiB or more must keep their tensors in "
        "external data");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return diagnostics.inputOutput("cannot read the model: " +
                                   buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  if (bytes.empty())
    return diagnostics.badModel("the file is empty");
  ::google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(bytes.data()),
      static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(messageDepth);
  stream.SetTotalBytesLimit(INT32_MAX);
  if (!proto.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return diagnostics.badModel("not an ONNX model, or a truncated one");
  return FileStatus::Ok;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static FileStatus checkHeader(const ModelProto &proto,
                              const FileDiagnostics &diagnostics) {
  if (!proto.has_graph())
    return diagnostics.badModel("not an ONNX model: it has no graph");
  if (proto.ir_version() <= 0)
    return diagnostics.badModel("not an ONNX model: it has no IR version");
  if (proto.ir_version() < 3 || proto.ir_version() > ::onnx::IR_VERSION)
    return diagnostics.unsupported("IR version " + Twine(proto.ir_version()) +
                                   " is outside 3 to " +
                                   Twine(int64_t(::onnx::IR_VERSION)));
  llvm::StringSet<> domains;
  for (const auto &import : proto.opset_import()) {
    std::string domain = import.domain() == "ai.onnx" ? "" : import.domain();
    if (!domains.insert(domain).second)
      return diagnostics.badModel("domain '" + domain + "' is imported twice");
  }
  int64_t opset = standardOpset(proto);
  if (domains.contains("") && (opset < oldestOpset || opset > internalOpset))
    return diagnostics.unsupported(
        "opset " + Twine(opset) + " of the standard domain is outside " +
        Twine(oldestOpset) + " to " + Twine(internalOpset));
  if (proto.graph().output_size() == 0)
    return diagnostics.badModel("the graph has no outputs");
  return FileStatus::Ok;
}

std::string checkerComplaint(const ModelProto &proto) {
  // The checker would look for the file of a reference: empty tensors do.
  ModelProto copy = proto;
  forEachTensor(copy, [](TensorProto &tensor, const TensorSite &) {
    if (isReference(tensor)) {
      tensor.clear_external_data();
      tensor.clear_data_location();
      tensor.clear_dims();
      tensor.add_dims(0);
    }
    return FileStatus::Ok;
  });
  // Files without the shape of an output are common; inference will find it.
  auto complete = [](::onnx::ValueInfoProto &info) {
    auto *type = info.mutable_type();
    if (type->value_case() == ::onnx::TypeProto::VALUE_NOT_SET)
      type->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
    if (type->has_tensor_type())
      type->mutable_tensor_type()->mutable_shape();
  };
  llvm::for_each(*copy.mutable_graph()->mutable_input(), complete);
  llvm::for_each(*copy.mutable_graph()->mutable_output(), complete);
  try {
    ::onnx::checker::check_model(copy);
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Lifting
//===----------------------------------------------------------------------===//

namespace {

void addLiftedInput(GraphProto &graph, StringRef name,
                    const TensorProto &tensor) {
  auto *input = graph.add_input();
  input->set_name(name.str());
  auto *type = input->mutable_type()->mutable_tensor_type();
  type->set_elem_type(tensor.data_type());
  for (int64_t dim : tensor.dims())
    type->mutable_shape()->add_dim()->set_dim_value(dim);
  type->mutable_shape();
}

/// Before IR version 4 an initializer had to be an input as well and gave it
/// its value; from then on an initializer that is an input is a default.
void dropConstantInputs(PreparedModel &prepared) {
  GraphProto &graph = *prepared.proto.mutable_graph();
  llvm::StringSet<> initializers;
  for (const TensorProto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  auto *inputs = graph.mutable_input();
  if (prepared.fileIrVersion < 4) {
    inputs->erase(std::remove_if(inputs->begin(), inputs->end(),
                                 [&](const auto &input) {
                                   return initializers.contains(input.name());
                                 }),
                  inputs->end());
    return;
  }
  for (const auto &input : *inputs)
    if (initializers.contains(input.name()))
      prepared.overridable.insert(input.name());
}

void liftInitializers(PreparedModel &prepared, WeightStore &weights,
                      mlir::MLIRContext *context) {
  GraphProto &graph = *prepared.proto.mutable_graph();
  auto *initializers = graph.mutable_initializer();
  for (TensorProto &tensor : *initializers) {
    const std::string &name = tensor.name();
    bool isInput = prepared.overridable.contains(name);
    if (!isReference(tensor)) {
      // Small, but somebody may give it another value.
      if (!isInput || tensor.data_type() == TensorProto::STRING)
        continue;
      llvm::SmallVector<int64_t> dims(tensor.dims().begin(),
                                      tensor.dims().end());
      auto type = mlir::RankedTensorType::get(
          dims, toElementType(context, tensor.data_type()));
      weights.set(name, type, denseData(tensor));
      makeReference(tensor, name);
    }
    prepared.liftedInitializers.insert(name);
    if (!isInput)
      addLiftedInput(graph, name, tensor);
  }
  initializers->erase(
      std::remove_if(initializers->begin(), initializers->end(), isReference),
      initializers->end());
}

/// Large tensors of Constant nodes. Where the value's name stems from inlining,
/// the bytes get it as a second name.
void liftConstants(PreparedModel &prepared, WeightStore &weights) {
  GraphProto &graph = *prepared.proto.mutable_graph();
  auto *nodes = graph.mutable_node();
  auto isLarge = [](const NodeProto &node) {
    return node.op_type() == "Constant" && node.domain().empty() &&
           node.output_size() == 1 && !node.output(0).empty() &&
           node.attribute_size() == 1 && node.attribute(0).has_t() &&
           isReference(node.attribute(0).t());
  };
  for (const NodeProto &node : *nodes) {
    if (!isLarge(node))
      continue;
    const TensorProto &tensor = node.attribute(0).t();
    const WeightStore::Entry *entry = weights.find(referenceName(tensor));
    if (entry && referenceName(tensor) != node.output(0))
      weights.set(node.output(0), WeightStore::Entry(*entry));
    prepared.liftedConstants.insert(node.output(0));
    addLiftedInput(graph, node.output(0), tensor);
  }
  nodes->erase(std::remove_if(nodes->begin(), nodes->end(), isLarge),
               nodes->end());
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// Whether some value is a list of integers too long to be anybody's shape:
/// data propagation would spell it out.
bool hasLongIntegers(const GraphProto &graph) {
  auto isLong = [](const ::onnx::ValueInfoProto &info) {
    const auto &type = info.type().tensor_type();
    return type.shape().dim_size() == 1 &&
           type.shape().dim(0).dim_value() > longestShape;
  };
  return llvm::any_of(graph.input(), isLong) ||
         llvm::any_of(graph.value_info(), isLong) ||
         llvm::any_of(graph.output(), isLong);
}

/// The rules of the file's own opset: some are gone from the internal one.
FileStatus checkAtFileOpset(const ModelProto &proto,
                            const FileDiagnostics &diagnostics) {
  ModelProto copy = proto;
  ::onnx::ShapeInferenceOptions options(/*check_type=*/true, /*strict=*/1,
                                        /*data_prop=*/false);
  try {
    ::onnx::shape_inference::InferShapes(
        copy, ::onnx::OpSchemaRegistry::Instance(), options);
  } catch (const std::exception &error) {
    return diagnostics.badModel("shapes don't fit: " + Twine(error.what()));
  }
  return FileStatus::Ok;
}

/// Sets aside what the file says about types inside; of the outputs only the
/// kinds stay.
void forgetDeclaredTypes(PreparedModel &prepared) {
  GraphProto &graph = *prepared.proto.mutable_graph();
  for (const auto &info : graph.value_info())
    prepared.declaredTypes[info.name()] = info.type();
  graph.clear_value_info();
  for (auto &output : *graph.mutable_output()) {
    prepared.declaredTypes[output.name()] = output.type();
    if (output.type().has_tensor_type())
      output.clear_type();
  }
}

FileStatus inferTypes(PreparedModel &prepared,
                      const FileDiagnostics &diagnostics) {
  using namespace ::onnx;
  ModelProto &proto = prepared.proto;
  try {
    ShapeInferenceOptions plain(/*check_type=*/true, /*strict=*/1,
                                /*data_prop=*/false);
    shape_inference::InferShapes(proto, OpSchemaRegistry::Instance(), plain);
    if (hasLongIntegers(proto.graph()))
      return FileStatus::Ok;
    ShapeInferenceOptions withData(true, 1, true);
    shape_inference::InferShapes(proto, OpSchemaRegistry::Instance(), withData);
  } catch (const std::exception &error) {
    return diagnostics.badModel("shapes don't fit: " + Twine(error.what()));
  }
  return FileStatus::Ok;
}

} // namespace

FileStatus inferGraph(ModelProto &model, const FileDiagnostics &diagnostics) {
  try {
    ::onnx::ShapeInferenceOptions options(true, 1, true);
    ::onnx::shape_inference::InferShapes(
        model, ::onnx::OpSchemaRegistry::Instance(), options);
  } catch (const std::exception &error) {
    return diagnostics.unsupported("shapes don't fit: " + Twine(error.what()));
  }
  return FileStatus::Ok;
}

FileStatus prepareModel(StringRef path, const FileDiagnostics &diagnostics,
                        PreparedModel &prepared, Model &model) {
  ModelProto &proto = prepared.proto;
  if (FileStatus s = checkHeader(proto, diagnostics); s != FileStatus::Ok)
    return s;
  if (FileStatus s = checkGraphs(proto, diagnostics); s != FileStatus::Ok)
    return s;
  normalizeDomains(proto);
  if (FileStatus s = detachTensors(proto, path, diagnostics, model.weights,
                                   model.hadExternalData);
      s != FileStatus::Ok)
    return s;
  if (FileStatus s = sortNodes(proto, diagnostics); s != FileStatus::Ok)
    return s;
  model.source = proto.SerializeAsString();

  prepared.fileOpset = standardOpset(proto);
  prepared.fileIrVersion = proto.ir_version();
  dropConstantInputs(prepared);
  // Initializers are no inputs any more, which version 8 and functions allow.
  proto.set_ir_version(std::max<int64_t>(proto.ir_version(), 8));
  if (proto.graph().name().empty())
    proto.mutable_graph()->set_name("graph");
  if (FileStatus s = inlineFunctions(proto, diagnostics); s != FileStatus::Ok)
    return s;
  liftInitializers(prepared, model.weights, diagnostics.context());
  liftConstants(prepared, model.weights);
  if (std::string complaint = checkerComplaint(proto); !complaint.empty())
    return diagnostics.badModel(complaint);
  forgetDeclaredTypes(prepared);
  if (prepared.fileOpset && prepared.fileOpset != internalOpset)
    if (FileStatus s = checkAtFileOpset(proto, diagnostics);
        s != FileStatus::Ok)
      return s;
  if (FileStatus s = convertOpset(proto, internalOpset, diagnostics);
      s != FileStatus::Ok)
    return s;
  return inferTypes(prepared, diagnostics);
}

} // namespace lowtide::frontend
