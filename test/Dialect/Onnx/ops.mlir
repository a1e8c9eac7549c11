// RUN: lowtide-opt %s -split-input-file | lowtide-opt -split-input-file | FileCheck %s

// Ops print and parse; attributes with the specification's default are left out.

// CHECK-LABEL: func.func @elementwise
// CHECK:         onnx.Add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:         onnx.LeakyRelu %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK:         onnx.LeakyRelu %{{.*}} {alpha = 5.000000e-01 : f32} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK:         onnx.Sum %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @elementwise(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %a = onnx.Add %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = onnx.LeakyRelu %a {alpha = 0.01 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %c = onnx.LeakyRelu %b {alpha = 0.5 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %d = onnx.Sum %a, %b, %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// An absent operand is the value of onnx.None, an absent result has its type.

// CHECK-LABEL: func.func @absent
// CHECK:         %[[NONE:.*]] = onnx.None
// CHECK:         onnx.Clip %{{.*}}, %[[NONE]], %{{.*}} : (tensor<1x2x4xf32>, none, tensor<f32>) -> tensor<1x2x4xf32>
// CHECK:         onnx.MaxPool %{{.*}} {kernel_shape = array<i64: 2>} : (tensor<1x2x4xf32>) -> (tensor<1x2x3xf32>, none)
func.func @absent(%x: tensor<1x2x4xf32>, %max: tensor<f32>) -> tensor<1x2x3xf32> {
  %none = onnx.None
  %a = onnx.Clip %x, %none, %max : (tensor<1x2x4xf32>, none, tensor<f32>) -> tensor<1x2x4xf32>
  %b, %indices = onnx.MaxPool %a {kernel_shape = array<i64: 2>} : (tensor<1x2x4xf32>) -> (tensor<1x2x3xf32>, none)
  return %b : tensor<1x2x3xf32>
}

// -----

// An op that we don't know is carried with everything that it has.

// CHECK-LABEL: func.func @custom
// CHECK:         onnx.Custom "Mystery"(%{{.*}}, %{{.*}}) {domain = "com.example", node = "bytes"} : (tensor<4xf32>, none) -> (tensor<*xf32>, tensor<2xi64>)
// CHECK:         onnx.Custom "Source" {domain = "", node = ""} : () -> tensor<1xf32>
func.func @custom(%x: tensor<4xf32>) -> tensor<*xf32> {
  %none = onnx.None
  %a, %b = onnx.Custom "Mystery" (%x, %none) {domain = "com.example", node = "bytes"} : (tensor<4xf32>, none) -> (tensor<*xf32>, tensor<2xi64>)
  %c = onnx.Custom "Source" {domain = "", node = ""} : () -> tensor<1xf32>
  return %a : tensor<*xf32>
}

// -----

// Types may say less than inference knows, and dimensions may be open.

// CHECK-LABEL: func.func @imprecise
// CHECK:         onnx.MatMul %{{.*}} : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x?xf32>
// CHECK:         onnx.Relu %{{.*}} : (tensor<?x?xf32>) -> tensor<*xf32>
func.func @imprecise(%x: tensor<?x3xf32>, %w: tensor<3x4xf32>) -> tensor<*xf32> {
  %a = onnx.MatMul %x, %w : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x?xf32>
  %b = onnx.Relu %a : (tensor<?x?xf32>) -> tensor<*xf32>
  return %b : tensor<*xf32>
}

// -----

// CHECK-LABEL: func.func @constants
// CHECK:         onnx.Constant dense<[1, 2]> : tensor<2xi64>
// CHECK:         onnx.Constant dense<true> : tensor<i1>
// CHECK:         onnx.Constant dense<1.500000e+00> : tensor<f16>
func.func @constants() -> (tensor<2xi64>, tensor<i1>, tensor<f16>) {
  %a = onnx.Constant dense<[1, 2]> : tensor<2xi64>
  %b = onnx.Constant dense<true> : tensor<i1>
  %c = onnx.Constant dense<1.5> : tensor<f16>
  return %a, %b, %c : tensor<2xi64>, tensor<i1>, tensor<f16>
}
