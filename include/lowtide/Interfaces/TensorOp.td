//===- TensorOp.td - The base class of every tensor op -----*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Ops of the `onnx` and `train` dialects are pure functions of tensors. What
// the rest of the compiler must know of an op is stated in its definition:
//
//   inferFn          C++ function that computes all result types
//   hostOperands     bit i: operand i is read on the host at plan time
//   viewedOperand    the operand whose bytes the result shares, or -1
//   optionalResults  bit i: result i may be absent (type `none`)
//   remat            1 when the op may run twice in a step
//
// Absent optional operands are the value of `onnx.None`.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_INTERFACES_TENSOROP_TD
#define LOWTIDE_INTERFACES_TENSOROP_TD

include "lowtide/Interfaces/OpInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def OptionalTensor : AnyTypeOf<[AnyTensor, NoneType], "tensor or none">;

class TensorOp<Dialect dialect, string mnemonic, string inferFn,
               int hostOperands = 0, int viewedOperand = -1,
               int optionalResults = 0, int remat = 1,
               list<Trait> traits = []>
    : Op<dialect, mnemonic,
         !listconcat(traits, [Pure, InferTypeOpInterface, KernelOpInterface,
                              RematOpInterface])> {
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    static ::mlir::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::lowtide::}] # inferFn # [{(
          ::lowtide::makeInferRequest<ConcreteOpType>(
              context, location, operands, attributes, properties),
          types);
    }
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange actual) {
      return ::lowtide::areCompatibleTypes(inferred, actual);
    }
    std::optional<unsigned> getViewedOperand() {
      constexpr int viewed = }] # viewedOperand # [{;
      if (viewed < 0)
        return std::nullopt;
      return static_cast<unsigned>(viewed);
    }
    bool isHostOperand(unsigned index) {
      return index < 32 && ((}] # hostOperands # [{u >> index) & 1u);
    }
    bool isOptionalResult(unsigned index) {
      return index < 32 && ((}] # optionalResults # [{u >> index) & 1u);
    }
    bool isRematerializable() { return }] # remat # [{ != 0; }
  }];
}

#endif // LOWTIDE_INTERFACES_TENSOROP_TD
