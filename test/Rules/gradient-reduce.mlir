// RUN: lowtide-test-opt %s --test-gradients --split-input-file | FileCheck %s

// A sum spreads its adjoint; it reads only a shape.

// CHECK-LABEL: func.func @sum
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32>, %[[DY:.*]]: tensor<2xf32>)
// CHECK:         %[[KEPT:.*]] = onnx.Reshape %[[DY]]
// CHECK-SAME:      -> tensor<2x1xf32>
// CHECK:         onnx.Expand %[[KEPT]]
func.func @sum(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %axes = onnx.Constant dense<-1> : tensor<1xi64>
  %y = onnx.ReduceSum %x, %axes {keepdims = 0 : i64} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// A mean divides before it spreads.

// CHECK-LABEL: func.func @mean
// CHECK:         %[[N:.*]] = onnx.Constant dense<6.000000e+00>
// CHECK:         onnx.Div %{{.*}}, %[[N]] : (tensor<f32>, tensor<f32>)
// CHECK:         onnx.Expand
func.func @mean(%x: tensor<2x3xf32>) -> tensor<f32> {
  %none = onnx.None
  %y = onnx.ReduceMean %x, %none {keepdims = 0 : i64} : (tensor<2x3xf32>, none) -> tensor<f32>
  return %y : tensor<f32>
}

// Nothing is reduced without axes where noop_with_empty_axes says so.

// CHECK-LABEL: func.func @noop
// CHECK-SAME:    (%{{.*}}: tensor<2x3xf32>, %[[DY:.*]]: tensor<2x3xf32>)
// CHECK:         return %[[DY]]
func.func @noop(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %none = onnx.None
  %y = onnx.ReduceSum %x, %none {noop_with_empty_axes = 1 : i64} : (tensor<2x3xf32>, none) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Ties share: dy is divided by how many elements attain the maximum.

// CHECK-LABEL: func.func @max
// CHECK:         %[[EQ:.*]] = onnx.Equal
// CHECK:         %[[ONES:.*]] = onnx.Cast %[[EQ]]
// CHECK:         %[[MANY:.*]] = onnx.ReduceSum %[[ONES]]
// CHECK:         %[[SHARE:.*]] = onnx.Div %{{.*}}, %[[MANY]]
// CHECK:         onnx.Where %[[EQ]], %[[SHARE]]
func.func @max(%x: tensor<1x3xf32>) -> tensor<1x1xf32> {
  %axes = onnx.Constant dense<1> : tensor<1xi64>
  %y = onnx.ReduceMax %x, %axes : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
