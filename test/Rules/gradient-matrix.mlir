// RUN: lowtide-test-opt %s --test-gradients --split-input-file | FileCheck %s

// Products of plain matrices transpose by Gemm's flags.

// CHECK-LABEL: func.func @matmul
// CHECK-SAME:    (%[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<3x4xf32>, %[[DY:.*]]: tensor<2x4xf32>)
// CHECK-NOT:     onnx.Transpose
// CHECK:         onnx.Gemm %[[DY]], %[[B]], %{{.*}} {transB = 1 : i64}
// CHECK:         onnx.Gemm %[[A]], %[[DY]], %{{.*}} {transA = 1 : i64}
// CHECK-NOT:     onnx.Transpose
func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %y = onnx.MatMul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A weight that a batch shares: one product over all rows, so that no batch of
// weight gradients exists.

// CHECK-LABEL: func.func @shared_weight
// CHECK-NOT:     onnx.ReduceSum
// CHECK:         onnx.Gemm %{{.*}} : (tensor<10x4xf32>, tensor<3x4xf32>, none) -> tensor<10x3xf32>
// CHECK:         onnx.Gemm %{{.*}} : (tensor<10x3xf32>, tensor<10x4xf32>, none) -> tensor<3x4xf32>
// CHECK-NOT:     onnx.ReduceSum
func.func @shared_weight(%a: tensor<5x2x3xf32>, %b: tensor<3x4xf32>) -> tensor<5x2x4xf32> {
  %y = onnx.MatMul %a, %b : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
  return %y : tensor<5x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @dot
// CHECK-SAME:    (%[[A:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<3xf32>, %[[DY:.*]]: tensor<f32>)
// CHECK:         onnx.Mul %[[B]], %[[DY]]
// CHECK:         onnx.Mul %[[A]], %[[DY]]
func.func @dot(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<f32> {
  %y = onnx.MatMul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @batched
// CHECK-SAME:    (%[[A:.*]]: tensor<5x2x3xf32>, %[[B:.*]]: tensor<5x3x4xf32>, %[[DY:.*]]: tensor<5x2x4xf32>)
// CHECK:         %[[BT:.*]] = onnx.Transpose %[[B]] {perm = array<i64: 0, 2, 1>}
// CHECK:         onnx.MatMul %[[DY]], %[[BT]]
// CHECK:         %[[AT:.*]] = onnx.Transpose %[[A]] {perm = array<i64: 0, 2, 1>}
// CHECK:         onnx.MatMul %[[AT]], %[[DY]]
func.func @batched(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %y = onnx.MatMul %a, %b : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %y : tensor<5x2x4xf32>
}

// -----

// alpha goes into the products, beta onto the summed bias.

// CHECK-LABEL: func.func @gemm
// CHECK-SAME:    (%[[A:.*]]: tensor<1x3xf32>, %[[B:.*]]: tensor<2x3xf32>, %{{.*}}, %[[DY:.*]]: tensor<1x2xf32>)
// CHECK:         onnx.Gemm %[[DY]], %[[B]], %{{.*}} {alpha = 5.000000e-01 : f32}
// CHECK:         onnx.Gemm %[[DY]], %[[A]], %{{.*}} {alpha = 5.000000e-01 : f32, transA = 1 : i64}
// CHECK:         %[[SUM:.*]] = onnx.Reshape %[[DY]]
// CHECK:         %[[BETA:.*]] = onnx.Constant dense<2.000000e+00>
// CHECK:         onnx.Mul %[[SUM]], %[[BETA]]
func.func @gemm(%a: tensor<1x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2xf32>) -> tensor<1x2xf32> {
  %y = onnx.Gemm %a, %b, %c {alpha = 5.0e-01 : f32, beta = 2.0e+00 : f32, transB = 1 : i64}
      : (tensor<1x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
