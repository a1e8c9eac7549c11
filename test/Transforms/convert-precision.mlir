// RUN: lowtide-opt %s -split-input-file --lowtide-convert-precision | FileCheck %s

// Arguments, results, constants and the targets of casts are widened; integers
// and booleans are not.

// CHECK-LABEL: func.func @everywhere
// CHECK-SAME:    (%[[X:.*]]: tensor<3xf64>, %[[I:.*]]: tensor<3xi64>) -> (tensor<3xf64>, tensor<3xf64>)
// CHECK:         %[[C:.*]] = onnx.Constant dense<5.000000e-01> : tensor<f64>
// CHECK:         %[[Y:.*]] = onnx.Mul %[[X]], %[[C]] : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
// CHECK:         %[[Z:.*]] = onnx.Cast %[[I]] {to = f64} : (tensor<3xi64>) -> tensor<3xf64>
// CHECK:         return %[[Y]], %[[Z]]
func.func @everywhere(%x: tensor<3xf32>, %i: tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>) {
  %half = onnx.Constant dense<0.5> : tensor<f32>
  %y = onnx.Mul %x, %half : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %z = onnx.Cast %i {to = f32} : (tensor<3xi64>) -> tensor<3xf32>
  return %y, %z : tensor<3xf32>, tensor<3xf32>
}

// -----

// Attributes that the specification fixes as float32 stay.

// CHECK-LABEL: func.func @attributes
// CHECK:         onnx.LeakyRelu %{{.*}} {alpha = 2.500000e-01 : f32} : (tensor<3xf64>) -> tensor<3xf64>
func.func @attributes(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = onnx.LeakyRelu %x {alpha = 0.25 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// The float32 zero that ConstantOfShape means without a value becomes explicit.

// CHECK-LABEL: func.func @implied_zero
// CHECK:         onnx.ConstantOfShape %{{.*}} {value = dense<0.000000e+00> : tensor<1xf64>} : (tensor<1xi64>) -> tensor<4xf64>
func.func @implied_zero() -> tensor<4xf32> {
  %shape = onnx.Constant dense<4> : tensor<1xi64>
  %y = onnx.ConstantOfShape %shape : (tensor<1xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A function without a body is left alone.

// CHECK-LABEL: func.func private @declared(tensor<3xf32>)
func.func private @declared(tensor<3xf32>)
