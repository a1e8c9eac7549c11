//===- Passes.td - The passes of Lowtide -------------------*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Each step from form to form as a pass for lowtide-opt. Passes that plan take
// the CPU's costs and kernels (the device spec "cpu").
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TRANSFORMS_PASSES_TD
#define LOWTIDE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def BindDimensions : Pass<"lowtide-bind-dimensions", "::mlir::func::FuncOp"> {
  let summary = "Give named dimensions their sizes and fold what they decide";
  let description = [{
    Form F0 to F1. Dimensions of the inputs are named by `onnx.dims`. Types are
    refined in order; an op whose operands are constant is computed.

    With `dims=N=8`:
    ```mlir
    func.func @main(%x: tensor<?x4xf32> {onnx.dims = ["N", ""]})
    // becomes
    func.func @main(%x: tensor<8x4xf32> {onnx.dims = ["N", ""]})
    ```
  }];
  let options = [
    ListOption<"dims", "dims", "std::string",
               "Sizes of named dimensions: NAME=SIZE,...">
  ];
}

def ConvertPrecision
    : Pass<"lowtide-convert-precision", "::mlir::func::FuncOp"> {
  let summary = "Compute in float64 wherever the graph says float32";
  let description = [{
    Types of values, constants and type attributes are widened:
    ```mlir
    %y = onnx.Relu %x : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %y = onnx.Relu %x : (tensor<4xf64>) -> tensor<4xf64>
    ```
  }];
}

def BuildStep : Pass<"lowtide-build-step", "::mlir::func::FuncOp"> {
  let summary = "Add loss, backward graph and optimizer to a forward graph";
  let description = [{
    Form F1 to F2. Fails at every op between a trained parameter and the loss
    that has no gradient. With `loss=mse optimizer=sgd lr=0.5`, the graph
    `y = w * x` gains
    ```mlir
    %loss = train.mse %y, %target
    %dy = train.mse_grad %seed, %y, %target
    %dw = onnx.Mul %dy, %x
    %new = train.sgd_update %w, %dw {lr = 5.0e-01 : f64, weight_decay = 0.0 : f64}
    ```
  }];
  let dependentDialects = ["::lowtide::train::TrainDialect"];
  let options = [
    Option<"loss", "loss", "::lowtide::StepOptions::Loss",
           "::lowtide::StepOptions::Loss::CrossEntropy",
           "What the step minimizes",
           [{::llvm::cl::values(
             clEnumValN(::lowtide::StepOptions::Loss::CrossEntropy,
                        "cross-entropy", "mean cross-entropy"),
             clEnumValN(::lowtide::StepOptions::Loss::MeanSquaredError,
                        "mse", "mean squared difference"),
             clEnumValN(::lowtide::StepOptions::Loss::Output,
                        "output", "the output itself"))}]>,
    Option<"output", "output", "std::string", "\"\"",
           "The output that the loss reads, where there are several">,
    Option<"classAxis", "class-axis", "int64_t", "1",
           "Axis of the classes for cross-entropy">,
    Option<"optimizer", "optimizer", "::lowtide::OptimizerSpec::Kind",
           "::lowtide::OptimizerSpec::Kind::None",
           "How parameters are updated",
           [{::llvm::cl::values(
             clEnumValN(::lowtide::OptimizerSpec::Kind::None, "none",
                        "return gradients"),
             clEnumValN(::lowtide::OptimizerSpec::Kind::Sgd, "sgd",
                        "gradient descent, with momentum unless that is 0"),
             clEnumValN(::lowtide::OptimizerSpec::Kind::AdamW, "adamw",
                        "Adam with decoupled weight decay"))}]>,
    Option<"learningRate", "lr", "double", "1e-3", "Learning rate">,
    Option<"momentum", "momentum", "double", "0", "Momentum of sgd">,
    Option<"weightDecay", "weight-decay", "double", "0", "Weight decay">,
    Option<"trainingMode", "training-mode", "::lowtide::TrainingMode",
           "::lowtide::TrainingMode::Keep",
           "How dropout and normalisation behave",
           [{::llvm::cl::values(
             clEnumValN(::lowtide::TrainingMode::Keep, "keep",
                        "as the graph says"),
             clEnumValN(::lowtide::TrainingMode::Train, "train",
                        "as in training"),
             clEnumValN(::lowtide::TrainingMode::Eval, "eval",
                        "as in evaluation"))}]>,
    ListOption<"wrt", "wrt", "std::string",
               "Glob patterns of the initializers to train">
  ];
}

def ScheduleOps : Pass<"lowtide-schedule-ops", "::mlir::func::FuncOp"> {
  let summary = "Order the ops of a step for the least peak";
  let description = [{
    Form F2 to F3; the order of the file stays where nothing leaner is found.
    Sets `plan.order`: from here on the order is meaning.
  }];
}

def Rematerialize : Pass<"lowtide-rematerialize", "::mlir::func::FuncOp"> {
  let summary = "Recompute values so that a step fits a byte budget";
  let description = [{
    Keeps form F3. A value that is dropped comes from a clone of its op, marked
    with the node that it runs again:
    ```mlir
    %h.2 = onnx.Relu %x {plan.recompute_of = "h"}
    ```
    Fails when no plan within the budget is found, and names a budget that is
    met. Addresses come later and can need more than the bytes alive at once.
  }];
  let options = [
    Option<"budgetBytes", "budget-bytes", "int64_t", "0",
           "Bytes alive at once, arguments included">,
    Option<"effort", "effort", "double", "1",
           "Scales the counted work of the search">
  ];
}

def AssignOffsets : Pass<"lowtide-assign-offsets", "::mlir::func::FuncOp"> {
  let summary = "Give every value and workspace its place in one arena";
  let description = [{
    Form F3 to F4. Arguments and constants lie from offset 0 on; what is live at
    the same step lies apart:
    ```mlir
    %h = onnx.Relu %x {plan.places = [#plan.place<"device" : 64 + 64>]}
    ```
  }];
  let dependentDialects = ["::lowtide::plan::PlanDialect"];
}

def VerifyForm : Pass<"lowtide-verify-form", "::mlir::func::FuncOp"> {
  let summary = "Check the contract of one of the forms F1 to F4";
  let description = [{
    Changes nothing. docs/Architecture.md states the forms. With `form=F1` this
    fails:
    ```mlir
    func.func @main(%x: tensor<?x4xf32>)
    ```
  }];
  let options = [
    Option<"form", "form", "::lowtide::Form", "::lowtide::Form::F1",
           "The form to check",
           [{::llvm::cl::values(
             clEnumValN(::lowtide::Form::F1, "F1", "forward, static shapes"),
             clEnumValN(::lowtide::Form::F2, "F2", "training step"),
             clEnumValN(::lowtide::Form::F3, "F3", "scheduled step"),
             clEnumValN(::lowtide::Form::F4, "F4", "planned step"))}]>
  ];
}

def RemoveClones : Pass<"lowtide-remove-clones", "::mlir::func::FuncOp"> {
  let summary = "Undo recomputation: every reader reads the first run";
  let description = [{
    The inverse of `lowtide-rematerialize`; ops with `plan.recompute_of` go.
  }];
}

def PrintStepMemory
    : Pass<"lowtide-print-step-memory", "::mlir::func::FuncOp"> {
  let summary = "Show storages, live bytes at each op, and the peak as remarks";
  let description = [{
    A remark at each value that owns a storage (bytes, class), at each op that
    does work (bytes alive while it runs), and at the function (the peak).
  }];
}

#endif // LOWTIDE_TRANSFORMS_PASSES_TD
