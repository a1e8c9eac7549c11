// RUN: lowtide-test-opt %s --test-gradients --cse --split-input-file | FileCheck %s

// Operands of equal shapes share one adjoint, which nothing copies.

// CHECK-LABEL: func.func @add
// CHECK-SAME:    (%{{.*}}, %{{.*}}, %[[DY:.*]]: tensor<3x4xf32>)
// CHECK:         return %[[DY]], %[[DY]]
func.func @add(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = onnx.Add %a, %b : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// Broadcasting over leading axes only: one ReduceSum that drops them.

// CHECK-LABEL: func.func @add_row
// CHECK-SAME:    (%{{.*}}, %{{.*}}, %[[DY:.*]]: tensor<3x4xf32>)
// CHECK-DAG:     %[[AXES:.*]] = onnx.Constant dense<0> : tensor<1xi64>
// CHECK:         %[[SUM:.*]] = onnx.ReduceSum %[[DY]], %[[AXES]] {keepdims = 0
// CHECK-NOT:     onnx.Reshape
// CHECK:         return %[[DY]], %[[SUM]]
func.func @add_row(%a: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<3x4xf32> {
  %y = onnx.Add %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// Both kinds of axes at once: one ReduceSum and a view.

// CHECK-LABEL: func.func @add_mixed
// CHECK-SAME:    (%{{.*}}, %{{.*}}, %[[DY:.*]]: tensor<2x3x4xf32>)
// CHECK-DAG:     %[[AXES:.*]] = onnx.Constant dense<[0, 2]> : tensor<2xi64>
// CHECK:         %[[SUM:.*]] = onnx.ReduceSum %[[DY]], %[[AXES]] :
// CHECK-SAME:      -> tensor<1x3x1xf32>
// CHECK:         onnx.Reshape %[[SUM]]
// CHECK-SAME:      -> tensor<3x1xf32>
func.func @add_mixed(%a: tensor<2x3x4xf32>, %b: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %y = onnx.Add %a, %b : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// Both slots of one value: two contributions, 2 * x in all.

// CHECK-LABEL: func.func @square
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[DY:.*]]: tensor<4xf32>)
// CHECK:         %[[PART:.*]] = onnx.Mul %[[DY]], %[[X]]
// CHECK:         onnx.Add %[[PART]], %[[PART]]
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Division reads the quotient and the divisor; the dividend may die.

// CHECK-LABEL: func.func @div
// CHECK-SAME:    (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[DY:.*]]: tensor<4xf32>)
// CHECK:         %[[Y:.*]] = onnx.Div %[[A]], %[[B]]
// CHECK:         %[[DA:.*]] = onnx.Div %[[DY]], %[[B]]
// CHECK:         %[[P:.*]] = onnx.Mul %[[DA]], %[[Y]]
// CHECK:         onnx.Neg %[[P]]
func.func @div(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Div %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Where selects: a NaN that wasn't chosen is not multiplied into the adjoint.

// CHECK-LABEL: func.func @where
// CHECK-SAME:    (%[[C:.*]]: tensor<2xi1>, %{{.*}}, %{{.*}}, %[[DY:.*]]: tensor<2xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = onnx.Constant dense<0.000000e+00> : tensor<f32>
// CHECK:         %[[DA:.*]] = onnx.Where %[[C]], %[[DY]], %[[ZERO]]
// CHECK:         %[[DB:.*]] = onnx.Where %[[C]], %[[ZERO]], %[[DY]]
// CHECK:         return %[[DA]], %[[DB]]
func.func @where(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %y = onnx.Where %c, %a, %b : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Each operand of a maximum gets its share of ties.

// CHECK-LABEL: func.func @max
// CHECK:         %[[Y:.*]] = onnx.Max
// CHECK:         train.max_grad %{{.*}}, %[[Y]], %{{.*}}, %{{.*}} {index = 0
// CHECK:         train.max_grad %{{.*}}, %[[Y]], %{{.*}}, %{{.*}} {index = 1
func.func @max(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Max %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A running sum is undone from the other end.

// CHECK-LABEL: func.func @cumsum
// CHECK:         onnx.CumSum %{{.*}}, %{{.*}} {exclusive = 1 : i64, reverse = 1 : i64}
func.func @cumsum(%x: tensor<4xf32>) -> tensor<4xf32> {
  %axis = onnx.Constant dense<0> : tensor<i64>
  %y = onnx.CumSum %x, %axis {exclusive = 1 : i64} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
