//===- ExportFunctions.cpp - Bodies of our ops, for other runtimes --------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Each op of `train` is written as a call of a function of domain `ai.lowtide`
// whose body says the op in standard ones. A body is made for the op's shapes
// and attributes; calls with the same body share a function, and the hash of
// the body is the function's overload, so names are stable from run to run.
//
// The function declares the op's attributes though its body holds their values:
// they are what import recovers the op from.
//
// Tested by test/Frontend/steps.py.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "ExportNode.h"
#include "NodeAttributes.h"
#include "OpsetUpgrade.h"

#include "lowtide/Interfaces/OpInterfaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace lowtide::frontend {

using ::onnx::FunctionProto;

namespace {

/// Writes one body; values get the names x0.. (inputs), y0.. (outputs), t0...
class BodyWriter {
public:
  explicit BodyWriter(FunctionProto &proto) : proto(proto) {}

  std::string write(Block &block, ArrayRef<Value> results) {
    for (BlockArgument argument : block.getArguments()) {
      names[argument] = "x" + std::to_string(argument.getArgNumber());
      proto.add_input(names[argument]);
    }
    for (auto [i, result] : llvm::enumerate(results)) {
      proto.add_output("y" + std::to_string(i));
      if (isa<OpResult>(result) && !names.count(result))
        names[result] = proto.output(i);
    }
    for (Operation &op : block)
      if (std::string error = writeOp(op); !error.empty())
        return error;
    for (auto [i, result] : llvm::enumerate(results)) {
      if (names[result] == proto.output(i))
        continue;
      auto *node = proto.add_node();
      node->set_op_type("Identity");
      node->add_input(names[result]);
      node->add_output(proto.output(i));
    }
    return "";
  }

private:
  std::string writeOp(Operation &op) {
    if (op.getName().getStringRef() == "onnx.None")
      return "";
    for (Value result : op.getResults())
      if (!names.count(result))
        names[result] = "t" + std::to_string(next++);
    auto nameOf = [&](Value value) { return names.lookup(value); };
    return writeNode(&op, nameOf, *proto.add_node());
  }

  FunctionProto &proto;
  DenseMap<Value, std::string> names;
  int next = 0;
};

std::string buildBody(Operation *op, BodyFunctions::Function &function) {
  auto body = dyn_cast<BodyOpInterface>(op);
  if (!body)
    return "it has no body in standard ops";
  for (Type type : op->getOperandTypes()) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (!isa<NoneType>(type) && (!ranked || !ranked.hasStaticShape()))
      return "its shapes are not static; bind the model's dimensions";
    function.inputTypes.emplace_back();
    if (ranked)
      toTypeProto(ranked, {}, function.inputTypes.back());
  }
  OpBuilder builder(op->getContext());
  OwningOpRef<func::FuncOp> holder = func::FuncOp::create(
      op->getLoc(), "body", builder.getFunctionType(op->getOperandTypes(), {}));
  Block *block = holder->addEntryBlock();
  builder.setInsertionPointToEnd(block);
  SmallVector<Value> results = body.buildBody(builder, block->getArguments());
  if (results.size() != op->getNumResults() ||
      llvm::any_of(results, [](Value value) { return !value; }))
    return "it has no body in standard ops";
  FunctionProto &proto = function.proto;
  proto.set_domain(trainDomain);
  proto.set_name(op->getName().stripDialect().str());
  for (StringAttr name : op->getName().getAttributeNames())
    if (std::optional<Attribute> value = op->getInherentAttr(name);
        value && *value)
      proto.add_attribute(name.str());
  auto *import = proto.add_opset_import();
  import->set_domain("");
  import->set_version(internalOpset);
  return BodyWriter(proto).write(*block, results);
}

} // namespace

std::string BodyFunctions::overloadFor(Operation *op, std::string &overload) {
  Function function;
  if (std::string error = buildBody(op, function); !error.empty())
    return error;
  std::string bytes = function.proto.SerializeAsString();
  std::string hash =
      llvm::utohexstr(llvm::xxh3_64bits(bytes), /*LowerCase=*/true, 16);
  std::string name = function.proto.name();
  for (int clash = 0;; ++clash) {
    overload = clash ? hash + "_" + std::to_string(clash) : hash;
    function.proto.set_overload(overload);
    auto [it, isNew] = functionsByKey.try_emplace(name + " " + overload);
    if (isNew)
      it->second = function;
    if (isNew || it->second.proto.SerializeAsString() ==
                     function.proto.SerializeAsString())
      return "";
  }
}

} // namespace lowtide::frontend
