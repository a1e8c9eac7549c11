// Results are declared without rank; binding dimensions refines them to what
// inference knows.
//
// RUN: lowtide-opt %s --lowtide-bind-dimensions | FileCheck %s

// Axes are aligned from the right; 1 stretches.

// CHECK-LABEL: func.func @broadcast
// CHECK-SAME:    -> tensor<2x4x3xf32>
func.func @broadcast(%a: tensor<4x1xf32>, %b: tensor<2x1x3xf32>) -> tensor<*xf32> {
  %y = onnx.Add %a, %b : (tensor<4x1xf32>, tensor<2x1x3xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Against 1 an open dimension stays open; against 3 it can only be 1 or 3.

// CHECK-LABEL: func.func @broadcast_open
// CHECK-SAME:    -> (tensor<?xf32>, tensor<3xf32>)
func.func @broadcast_open(%a: tensor<?xf32>, %b: tensor<1xf32>, %c: tensor<3xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %y = onnx.Mul %a, %b : (tensor<?xf32>, tensor<1xf32>) -> tensor<*xf32>
  %z = onnx.Mul %a, %c : (tensor<?xf32>, tensor<3xf32>) -> tensor<*xf32>
  return %y, %z : tensor<*xf32>, tensor<*xf32>
}

// Any number of operands.

// CHECK-LABEL: func.func @nary
// CHECK-SAME:    -> tensor<2x3x4xf32>
func.func @nary(%a: tensor<4xf32>, %b: tensor<3x1xf32>, %c: tensor<2x1x1xf32>) -> tensor<*xf32> {
  %y = onnx.Max %a, %b, %c : (tensor<4xf32>, tensor<3x1xf32>, tensor<2x1x1xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Comparisons are boolean, a cast has its target's type, where has its values'.

// CHECK-LABEL: func.func @element_types
// CHECK-SAME:    -> (tensor<2xi1>, tensor<2xi64>, tensor<3x2xf32>, tensor<2xi1>)
func.func @element_types(%a: tensor<2xf32>, %b: tensor<3x1xf32>) -> (tensor<*xi1>, tensor<*xi64>, tensor<*xf32>, tensor<*xi1>) {
  %less = onnx.Less %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<*xi1>
  %int = onnx.Cast %a {to = i64} : (tensor<2xf32>) -> tensor<*xi64>
  %where = onnx.Where %less, %a, %b : (tensor<*xi1>, tensor<2xf32>, tensor<3x1xf32>) -> tensor<*xf32>
  %nan = onnx.IsNaN %a : (tensor<2xf32>) -> tensor<*xi1>
  return %less, %int, %where, %nan : tensor<*xi1>, tensor<*xi64>, tensor<*xf32>, tensor<*xi1>
}

// The power has the type of its base, whatever the exponent's.

// CHECK-LABEL: func.func @pow
// CHECK-SAME:    -> tensor<2xf32>
func.func @pow(%a: tensor<2xf32>, %b: tensor<i64>) -> tensor<*xf32> {
  %y = onnx.Pow %a, %b : (tensor<2xf32>, tensor<i64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Matrices, batches that broadcast, vectors on either side.

// CHECK-LABEL: func.func @matmul
// CHECK-SAME:    -> (tensor<2x4xf32>, tensor<5x7x2x4xf32>, tensor<4xf32>, tensor<7x2xf32>, tensor<f32>)
func.func @matmul(%m: tensor<2x3xf32>, %n: tensor<3x4xf32>, %a: tensor<5x1x2x3xf32>, %b: tensor<7x3x4xf32>,
                  %v: tensor<3xf32>, %c: tensor<7x2x3xf32>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %plain = onnx.MatMul %m, %n : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<*xf32>
  %batch = onnx.MatMul %a, %b : (tensor<5x1x2x3xf32>, tensor<7x3x4xf32>) -> tensor<*xf32>
  %row = onnx.MatMul %v, %n : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<*xf32>
  %column = onnx.MatMul %c, %v : (tensor<7x2x3xf32>, tensor<3xf32>) -> tensor<*xf32>
  %dot = onnx.MatMul %v, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<*xf32>
  return %plain, %batch, %row, %column, %dot : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// (3x2)' (4x3)' is 2x4.

// CHECK-LABEL: func.func @gemm
// CHECK-SAME:    -> tensor<2x4xf32>
func.func @gemm(%a: tensor<3x2xf32>, %b: tensor<4x3xf32>, %c: tensor<4xf32>) -> tensor<*xf32> {
  %y = onnx.Gemm %a, %b, %c {transA = 1 : i64, transB = 1 : i64} : (tensor<3x2xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// What can't be known isn't guessed.

// CHECK-LABEL: func.func @unknown
// CHECK-SAME:    -> (tensor<*xf32>, tensor<?x4xf32>)
func.func @unknown(%a: tensor<*xf32>, %b: tensor<2x3xf32>, %c: tensor<?x3xf32>, %d: tensor<3x4xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %y = onnx.Add %a, %b : (tensor<*xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  %z = onnx.MatMul %c, %d : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<*xf32>
  return %y, %z : tensor<*xf32>, tensor<*xf32>
}
