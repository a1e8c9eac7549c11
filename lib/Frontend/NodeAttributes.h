//===- NodeAttributes.h - Attributes of nodes and of ops --------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
//   ONNX                     IR
//   INT                      i64 integer
//   FLOAT                    f32 float
//   TENSOR of one double     f64 float, in ops of `train` only
//   STRING, STRINGS          string, array of strings
//   INTS, FLOATS             dense i64, f32 array
//   TENSOR                   dense elements
//   INT `to` of Cast         type
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_NODEATTRIBUTES_H
#define LOWTIDE_LIB_FRONTEND_NODEATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"

#include "onnx/onnx_pb.h"

namespace lowtide::frontend {

/// Null when the IR has no attribute for it.
mlir::Attribute toAttribute(mlir::MLIRContext *context,
                            const ::onnx::AttributeProto &attribute,
                            bool inTrainOp);
/// Null for elements that dense attributes don't hold, and for references.
mlir::DenseElementsAttr toElements(mlir::MLIRContext *context,
                                   const ::onnx::TensorProto &tensor);
/// The value of a Constant node, whichever attribute gives it; null otherwise.
mlir::DenseElementsAttr constantValue(mlir::MLIRContext *context,
                                      const ::onnx::NodeProto &node);

/// False when a node can't hold the attribute.
bool toAttributeProto(llvm::StringRef name, mlir::Attribute attribute,
                      ::onnx::AttributeProto &proto);
bool toTensorProto(mlir::ElementsAttr elements, ::onnx::TensorProto &proto);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_NODEATTRIBUTES_H
