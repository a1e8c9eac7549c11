// RUN: split-file %s %t
// RUN: lowtide-opt %t/F1.mlir -split-input-file -verify-diagnostics --lowtide-verify-form="form=F1"
// RUN: lowtide-opt %t/F2.mlir -split-input-file -verify-diagnostics --lowtide-verify-form="form=F2"
// RUN: lowtide-opt %t/F3.mlir -split-input-file -verify-diagnostics --lowtide-verify-form="form=F3"
// RUN: lowtide-opt %t/F4.mlir -split-input-file -verify-diagnostics --lowtide-verify-form="form=F4"
// RUN: not lowtide-opt %t/names.mlir -split-input-file --lowtide-verify-form="form=F2" 2>&1 | FileCheck %t/names.mlir
// RUN: not lowtide-opt %t/clones.mlir -split-input-file --lowtide-verify-form="form=F3" 2>&1 | FileCheck %t/clones.mlir
// RUN: lowtide-opt %t/all.mlir --lowtide-bind-dimensions="dims=N=2" --lowtide-verify-form="form=F1" \
// RUN:   --lowtide-build-step="optimizer=sgd" --lowtide-verify-form="form=F2" \
// RUN:   --lowtide-schedule-ops --lowtide-verify-form="form=F3" \
// RUN:   --lowtide-assign-offsets --lowtide-verify-form="form=F4"

// F1 has static shapes and constants where kernels need them; each form after
// it has what its passes rely on. The passes in a row satisfy each contract.

//--- all.mlir

func.func @main(%x: tensor<?x3xf32> {onnx.name = "x", onnx.input, onnx.dims = ["N", ""]},
                %w: tensor<3x4xf32> {onnx.name = "w", onnx.initializer}) -> tensor<?x4xf32> {
  %y = onnx.MatMul %x, %w : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32> loc("fc")
  return %y : tensor<?x4xf32>
}

//--- F1.mlir

// expected-error @+1 {{input 'x' has type 'tensor<?xf32>', which isn't static}}
func.func @dynamic_input(%x: tensor<?xf32> {onnx.name = "x"}) -> tensor<?xf32> {
  // expected-error @+1 {{has a result of type 'tensor<?xf32>', which isn't static}}
  %y = onnx.Neg %x : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @computed_shape(%x: tensor<4xf32>, %shape: tensor<2xi64>) -> tensor<2x2xf32> {
  // expected-error @+1 {{needs a constant as operand 1}}
  %y = onnx.Reshape %x, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// expected-error @+1 {{is a training step, not a forward graph}}
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.step} {
  return %x : tensor<4xf32>
}

//--- F2.mlir

// expected-error @+1 {{is no training step}}
func.func @forward(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{input 'x' has no role}}
func.func @role(%x: tensor<f32> {onnx.name = "x"}) -> tensor<f32> attributes {train.step} {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{has a first result that isn't named 'loss'}}
func.func @loss(%x: tensor<f32> {train.role = "input"}) -> tensor<f32> attributes {train.step} {
  return %x : tensor<f32>
}

// -----

func.func @nameless(%x: tensor<f32> {train.role = "input"})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step} {
  // expected-error @+1 {{has no name}}
  %y = onnx.Neg %x : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// expected-error @+1 {{result 1 replaces 'v', which is no argument of its type}}
func.func @unknown_target(%w: tensor<4xf32> {onnx.name = "w", train.role = "parameter"}, %l: tensor<f32> {train.role = "input"})
    -> (tensor<f32> {onnx.name = "loss"}, tensor<4xf32> {train.updates = "v"}) attributes {train.step} {
  %new = onnx.Neg %w : (tensor<4xf32>) -> tensor<4xf32> loc("update")
  return %l, %new : tensor<f32>, tensor<4xf32>
}

//--- names.mlir

// CHECK: loc("r"): 'onnx.Exp' op reads 'w' after it was replaced
func.func @read_after_update(%w: tensor<4xf32> {onnx.name = "w", train.role = "parameter"}, %l: tensor<f32> {train.role = "input"})
    -> (tensor<f32> {onnx.name = "loss"}, tensor<4xf32> {train.updates = "w"}, tensor<4xf32>) attributes {train.step} {
  %new = onnx.Neg %w : (tensor<4xf32>) -> tensor<4xf32> loc("update")
  %r = onnx.Exp %w : (tensor<4xf32>) -> tensor<4xf32> loc("r")
  return %l, %new, %r : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK: loc("a"): 'onnx.Exp' op has the name of another op: a
func.func @name_twice(%l: tensor<f32> {train.role = "input"})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step} {
  %a = onnx.Neg %l : (tensor<f32>) -> tensor<f32> loc("a")
  %b = onnx.Exp %a : (tensor<f32>) -> tensor<f32> loc("a")
  return %b : tensor<f32>
}

//--- clones.mlir

// CHECK: loc("b"): 'onnx.Neg' op runs 'a' again, which doesn't come before it
func.func @no_original(%l: tensor<f32> {train.role = "input"})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step, plan.order} {
  %b = onnx.Neg %l {plan.recompute_of = "a"} : (tensor<f32>) -> tensor<f32> loc("b")
  return %b : tensor<f32>
}

// -----

// CHECK: loc("b"): 'onnx.Neg' op runs 'a' again, which is another op
func.func @another_op(%l: tensor<f32> {train.role = "input"})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step, plan.order} {
  %a = onnx.Exp %l : (tensor<f32>) -> tensor<f32> loc("a")
  %b = onnx.Neg %l {plan.recompute_of = "a"} : (tensor<f32>) -> tensor<f32> loc("b")
  return %b : tensor<f32>
}

// -----

// CHECK: loc("b"): 'train.running_update' op runs 'a' again, which may run only once
func.func @not_repeatable(%l: tensor<f32> {train.role = "input"})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step, plan.order} {
  %a = train.running_update %l, %l {momentum = 0.9 : f64} : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("a")
  %b = train.running_update %l, %l {momentum = 0.9 : f64, plan.recompute_of = "a"} : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("b")
  return %b : tensor<f32>
}

//--- F3.mlir

// expected-error @+1 {{has no order ('plan.order')}}
func.func @no_order(%x: tensor<f32> {train.role = "input"})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step} {
  return %x : tensor<f32>
}

//--- F4.mlir

// expected-error @+1 {{has no planned arena}}
func.func @no_arena(%x: tensor<f32> {train.role = "input"})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step} {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{the plan puts 'x' and 'h' on the same bytes at step 0}}
func.func @overlap(%x: tensor<f32> {onnx.name = "x", train.role = "input", plan.place = #plan.place<"device" : 0 + 64>})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step, plan.arena = #plan.arena<"device" : 128 align 64>} {
  %h = onnx.Neg %x {plan.places = [#plan.place<"device" : 0 + 64>]} : (tensor<f32>) -> tensor<f32> loc("h")
  return %h : tensor<f32>
}

// -----

// expected-error @+1 {{the plan puts 'h' (64 bytes) at offset 96 of an arena of 192}}
func.func @unaligned(%x: tensor<f32> {onnx.name = "x", train.role = "input", plan.place = #plan.place<"device" : 0 + 64>})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step, plan.arena = #plan.arena<"device" : 192 align 64>} {
  %h = onnx.Neg %x {plan.places = [#plan.place<"device" : 96 + 64>]} : (tensor<f32>) -> tensor<f32> loc("h")
  return %h : tensor<f32>
}

// -----

// expected-error @+1 {{the plan puts 'h' (64 bytes) at offset 128 of an arena of 128}}
func.func @outside(%x: tensor<f32> {onnx.name = "x", train.role = "input", plan.place = #plan.place<"device" : 0 + 64>})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step, plan.arena = #plan.arena<"device" : 128 align 64>} {
  %h = onnx.Neg %x {plan.places = [#plan.place<"device" : 128 + 64>]} : (tensor<f32>) -> tensor<f32> loc("h")
  return %h : tensor<f32>
}

// -----

// expected-error @+1 {{the plan puts 'h' (64 bytes) at offset -1}}
func.func @no_place(%x: tensor<f32> {onnx.name = "x", train.role = "input", plan.place = #plan.place<"device" : 0 + 64>})
    -> (tensor<f32> {onnx.name = "loss"}) attributes {train.step, plan.arena = #plan.arena<"device" : 128 align 64>} {
  %h = onnx.Neg %x : (tensor<f32>) -> tensor<f32> loc("h")
  return %h : tensor<f32>
}
