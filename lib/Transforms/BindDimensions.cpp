//===- BindDimensions.cpp - Static shapes from named dimensions -----------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One walk in order: an op whose operands became more precise infers more
// precise results, and an op whose operands became constant is computed. Since
// the graph has no cycles, one walk reaches the end.
//
// Tested by test/Transforms/bind-dimensions.mlir.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Analysis/StepMemory.h"
#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Transforms/Shapes.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;

namespace lowtide {

/// The name of dimension `i` of an argument; "" for an anonymous one.
static StringRef dimensionName(func::FuncOp function, unsigned argument,
                               size_t i) {
  auto names = function.getArgAttrOfType<ArrayAttr>(argument, "onnx.dims");
  if (!names || i >= names.size())
    return "";
  auto name = dyn_cast<StringAttr>(names[i]);
  return name ? name.getValue() : "";
}

/// Calls `visit(argument, dimension index, name)` for every dynamic dimension.
template <typename Visitor>
static void visitDynamicDimensions(func::FuncOp function, Visitor visit) {
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t i = 0; i < type.getRank(); ++i)
        if (type.isDynamicDim(i))
          visit(argument, i,
                dimensionName(function, argument.getArgNumber(), i));
}

SmallVector<std::string> getUnboundDimensions(func::FuncOp function) {
  SmallVector<std::string> names;
  std::set<std::string> seen;
  visitDynamicDimensions(
      function, [&](BlockArgument argument, int64_t i, StringRef name) {
        std::string shown = name.empty()
                                ? "dimension " + std::to_string(i) + " of '" +
                                      getValueName(argument) + "'"
                                : name.str();
        if (seen.insert(shown).second)
          names.push_back(shown);
      });
  return names;
}

static LogicalResult
bindArguments(func::FuncOp function,
              const std::map<std::string, int64_t> &sizeByName) {
  std::set<std::string> known;
  visitDynamicDimensions(function, [&](BlockArgument, int64_t, StringRef name) {
    if (!name.empty())
      known.insert(name.str());
  });
  for (const auto &[name, size] : sizeByName)
    if (!known.count(name))
      return function.emitError()
             << "no input has a dimension named '" << name
             << "'; there are: " << (known.empty() ? "none" : "")
             << llvm::join(known, ", ");
  visitDynamicDimensions(
      function, [&](BlockArgument argument, int64_t i, StringRef name) {
        auto found = sizeByName.find(name.str());
        if (found == sizeByName.end())
          return;
        auto type = cast<RankedTensorType>(argument.getType());
        SmallVector<int64_t> shape(type.getShape());
        shape[i] = found->second;
        argument.setType(RankedTensorType::get(shape, type.getElementType()));
      });
  return success();
}

/// `inferred` with the dimensions that only `known` has; inference wins where
/// both are static.
static Type mergeTypes(Type inferred, Type known) {
  auto a = dyn_cast<RankedTensorType>(inferred);
  auto b = dyn_cast<RankedTensorType>(known);
  if (!a || isa<OpaqueType>(a.getElementType()))
    return b ? known : inferred;
  if (!b || a.getRank() != b.getRank())
    return inferred;
  SmallVector<int64_t> shape(a.getShape());
  for (auto [size, other] : llvm::zip(shape, b.getShape()))
    if (ShapedType::isDynamic(size))
      size = other;
  return RankedTensorType::get(shape, a.getElementType());
}

static LogicalResult refineResults(Operation *op) {
  auto infer = dyn_cast<InferTypeOpInterface>(op);
  if (!infer)
    return success();
  SmallVector<Type> types;
  if (failed(infer.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          op->getRegions(), types)))
    return failure();
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    if (!isa<NoneType>(result.getType()))
      result.setType(mergeTypes(type, result.getType()));
  return success();
}

void eraseDeadOps(func::FuncOp function) {
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void dropUnreadResults(func::FuncOp function) {
  auto none = NoneType::get(function.getContext());
  for (Operation &op : function.getBody().front())
    if (auto kernel = dyn_cast<KernelOpInterface>(op))
      for (OpResult result : op.getResults())
        if (result.use_empty() &&
            kernel.isOptionalResult(result.getResultNumber()))
          result.setType(none);
}

LogicalResult bindDimensions(func::FuncOp function,
                             const std::map<std::string, int64_t> &sizeByName) {
  if (failed(bindArguments(function, sizeByName)))
    return failure();
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (failed(refineResults(&op)))
      return failure();
    OpBuilder builder(&op);
    SmallVector<Value> constants = foldToConstants(&op, builder);
    if (constants.empty())
      continue;
    op.replaceAllUsesWith(constants);
    op.erase();
  }
  eraseDeadOps(function);
  dropUnreadResults(function);
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
  return success();
}

} // namespace lowtide
