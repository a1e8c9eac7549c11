// Results are declared without rank; binding dimensions refines them to what
// inference knows. Window arithmetic is in the comments.
//
// RUN: lowtide-opt %s --lowtide-bind-dimensions | FileCheck %s

// Height: (9 + 1 + 1 - 3) / 2 + 1 = 5. Width with dilation 2 covers 5:
// (9 + 0 + 0 - 5) / 1 + 1 = 5.

// CHECK-LABEL: func.func @conv
// CHECK-SAME:    -> tensor<2x4x5x5xf32>
func.func @conv(%x: tensor<2x3x9x9xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<*xf32> {
  %y = onnx.Conv %x, %w, %b {strides = array<i64: 2, 1>, dilations = array<i64: 1, 2>, pads = array<i64: 1, 0, 1, 0>}
      : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// SAME pads to ceil(7 / 2) = 4, whatever the kernel; VALID to (7 - 3) / 2 + 1 = 3.

// CHECK-LABEL: func.func @auto_pad
// CHECK-SAME:    -> (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x3xf32>)
func.func @auto_pad(%x: tensor<1x1x7xf32>, %w: tensor<1x1x3xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %none = onnx.None
  %upper = onnx.Conv %x, %w, %none {auto_pad = "SAME_UPPER", strides = array<i64: 2>} : (tensor<1x1x7xf32>, tensor<1x1x3xf32>, none) -> tensor<*xf32>
  %lower = onnx.Conv %x, %w, %none {auto_pad = "SAME_LOWER", strides = array<i64: 2>} : (tensor<1x1x7xf32>, tensor<1x1x3xf32>, none) -> tensor<*xf32>
  %valid = onnx.Conv %x, %w, %none {auto_pad = "VALID", strides = array<i64: 2>} : (tensor<1x1x7xf32>, tensor<1x1x3xf32>, none) -> tensor<*xf32>
  return %upper, %lower, %valid : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// Depthwise: each of 4 channels has 2 filters of its own. The batch stays open.

// CHECK-LABEL: func.func @grouped
// CHECK-SAME:    -> tensor<?x8x6xf32>
func.func @grouped(%x: tensor<?x4x8xf32>, %w: tensor<8x1x3xf32>) -> tensor<*xf32> {
  %none = onnx.None
  %y = onnx.Conv %x, %w, %none {group = 4 : i64} : (tensor<?x4x8xf32>, tensor<8x1x3xf32>, none) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Weights that the graph computes may have no known size; kernel_shape says it:
// 4 - 3 + 1 = 2.

// CHECK-LABEL: func.func @open_kernel
// CHECK-SAME:    -> (tensor<1x2x?xf32>, tensor<1x2x2xf32>, tensor<1x1x?xf32>)
func.func @open_kernel(%x: tensor<1x1x4xf32>, %w: tensor<2x1x?xf32>, %t: tensor<1x1x?xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %none = onnx.None
  %a = onnx.Conv %x, %w, %none : (tensor<1x1x4xf32>, tensor<2x1x?xf32>, none) -> tensor<*xf32>
  %b = onnx.Conv %x, %w, %none {kernel_shape = array<i64: 3>} : (tensor<1x1x4xf32>, tensor<2x1x?xf32>, none) -> tensor<*xf32>
  %c = onnx.ConvTranspose %x, %t, %none : (tensor<1x1x4xf32>, tensor<1x1x?xf32>, none) -> tensor<*xf32>
  return %a, %b, %c : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// (4 - 1) * 2 + 1 + (3 - 1) + 1 - 1 - 1 = 8, with one row added at the end.

// CHECK-LABEL: func.func @conv_transpose
// CHECK-SAME:    -> tensor<1x6x8xf32>
func.func @conv_transpose(%x: tensor<1x4x4xf32>, %w: tensor<4x3x3xf32>) -> tensor<*xf32> {
  %none = onnx.None
  %y = onnx.ConvTranspose %x, %w, %none {group = 2 : i64, strides = array<i64: 2>, pads = array<i64: 1, 1>, output_padding = array<i64: 1>}
      : (tensor<1x4x4xf32>, tensor<4x3x3xf32>, none) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// (6 - 3) / 2 + 1 = 2 and rounded up 3; indices are integers of that shape.

// CHECK-LABEL: func.func @max_pool
// CHECK-SAME:    -> (tensor<1x2x2xf32>, tensor<1x2x3xf32>, tensor<1x2x3xi64>)
func.func @max_pool(%x: tensor<1x2x6xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xi64>) {
  %y, %i = onnx.MaxPool %x {kernel_shape = array<i64: 3>, strides = array<i64: 2>} : (tensor<1x2x6xf32>) -> (tensor<*xf32>, none)
  %z, %j = onnx.MaxPool %x {kernel_shape = array<i64: 3>, strides = array<i64: 2>, ceil_mode = 1 : i64} : (tensor<1x2x6xf32>) -> (tensor<*xf32>, tensor<*xi64>)
  return %y, %z, %j : tensor<*xf32>, tensor<*xf32>, tensor<*xi64>
}

// (4 + 1 + 1 - 2) / 3 rounded up + 1 = 3, but the third window would start at 6,
// behind the data and the pad before it (5), and doesn't count: 2.

// CHECK-LABEL: func.func @ceil_mode_stops_at_padding
// CHECK-SAME:    -> tensor<1x1x2xf32>
func.func @ceil_mode_stops_at_padding(%x: tensor<1x1x4xf32>) -> tensor<*xf32> {
  %y = onnx.AveragePool %x {kernel_shape = array<i64: 2>, strides = array<i64: 3>, pads = array<i64: 1, 1>, ceil_mode = 1 : i64} : (tensor<1x1x4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// CHECK-LABEL: func.func @global_pool
// CHECK-SAME:    -> tensor<?x3x1x1xf32>
func.func @global_pool(%x: tensor<?x3x5x?xf32>) -> tensor<*xf32> {
  %y = onnx.GlobalAveragePool %x : (tensor<?x3x5x?xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Statistics of a layer norm have size 1 from the axis on, and are float32 for
// half-precision data.

// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME:    -> (tensor<2x3x4xf16>, tensor<2x1x1xf32>)
func.func @layer_norm(%x: tensor<2x3x4xf16>, %s: tensor<3x4xf16>) -> (tensor<*xf16>, tensor<*xf32>) {
  %none = onnx.None
  %y, %m, %i = onnx.LayerNormalization %x, %s, %none {axis = -2 : i64} : (tensor<2x3x4xf16>, tensor<3x4xf16>, none) -> (tensor<*xf16>, tensor<*xf32>, none)
  return %y, %m : tensor<*xf16>, tensor<*xf32>
}

// A loss is a scalar, or has the labels' shape when nothing is reduced.

// CHECK-LABEL: func.func @loss
// CHECK-SAME:    -> (tensor<f32>, tensor<2x5xf32>)
func.func @loss(%x: tensor<2x3x5xf32>, %t: tensor<2x5xi64>) -> (tensor<*xf32>, tensor<*xf32>) {
  %none = onnx.None
  %a, %p = onnx.SoftmaxCrossEntropyLoss %x, %t, %none : (tensor<2x3x5xf32>, tensor<2x5xi64>, none) -> (tensor<*xf32>, none)
  %b = onnx.NegativeLogLikelihoodLoss %x, %t, %none {reduction = "none"} : (tensor<2x3x5xf32>, tensor<2x5xi64>, none) -> tensor<*xf32>
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}
