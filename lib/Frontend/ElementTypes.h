//===- ElementTypes.h - Element types of ONNX and of the IR -----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Signed integers are signless `iN`, unsigned ones `uiN`, booleans `i1`. What
// MLIR 19 has no type for (strings, 4-bit and 6-bit floats, sequences, types
// that nobody knows) is an opaque type that keeps enough to be written again:
// `opaque<"onnx", "string">`, or the encoded type of a value that is no tensor.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_FRONTEND_ELEMENTTYPES_H
#define LOWTIDE_LIB_FRONTEND_ELEMENTTYPES_H

#include "mlir/IR/BuiltinTypes.h"

#include "onnx/onnx_pb.h"

#include <optional>

namespace lowtide::frontend {

/// The IR's element type; null for UNDEFINED and for numbers that are no type.
mlir::Type toElementType(mlir::MLIRContext *context, int32_t dataType);
/// The inverse; UNDEFINED for an unknown type.
int32_t toDataType(mlir::Type elementType);
/// "float", "int64", ... as ONNX text spells it, or "type 77".
std::string dataTypeName(int32_t dataType);
/// Bits of an element; 0 for strings and for what is no type.
int64_t bitsPerElement(int32_t dataType);
/// Dense bytes of a tensor, sub-byte types packed. Nothing when a dimension is
/// negative, the product overflows or the elements have no fixed size.
std::optional<int64_t> denseBytes(int32_t dataType,
                                  llvm::ArrayRef<int64_t> dims);
/// The number of elements; nothing when negative or past 2^63 - 1.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> dims);

/// The IR's type of a value. Anonymous, symbolic and negative dimensions are
/// dynamic. A value that is no tensor becomes an opaque tensor.
mlir::Type toValueType(mlir::MLIRContext *context,
                       const ::onnx::TypeProto &type);
/// `tensor<*xopaque<"onnx", "unknown">>`: a value whose type nothing tells.
mlir::Type unknownValueType(mlir::MLIRContext *context);
/// The inverse; false for a value of unknown type. `dimNames` may be empty.
bool toTypeProto(mlir::Type type, llvm::ArrayRef<std::string> dimNames,
                 ::onnx::TypeProto &proto);
/// A dimension's symbol, or "" where it is static or anonymous.
std::string dimensionSymbol(const ::onnx::TensorShapeProto::Dimension &dim);

} // namespace lowtide::frontend

#endif // LOWTIDE_LIB_FRONTEND_ELEMENTTYPES_H
