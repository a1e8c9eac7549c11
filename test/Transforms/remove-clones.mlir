// RUN: lowtide-opt %s -split-input-file --lowtide-remove-clones | FileCheck %s

// Readers of a second run read the first, and a view of a second run is the
// first view.

// CHECK-LABEL: func.func @clone_and_view
// CHECK:         %[[A:.*]] = onnx.Exp
// CHECK:         %[[V:.*]] = onnx.Flatten %[[A]]
// CHECK-NEXT:    %[[B:.*]] = onnx.Neg %[[V]]
// CHECK-NEXT:    %[[C:.*]] = onnx.Add %[[V]], %[[B]]
// CHECK-NEXT:    return %[[C]]
func.func @clone_and_view(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = onnx.Exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("a")
  %v = onnx.Flatten %a : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("v")
  %b = onnx.Neg %v : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("b")
  %a2 = onnx.Exp %x {plan.recompute_of = "a"} : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("a.run2")
  %v2 = onnx.Flatten %a2 {plan.recompute_of = "v"} : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("v.run2")
  %c = onnx.Add %v2, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("c")
  return %c : tensor<4x4xf32>
}

// -----

// A third run goes as well.

// CHECK-LABEL: func.func @third_run
// CHECK:         %[[A:.*]] = onnx.Exp
// CHECK-NOT:     onnx.Exp
// CHECK:         onnx.Add %[[A]], %[[A]]
func.func @third_run(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = onnx.Exp %x : (tensor<4xf32>) -> tensor<4xf32> loc("a")
  %a2 = onnx.Exp %x {plan.recompute_of = "a"} : (tensor<4xf32>) -> tensor<4xf32> loc("a.run2")
  %a3 = onnx.Exp %x {plan.recompute_of = "a"} : (tensor<4xf32>) -> tensor<4xf32> loc("a.run3")
  %y = onnx.Add %a2, %a3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("y")
  return %y : tensor<4xf32>
}
