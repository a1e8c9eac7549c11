//===- GraphImporter.h - The state of an import -----------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Shared by ImportGraph.cpp (the function around the nodes) and ImportNode.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_GRAPHIMPORTER_H
#define LOWTIDE_LIB_FRONTEND_GRAPHIMPORTER_H

#include "ElementTypes.h"
#include "ImportGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace lowtide::frontend {

/// The more precise of two types that may both be right; nothing when they
/// can't.
std::optional<mlir::Type> mergeTypes(mlir::Type a, mlir::Type b);
std::string typeText(mlir::Type type);

class GraphImporter {
public:
  GraphImporter(const PreparedModel &prepared, Model &model,
                const FileDiagnostics &diagnostics)
      : prepared(prepared), graph(prepared.proto.graph()), model(model),
        diagnostics(diagnostics), context(diagnostics.context()),
        builder(context) {}

  FileStatus run();

private:
  FileStatus createFunction();
  FileStatus addArgument(const ::onnx::ValueInfoProto &input);
  FileStatus addInitializers();
  FileStatus addNode(const ::onnx::NodeProto &node, int index);
  FileStatus addResults();
  void setModelAttributes();

  mlir::Operation *createDefined(const ::onnx::NodeProto &node);
  FileStatus createCustom(const ::onnx::NodeProto &node, int index);
  mlir::Operation *createConstant(mlir::Location location,
                                  mlir::DenseElementsAttr value,
                                  llvm::StringRef name);
  std::optional<mlir::NamedAttrList>
  definedAttributes(const ::onnx::NodeProto &node, mlir::OperationName name);
  void collectValues(const ::onnx::NodeProto &node,
                     llvm::SmallVectorImpl<mlir::Value> &operands,
                     llvm::SmallVectorImpl<bool> &absent);
  FileStatus checkTypes(mlir::Operation *op, const ::onnx::NodeProto &node,
                        int index);
  void finishOp(mlir::Operation *op, const ::onnx::NodeProto &node);

  mlir::Type fileType(llvm::StringRef name) const;
  mlir::Type declaredType(llvm::StringRef name) const;
  mlir::Value none();
  mlir::Value lookup(llvm::StringRef name) {
    return name.empty() ? none() : values.lookup(name);
  }
  mlir::ArrayAttr strings(llvm::ArrayRef<std::string> list) {
    llvm::SmallVector<mlir::Attribute> attributes;
    for (const std::string &text : list)
      attributes.push_back(builder.getStringAttr(text));
    return builder.getArrayAttr(attributes);
  }
  mlir::ArrayAttr dimNames(const ::onnx::TypeProto &type);
  mlir::Location nodeLocation(const ::onnx::NodeProto &node) {
    if (node.name().empty())
      return builder.getUnknownLoc();
    return mlir::NameLoc::get(builder.getStringAttr(node.name()));
  }

  const PreparedModel &prepared;
  const ::onnx::GraphProto &graph;
  Model &model;
  const FileDiagnostics &diagnostics;
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  mlir::func::FuncOp function;
  mlir::Value noneValue;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<const ::onnx::TypeProto *> inferredTypes;
  /// What the dialect said against a node that it defines.
  std::string complaint;
};

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_GRAPHIMPORTER_H
