// RUN: lowtide-opt %s -split-input-file --lowtide-bind-dimensions="dims=N=8" | FileCheck %s

// A named dimension gets its value everywhere, the function's type included.

// CHECK-LABEL: func.func @named
// CHECK-SAME:    (%[[X:.*]]: tensor<8x4xf32> {{{.*}}}) -> tensor<8x4xf32>
// CHECK:         onnx.Relu %[[X]] : (tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @named(%x: tensor<?x4xf32> {onnx.name = "x", onnx.dims = ["N", ""]}) -> tensor<?x4xf32> {
  %y = onnx.Relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Two inputs that share a name share the size.

// CHECK-LABEL: func.func @shared_name
// CHECK:         onnx.Add {{.*}} : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
func.func @shared_name(%x: tensor<?x4xf32> {onnx.dims = ["N", ""]},
                       %y: tensor<?x1xf32> {onnx.dims = ["N", ""]}) -> tensor<?x4xf32> {
  %z = onnx.Add %x, %y : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// -----

// A shape that the graph computes is folded, and what reads it is refined:
// [8] joined with [-1] reshapes 8x3x4 to 8x12.

// CHECK-LABEL: func.func @computed_shape
// CHECK-NOT:     onnx.Shape
// CHECK:         %[[S:.*]] = onnx.Constant dense<[8, -1]> : tensor<2xi64>
// CHECK:         onnx.Reshape %{{.*}}, %[[S]] : (tensor<8x3x4xf32>, tensor<2xi64>) -> tensor<8x12xf32>
func.func @computed_shape(%x: tensor<?x3x4xf32> {onnx.dims = ["N", "", ""]}) -> tensor<*xf32> {
  %batch = onnx.Shape %x {end = 1 : i64} : (tensor<?x3x4xf32>) -> tensor<1xi64>
  %rest = onnx.Constant dense<-1> : tensor<1xi64>
  %shape = onnx.Concat %batch, %rest {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %y = onnx.Reshape %x, %shape : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// A dimension that isn't named in the options stays open.

// CHECK-LABEL: func.func @partly
// CHECK-SAME:    -> tensor<8x?xf32>
// CHECK:         onnx.Relu %{{.*}} : (tensor<8x?xf32>) -> tensor<8x?xf32>
func.func @partly(%x: tensor<?x?xf32> {onnx.dims = ["N", "M"]}) -> tensor<?x?xf32> {
  %y = onnx.Relu %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// What nobody reads goes: dead ops, and optional results of live ones.

// CHECK-LABEL: func.func @unread
// CHECK-NOT:     onnx.Exp
// CHECK:         onnx.MaxPool %{{.*}} -> (tensor<8x2x2x2xf32>, none)
func.func @unread(%x: tensor<?x2x4x4xf32> {onnx.dims = ["N", "", "", ""]}) -> tensor<?x2x2x2xf32> {
  %dead = onnx.Exp %x : (tensor<?x2x4x4xf32>) -> tensor<?x2x4x4xf32>
  %y, %indices = onnx.MaxPool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}
      : (tensor<?x2x4x4xf32>) -> (tensor<?x2x2x2xf32>, tensor<?x2x2x2xi64>)
  return %y : tensor<?x2x2x2xf32>
}
