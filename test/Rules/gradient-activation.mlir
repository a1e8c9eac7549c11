// RUN: lowtide-test-opt %s --test-gradients --split-input-file | FileCheck %s

// Relu, sigmoid, tanh, sqrt and exp are read back from their results, so that
// their operands may die in the forward pass.

// CHECK-LABEL: func.func @relu
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32>, %[[DY:.*]]: tensor<2x3xf32>)
// CHECK:         %[[Y:.*]] = onnx.Relu %[[X]]
// CHECK:         %[[DX:.*]] = train.relu_grad %[[DY]], %[[Y]]
// CHECK:         return %[[DX]]
func.func @relu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = onnx.Relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @sigmoid
// CHECK:         %[[Y:.*]] = onnx.Sigmoid
// CHECK:         train.sigmoid_grad %{{.*}}, %[[Y]]
func.func @sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @tanh
// CHECK:         %[[Y:.*]] = onnx.Tanh
// CHECK:         train.tanh_grad %{{.*}}, %[[Y]]
func.func @tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @sqrt
// CHECK:         %[[Y:.*]] = onnx.Sqrt
// CHECK:         train.sqrt_grad %{{.*}}, %[[Y]]
func.func @sqrt(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @exp
// CHECK-SAME:    (%{{.*}}: tensor<4xf32>, %[[DY:.*]]: tensor<4xf32>)
// CHECK:         %[[Y:.*]] = onnx.Exp
// CHECK:         onnx.Mul %[[DY]], %[[Y]]
func.func @exp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The sign of the result tells which side a leaky relu took only while alpha is
// positive.

// CHECK-LABEL: func.func @leaky_positive
// CHECK:         %[[Y:.*]] = onnx.LeakyRelu
// CHECK:         train.leaky_relu_grad %{{.*}}, %[[Y]]
func.func @leaky_positive(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.LeakyRelu %x {alpha = 1.0e-01 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @leaky_negative
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
// CHECK:         train.leaky_relu_grad %{{.*}}, %[[X]]
func.func @leaky_negative(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.LeakyRelu %x {alpha = -1.0e-01 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A view's adjoint and an identity's are the adjoint itself: no op, no copy.

// CHECK-LABEL: func.func @identity
// CHECK-SAME:    (%{{.*}}: tensor<4xf32>, %[[DY:.*]]: tensor<4xf32>)
// CHECK:         return %[[DY]]
func.func @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Identity %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// An integer cast ends the path: the adjoint is zero.

// CHECK-LABEL: func.func @round_trip
// CHECK:         %[[ZERO:.*]] = onnx.ConstantOfShape
// CHECK:         return %[[ZERO]]
func.func @round_trip(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = onnx.Cast %x {to = i64} : (tensor<4xf32>) -> tensor<4xi64>
  %y = onnx.Cast %i {to = f32} : (tensor<4xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @widen
// CHECK-SAME:    (%{{.*}}: tensor<4xf32>, %[[DY:.*]]: tensor<4xf64>)
// CHECK:         onnx.Cast %[[DY]] {to = f32}
func.func @widen(%x: tensor<4xf32>) -> tensor<4xf64> {
  %y = onnx.Cast %x {to = f64} : (tensor<4xf32>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
