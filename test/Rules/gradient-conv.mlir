// RUN: lowtide-test-opt %s --test-gradients --split-input-file | FileCheck %s

// auto_pad is resolved once: the dilated kernel covers 5, so 4 pads keep 22.

// CHECK-LABEL: func.func @same
// CHECK-SAME:    (%[[X:.*]]: tensor<1x2x22x27xf32>, %[[W:.*]]: tensor<4x2x3x3xf32>, %{{.*}}, %[[DY:.*]]: tensor<1x4x22x27xf32>)
// CHECK:         train.conv_input_grad %[[DY]], %[[W]] {dilations = array<i64: 2, 2>, group = 1 : i64,
// CHECK-SAME:      input_shape = array<i64: 1, 2, 22, 27>, pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 1, 1>}
// CHECK:         train.conv_weight_grad %[[DY]], %[[X]] {{{.*}}pads = array<i64: 2, 2, 2, 2>,
// CHECK-SAME:      weight_shape = array<i64: 4, 2, 3, 3>}
// CHECK:         %[[AXES:.*]] = onnx.Constant dense<[0, 2, 3]>
// CHECK:         onnx.ReduceSum %[[DY]], %[[AXES]] {keepdims = 0
func.func @same(%x: tensor<1x2x22x27xf32>, %w: tensor<4x2x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x22x27xf32> {
  %y = onnx.Conv %x, %w, %b {auto_pad = "SAME_UPPER", dilations = array<i64: 2, 2>}
      : (tensor<1x2x22x27xf32>, tensor<4x2x3x3xf32>, tensor<4xf32>) -> tensor<1x4x22x27xf32>
  return %y : tensor<1x4x22x27xf32>
}

// -----

// The adjoint of a transposed convolution is the convolution.

// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    (%[[X:.*]]: tensor<1x2x3x3xf32>, %[[W:.*]]: tensor<2x1x3x3xf32>, %[[DY:.*]]: tensor<1x1x6x6xf32>)
// CHECK:         onnx.Conv %[[DY]], %[[W]], %{{.*}}pads = array<i64: 0, 0, 1, 1>, strides = array<i64: 2, 2>
// CHECK:         train.conv_weight_grad %[[X]], %[[DY]]
func.func @transposed(%x: tensor<1x2x3x3xf32>, %w: tensor<2x1x3x3xf32>) -> tensor<1x1x6x6xf32> {
  %none = onnx.None
  %y = onnx.ConvTranspose %x, %w, %none {auto_pad = "SAME_UPPER", strides = array<i64: 2, 2>}
      : (tensor<1x2x3x3xf32>, tensor<2x1x3x3xf32>, none) -> tensor<1x1x6x6xf32>
  return %y : tensor<1x1x6x6xf32>
}

// -----

// The maximum is found again; no indices are kept.

// CHECK-LABEL: func.func @max_pool
// CHECK-SAME:    (%[[X:.*]]: tensor<1x1x4x4xf32>, %[[DY:.*]]: tensor<1x1x2x2xf32>)
// CHECK:         train.max_pool_grad %[[DY]], %[[X]]
func.func @max_pool(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32> {
  %y, %indices = onnx.MaxPool %x {kernel_shape = array<i64: 2, 2>, dilations = array<i64: 2, 2>}
      : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, none)
  return %y : tensor<1x1x2x2xf32>
}

// -----

// An average needs only the shape of what it averaged.

// CHECK-LABEL: func.func @average_pools
// CHECK-SAME:    (%{{.*}}, %{{.*}}, %[[DA:.*]]: tensor<1x2x2xf32>, %[[DB:.*]]: tensor<1x2x1x1xf32>)
// CHECK:         onnx.Expand
// CHECK-SAME:      -> tensor<1x2x3x5xf32>
// CHECK:         train.average_pool_grad %[[DA]] {{.*}}input_shape = array<i64: 1, 2, 5>
func.func @average_pools(%a: tensor<1x2x5xf32>, %b: tensor<1x2x3x5xf32>) -> (tensor<1x2x2xf32>, tensor<1x2x1x1xf32>) {
  %y = onnx.AveragePool %a {kernel_shape = array<i64: 3>, strides = array<i64: 2>} : (tensor<1x2x5xf32>) -> tensor<1x2x2xf32>
  %z = onnx.GlobalAveragePool %b : (tensor<1x2x3x5xf32>) -> tensor<1x2x1x1xf32>
  return %y, %z : tensor<1x2x2xf32>, tensor<1x2x1x1xf32>
}
