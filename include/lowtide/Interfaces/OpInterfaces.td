//===- OpInterfaces.td - What passes may ask of an op ------*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Passes and analyses know ops only through these interfaces. Kernel and remat
// facts are stated where an op is defined; costs and gradients are external
// models in lib/Rules, one file per op family.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_INTERFACES_OPINTERFACES_TD
#define LOWTIDE_INTERFACES_OPINTERFACES_TD

include "mlir/IR/OpBase.td"

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let description = [{
    How an op meets memory and kernels. The kernel's name is the op's name.
    Contract: a view has exactly the bytes of the operand it names, in the same
    order; an operand reported as host-only is never read on the device.
  }];
  let cppNamespace = "::lowtide";
  let methods = [
    InterfaceMethod<
      "The operand whose bytes the only result shares, or nothing when the op "
      "computes its result. No IR mutation.",
      "std::optional<unsigned>", "getViewedOperand", (ins)>,
    InterfaceMethod<
      "Whether operand `index` is read on the host when the step is planned (a "
      "shape, axes, pads), so that it must be constant and takes no device "
      "memory. No IR mutation.",
      "bool", "isHostOperand", (ins "unsigned":$index)>,
    InterfaceMethod<
      "Whether result `index` may be left out, which its `none` type says.",
      "bool", "isOptionalResult", (ins "unsigned":$index)>
  ];
}

def RematOpInterface : OpInterface<"RematOpInterface"> {
  let description = [{
    Whether an op may run more than once in a step. Contract: an op that
    answers true computes the same bits from the same operands every time and
    has no effect but its results.
  }];
  let cppNamespace = "::lowtide";
  let methods = [
    InterfaceMethod<"Whether a second run is the same computation.",
      "bool", "isRematerializable", (ins)>
  ];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let description = [{
    The arithmetic of one run, for the cost model. Bytes moved follow from the
    operands and results, so only operations are asked for. An op without a
    model is charged as a copy of its operands and results.
  }];
  let cppNamespace = "::lowtide";
  let methods = [
    InterfaceMethod<
      "Floating-point operations of one run; static shapes are required.",
      "int64_t", "getFlops", (ins)>,
    InterfaceMethod<
      "Which rate of the device spec the operations run at.",
      "::lowtide::ComputeKind", "getComputeKind", (ins)>
  ];
}

def GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let description = [{
    The reverse rule of an op: given the adjoints of its results, the adjoints
    of its operands. A rule reads as little of the forward pass as it can, since
    every value it reads has to be kept or recomputed.
  }];
  let cppNamespace = "::lowtide";
  let methods = [
    InterfaceMethod<
      "Builds adjoints. `resultAdjoints[i]` is null where result i has none. "
      "`wanted[j]` says whether operand j's adjoint is needed; fill "
      "`operandAdjoints[j]` (null on entry) then, with a value of the operand's "
      "type, or leave it null where the derivative is zero. The builder stands "
      "where the backward ops go; build there, change nothing else. Fails with "
      "a diagnostic on the op when this form of it has no rule.",
      "::mlir::LogicalResult", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$resultAdjoints,
           "::llvm::ArrayRef<bool>":$wanted,
           "::llvm::MutableArrayRef<::mlir::Value>":$operandAdjoints)>
  ];
}

def BodyOpInterface : OpInterface<"BodyOpInterface"> {
  let description = [{
    An op of ours that says itself in standard ONNX ops. The body is what other
    runtimes execute (export writes it as a model-local function) and the
    meaning that our kernel is tested against. Static shapes are required.
  }];
  let cppNamespace = "::lowtide";
  let methods = [
    InterfaceMethod<
      "Builds the body at the builder, reading `operands` (of the op's operand "
      "types), and returns one value for each result.",
      "::llvm::SmallVector<::mlir::Value>", "buildBody",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>
  ];
}

def TrainingFormOpInterface : OpInterface<"TrainingFormOpInterface"> {
  let description = [{
    An op whose behaviour in training needs more than its ONNX form says: state
    that is updated, random draws that can be repeated, statistics that the
    backward pass reads. Building a step replaces it by its training form.
  }];
  let cppNamespace = "::lowtide";
  let methods = [
    InterfaceMethod<
      "Builds the training form at the builder and returns one value for each "
      "result (null for a result that is absent), or no values when the op is "
      "its own training form.",
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>",
      "buildTrainingForm",
      (ins "::mlir::OpBuilder &":$builder,
           "::lowtide::StepContext &":$step)>
  ];
}

#endif // LOWTIDE_INTERFACES_OPINTERFACES_TD
