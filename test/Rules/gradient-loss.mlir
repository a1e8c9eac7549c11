// RUN: lowtide-test-opt %s --test-gradients --split-input-file | FileCheck %s

// Softmax is read back from its result.

// CHECK-LABEL: func.func @softmax
// CHECK:         %[[Y:.*]] = onnx.Softmax
// CHECK:         train.softmax_grad %{{.*}}, %[[Y]] {axis = 1 : i64}
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = onnx.Softmax %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// The loss keeps its logits and nothing else.

// CHECK-LABEL: func.func @cross_entropy
// CHECK-SAME:    (%[[Z:.*]]: tensor<2x3xf32>, %[[T:.*]]: tensor<2xi64>, %[[DL:.*]]: tensor<f32>)
// CHECK:         train.softmax_cross_entropy_grad %[[DL]], %[[Z]], %[[T]], %{{.*}} {axis = 1 : i64, ignore_index = -1 : i64, reduction = "mean"}
func.func @cross_entropy(%z: tensor<2x3xf32>, %t: tensor<2xi64>) -> tensor<f32> {
  %none = onnx.None
  %l = train.softmax_cross_entropy %z, %t, %none {axis = 1 : i64, ignore_index = -1 : i64, reduction = "mean"}
      : (tensor<2x3xf32>, tensor<2xi64>, none) -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: func.func @nll
// CHECK-SAME:    (%{{.*}}: tensor<2x3xf32>, %[[T:.*]]: tensor<2xi64>, %[[DL:.*]]: tensor<f32>)
// CHECK:         train.nll_loss_grad %[[DL]], %[[T]], %{{.*}} {data_shape = array<i64: 2, 3>, reduction = "sum"}
func.func @nll(%z: tensor<2x3xf32>, %t: tensor<2xi64>) -> tensor<f32> {
  %none = onnx.None
  %l = onnx.NegativeLogLikelihoodLoss %z, %t, %none {reduction = "sum"} : (tensor<2x3xf32>, tensor<2xi64>, none) -> tensor<f32>
  return %l : tensor<f32>
}
