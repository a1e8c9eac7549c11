// RUN: lowtide-opt %s -split-input-file --lowtide-bind-dimensions | FileCheck %s

// Folding runs the reference kernels on constants, in any type.

// CHECK-LABEL: func.func @elementwise
// CHECK-NEXT:    onnx.Constant dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]> : tensor<3xf32>
// CHECK-NEXT:    return
func.func @elementwise() -> tensor<3xf32> {
  %a = onnx.Constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %two = onnx.Constant dense<2.0> : tensor<f32>
  %y = onnx.Mul %a, %two : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @causal_mask
// CHECK-NEXT:    onnx.Constant dense<{{\[\[}}true, false], [true, true]]> : tensor<2x2xi1>
// CHECK-NEXT:    return
func.func @causal_mask() -> tensor<2x2xi1> {
  %none = onnx.None
  %ones = onnx.Constant dense<true> : tensor<2x2xi1>
  %mask = onnx.Trilu %ones, %none {upper = 0 : i64} : (tensor<2x2xi1>, none) -> tensor<2x2xi1>
  return %mask : tensor<2x2xi1>
}

// -----

// CHECK-LABEL: func.func @range
// CHECK-NEXT:    onnx.Constant dense<[0, 2, 4, 6]> : tensor<4xi64>
// CHECK-NEXT:    return
func.func @range() -> tensor<?xi64> {
  %start = onnx.Constant dense<0> : tensor<i64>
  %limit = onnx.Constant dense<8> : tensor<i64>
  %delta = onnx.Constant dense<2> : tensor<i64>
  %y = onnx.Range %start, %limit, %delta : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// -----

// The number of elements needs the type of its operand only.

// CHECK-LABEL: func.func @size_of_argument
// CHECK-NEXT:    onnx.Constant dense<12> : tensor<i64>
// CHECK-NEXT:    return
func.func @size_of_argument(%x: tensor<3x4xf32>) -> tensor<i64> {
  %y = onnx.Size %x : (tensor<3x4xf32>) -> tensor<i64>
  return %y : tensor<i64>
}

// -----

// 16384 floats are 64 KiB and are folded; one more is left for the step.

// CHECK-LABEL: func.func @at_the_limit
// CHECK-NOT:     onnx.Expand
func.func @at_the_limit() -> tensor<16384xf32> {
  %one = onnx.Constant dense<1.0> : tensor<1xf32>
  %shape = onnx.Constant dense<16384> : tensor<1xi64>
  %y = onnx.Expand %one, %shape : (tensor<1xf32>, tensor<1xi64>) -> tensor<16384xf32>
  return %y : tensor<16384xf32>
}

// CHECK-LABEL: func.func @above_the_limit
// CHECK:         onnx.Expand
func.func @above_the_limit() -> tensor<16385xf32> {
  %one = onnx.Constant dense<1.0> : tensor<1xf32>
  %shape = onnx.Constant dense<16385> : tensor<1xi64>
  %y = onnx.Expand %one, %shape : (tensor<1xf32>, tensor<1xi64>) -> tensor<16385xf32>
  return %y : tensor<16385xf32>
}

// -----

// An op that draws random numbers isn't folded.

// CHECK-LABEL: func.func @random
// CHECK:         onnx.Dropout
func.func @random() -> tensor<2xf32> {
  %none = onnx.None
  %one = onnx.Constant dense<1.0> : tensor<2xf32>
  %train = onnx.Constant dense<true> : tensor<i1>
  %y, %mask = onnx.Dropout %one, %none, %train : (tensor<2xf32>, none, tensor<i1>) -> (tensor<2xf32>, none)
  return %y : tensor<2xf32>
}
