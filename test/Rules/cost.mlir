// RUN: lowtide-test-opt %s --test-costs | FileCheck %s

// A multiplication and an addition for each element and inner step: 2 * 8 * 3.

// CHECK-LABEL: func.func @products
// CHECK:         onnx.MatMul {{.*}} {test.flops = 48 : i64, test.kind = "matmul"}
// CHECK:         onnx.Gemm {{.*}}test.flops = 48 : i64, test.kind = "matmul"
func.func @products(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<3x2xf32>) {
  %none = onnx.None
  %0 = onnx.MatMul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = onnx.Gemm %c, %b, %none {transA = 1 : i64} : (tensor<3x2xf32>, tensor<3x4xf32>, none) -> tensor<2x4xf32>
  return
}

// A convolution and its adjoints count the same pairs: 2 places, 4 outputs, one
// channel of 2 taps for each.

// CHECK-LABEL: func.func @convolutions
// CHECK:         onnx.Conv {{.*}}test.flops = 32 : i64, test.kind = "conv"
// CHECK:         train.conv_input_grad {{.*}}test.flops = 32 : i64, test.kind = "conv"
// CHECK:         train.conv_weight_grad {{.*}}test.flops = 32 : i64, test.kind = "conv"
func.func @convolutions(%x: tensor<1x2x3xf32>, %w: tensor<4x1x2xf32>, %dy: tensor<1x4x2xf32>) {
  %none = onnx.None
  %0 = onnx.Conv %x, %w, %none {group = 2 : i64} : (tensor<1x2x3xf32>, tensor<4x1x2xf32>, none) -> tensor<1x4x2xf32>
  %1 = train.conv_input_grad %dy, %w {input_shape = array<i64: 1, 2, 3>, strides = array<i64: 1>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, group = 2 : i64} : (tensor<1x4x2xf32>, tensor<4x1x2xf32>) -> tensor<1x2x3xf32>
  %2 = train.conv_weight_grad %dy, %x {weight_shape = array<i64: 4, 1, 2>, strides = array<i64: 1>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, group = 2 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<4x1x2xf32>
  return
}

// Exponentials weigh more than sums; moving elements has no arithmetic.

// CHECK-LABEL: func.func @elementwise
// CHECK:         onnx.Exp {{.*}}test.flops = 80 : i64, test.kind = "elementwise"
// CHECK:         onnx.Add {{.*}}test.flops = 4 : i64
// CHECK:         onnx.Transpose
// CHECK-NOT:       test.flops
// CHECK-SAME:      : (tensor<2x2xf32>)
func.func @elementwise(%x: tensor<4xf32>, %m: tensor<2x2xf32>) {
  %0 = onnx.Exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.Add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = onnx.Transpose %m : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
