//===- ExportNode.h - Ops become nodes --------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_EXPORTNODE_H
#define LOWTIDE_LIB_FRONTEND_EXPORTNODE_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include "onnx/onnx_pb.h"

#include <map>
#include <string>
#include <vector>

namespace lowtide::frontend {

/// The file's name of a value; "" for an absent one.
using NameOf = llvm::function_ref<std::string(mlir::Value)>;

/// Fills op type, domain, inputs, outputs and attributes. Returns what is
/// wrong, or an empty string.
std::string writeNode(mlir::Operation *op, NameOf nameOf,
                      ::onnx::NodeProto &node);

/// The functions that ops of `train` call, one for each different body.
class BodyFunctions {
public:
  struct Function {
    ::onnx::FunctionProto proto;
    std::vector<::onnx::TypeProto> inputTypes;
  };

  /// The overload of the function that `op` calls, made when it is new.
  std::string overloadFor(mlir::Operation *op, std::string &overload);
  /// In order of op type and overload.
  std::map<std::string, Function> &functions() { return functionsByKey; }

private:
  std::map<std::string, Function> functionsByKey;
};

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_EXPORTNODE_H
