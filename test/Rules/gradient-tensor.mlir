// RUN: lowtide-test-opt %s --test-gradients --split-input-file | FileCheck %s

// Views stay views, and read no forward data.

// CHECK-LABEL: func.func @reshape
// CHECK-SAME:    (%{{.*}}: tensor<2x6xf32>, %[[DY:.*]]: tensor<3x4xf32>)
// CHECK:         %[[SHAPE:.*]] = onnx.Constant dense<[2, 6]>
// CHECK:         onnx.Reshape %[[DY]], %[[SHAPE]]
func.func @reshape(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %shape = onnx.Constant dense<[3, 4]> : tensor<2xi64>
  %y = onnx.Reshape %x, %shape : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @transpose
// CHECK:         onnx.Transpose %{{.*}} {perm = array<i64: 2, 0, 1>}
// CHECK:         onnx.Transpose %{{.*}} {perm = array<i64: 1, 2, 0>}
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %y = onnx.Transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %y : tensor<4x2x3xf32>
}

// -----

// Each operand of a concatenation gets its slice, an operand that appears twice
// the sum of two.

// CHECK-LABEL: func.func @concat
// CHECK-SAME:    (%{{.*}}, %{{.*}}, %[[DY:.*]]: tensor<5xf32>)
// CHECK:         %[[A0:.*]] = onnx.Slice %[[DY]]
// CHECK-SAME:      -> tensor<2xf32>
// CHECK:         %[[B:.*]] = onnx.Slice %[[DY]]
// CHECK-SAME:      -> tensor<1xf32>
// CHECK:         %[[A1:.*]] = onnx.Slice %[[DY]]
// CHECK-SAME:      -> tensor<2xf32>
// CHECK:         %[[A:.*]] = onnx.Add %[[A0]], %[[A1]]
// CHECK:         return %[[A]], %[[B]]
func.func @concat(%a: tensor<2xf32>, %b: tensor<1xf32>) -> tensor<5xf32> {
  %y = onnx.Concat %a, %b, %a {axis = 0 : i64} : (tensor<2xf32>, tensor<1xf32>, tensor<2xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// One used piece of a split is written into zeros; several are joined.

// CHECK-LABEL: func.func @split_one
// CHECK:         train.slice_grad %{{.*}} {data_shape = array<i64: 6>}
// CHECK-NOT:     onnx.Concat
func.func @split_one(%x: tensor<6xf32>) -> tensor<3xf32> {
  %sizes = onnx.Constant dense<[2, 3, 1]> : tensor<3xi64>
  %y:3 = onnx.Split %x, %sizes : (tensor<6xf32>, tensor<3xi64>) -> (tensor<2xf32>, tensor<3xf32>, tensor<1xf32>)
  return %y#1 : tensor<3xf32>
}

// CHECK-LABEL: func.func @split_all
// CHECK-SAME:    (%{{.*}}, %[[D0:.*]]: tensor<2xf32>, %[[D1:.*]]: tensor<3xf32>, %[[D2:.*]]: tensor<1xf32>)
// CHECK:         onnx.Concat %[[D0]], %[[D1]], %[[D2]] {axis = 0
func.func @split_all(%x: tensor<6xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<1xf32>) {
  %sizes = onnx.Constant dense<[2, 3, 1]> : tensor<3xi64>
  %y:3 = onnx.Split %x, %sizes : (tensor<6xf32>, tensor<3xi64>) -> (tensor<2xf32>, tensor<3xf32>, tensor<1xf32>)
  return %y#0, %y#1, %y#2 : tensor<2xf32>, tensor<3xf32>, tensor<1xf32>
}

// -----

// Repeats are summed as axes of their own.

// CHECK-LABEL: func.func @tile
// CHECK:         onnx.Reshape
// CHECK-SAME:      -> tensor<3x2x3xf32>
// CHECK:         onnx.ReduceSum %{{.*}} {keepdims = 0
// CHECK-SAME:      -> tensor<2x3xf32>
func.func @tile(%x: tensor<2x3xf32>) -> tensor<6x3xf32> {
  %n = onnx.Constant dense<[3, 1]> : tensor<2xi64>
  %y = onnx.Tile %x, %n : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<6x3xf32>
  return %y : tensor<6x3xf32>
}

// -----

// The triangle that was cut is cut again; no mask is multiplied.

// CHECK-LABEL: func.func @trilu
// CHECK-SAME:    (%{{.*}}: tensor<2x2xf32>, %[[DY:.*]]: tensor<2x2xf32>)
// CHECK:         onnx.Trilu %[[DY]], %{{.*}} {upper = 0 : i64}
// CHECK-NOT:     onnx.Mul
func.func @trilu(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %k = onnx.None
  %y = onnx.Trilu %x, %k {upper = 0 : i64} : (tensor<2x2xf32>, none) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// Two readers of one table: one gradient, the sum of both.

// CHECK-LABEL: func.func @tied
// CHECK:         %[[G0:.*]] = onnx.Gemm %{{.*}} {transA = 1 : i64}
// CHECK:         %[[T:.*]] = onnx.Transpose %[[G0]]
// CHECK:         %[[G1:.*]] = train.gather_grad
// CHECK:         onnx.Add %[[T]], %[[G1]]
func.func @tied(%e: tensor<3x2xf32>, %ids: tensor<2xi64>) -> tensor<2x3xf32> {
  %h = onnx.Gather %e, %ids : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  %t = onnx.Transpose %e {perm = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %y = onnx.MatMul %h, %t : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
