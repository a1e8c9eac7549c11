// RUN: lowtide-opt %s -split-input-file --lowtide-assign-offsets | FileCheck %s

// Arguments lie from 0 on in their order, rounded up to 64 bytes: x at 0, w at
// 64 (20 bytes), so that values start at 128. b may be written over a, which
// has as many bytes and dies: the arena ends at 192.

// CHECK-LABEL: func.func @in_place
// CHECK-SAME:    plan.place = #plan.place<"device" : 0 + 64>
// CHECK-SAME:    plan.place = #plan.place<"device" : 64 + 64>
// CHECK-SAME:    plan.arena = #plan.arena<"device" : 192 align 64>
// CHECK:         onnx.Mul {{.*}}plan.places = [#plan.place<"device" : 128 + 64>]
// CHECK:         onnx.Exp {{.*}}plan.places = [#plan.place<"device" : 128 + 64>]
func.func @in_place(%x: tensor<5xf32> {onnx.name = "x"}, %w: tensor<5xf32> {onnx.name = "w"}) -> tensor<5xf32> {
  %a = onnx.Mul %x, %w : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %b = onnx.Exp %a : (tensor<5xf32>) -> tensor<5xf32>
  return %b : tensor<5xf32>
}

// -----

// A constant that a kernel reads has its bytes next to the arguments (64); one
// that only says a shape has none.

// CHECK-LABEL: func.func @constants
// CHECK-SAME:    plan.arena = #plan.arena<"device" : 192 align 64>
// CHECK:         onnx.Constant {plan.places = [#plan.place<"device" : 64 + 64>]} dense<2.000000e+00>
// CHECK:         onnx.Constant {plan.places = [#plan.place<"device" : 0 + 0>]} dense<[2, 3]>
// CHECK:         onnx.Mul {{.*}}plan.places = [#plan.place<"device" : 128 + 64>]
// CHECK:         onnx.Reshape {{.*}}plan.places = [#plan.place<"device" : 128 + 64>]
func.func @constants(%x: tensor<6xf32> {onnx.name = "x"}) -> tensor<2x3xf32> {
  %two = onnx.Constant dense<2.0> : tensor<f32>
  %shape = onnx.Constant dense<[2, 3]> : tensor<2xi64>
  %y = onnx.Mul %x, %two : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %z = onnx.Reshape %y, %shape : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

// An update takes the place of the argument that it replaces.

// CHECK-LABEL: func.func @update
// CHECK-SAME:    onnx.name = "w", plan.place = #plan.place<"device" : 0 + 64>
// CHECK-SAME:    onnx.name = "g", plan.place = #plan.place<"device" : 64 + 64>
// CHECK-SAME:    plan.arena = #plan.arena<"device" : 128 align 64>
// CHECK:         train.sgd_update {{.*}}plan.places = [#plan.place<"device" : 0 + 64>]
func.func @update(%w: tensor<4xf32> {onnx.name = "w"}, %g: tensor<4xf32> {onnx.name = "g"})
    -> (tensor<4xf32> {onnx.name = "w.new", train.updates = "w"}) {
  %new = train.sgd_update %w, %g {lr = 0.1 : f64, weight_decay = 0.0 : f64}
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// a (64) and b (128) are live together and lie apart; when c (64) is made, a is
// dead, and the arena needs no more than x + a + b = 64 + 64 + 128 = 256.

// CHECK-LABEL: func.func @reuse
// CHECK-SAME:    plan.arena = #plan.arena<"device" : 256 align 64>
func.func @reuse(%x: tensor<16xf32> {onnx.name = "x"}) -> tensor<1xf32> {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %a = onnx.Exp %x : (tensor<16xf32>) -> tensor<16xf32>
  %b = onnx.Concat %a, %a {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  %c = onnx.ReduceSum %b, %zero : (tensor<32xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %c : tensor<1xf32>
}
