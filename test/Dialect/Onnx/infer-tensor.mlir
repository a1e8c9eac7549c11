// Results are declared without rank; binding dimensions refines them to what
// inference knows.
//
// RUN: lowtide-opt %s --lowtide-bind-dimensions | FileCheck %s

// 0 copies a dimension, -1 takes what is left: 24 / (2 * 4) = 3.

// CHECK-LABEL: func.func @reshape
// CHECK-SAME:    -> (tensor<2x3x4xf32>, tensor<?x?x4xf32>)
func.func @reshape(%x: tensor<2x12xf32>, %y: tensor<?x12xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %shape = onnx.Constant dense<[0, -1, 4]> : tensor<3xi64>
  %a = onnx.Reshape %x, %shape : (tensor<2x12xf32>, tensor<3xi64>) -> tensor<*xf32>
  %b = onnx.Reshape %y, %shape : (tensor<?x12xf32>, tensor<3xi64>) -> tensor<*xf32>
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}

// The length of a shape that isn't known yet says the rank.

// CHECK-LABEL: func.func @reshape_to_argument
// CHECK-SAME:    -> tensor<?x?x?xf32>
func.func @reshape_to_argument(%x: tensor<24xf32>, %shape: tensor<3xi64>) -> tensor<*xf32> {
  %y = onnx.Reshape %x, %shape : (tensor<24xf32>, tensor<3xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// CHECK-LABEL: func.func @flatten
// CHECK-SAME:    -> (tensor<6x20xf32>, tensor<1x120xf32>, tensor<24x5xf32>)
func.func @flatten(%x: tensor<2x3x4x5xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %a = onnx.Flatten %x {axis = 2 : i64} : (tensor<2x3x4x5xf32>) -> tensor<*xf32>
  %b = onnx.Flatten %x {axis = 0 : i64} : (tensor<2x3x4x5xf32>) -> tensor<*xf32>
  %c = onnx.Flatten %x {axis = -1 : i64} : (tensor<2x3x4x5xf32>) -> tensor<*xf32>
  return %a, %b, %c : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// Without axes every 1 goes; axes of Unsqueeze count in the result.

// CHECK-LABEL: func.func @squeeze
// CHECK-SAME:    -> (tensor<3xf32>, tensor<1x3xf32>, tensor<1x3x1xf32>)
func.func @squeeze(%x: tensor<1x3x1xf32>, %y: tensor<3xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %none = onnx.None
  %last = onnx.Constant dense<-1> : tensor<1xi64>
  %ends = onnx.Constant dense<[-1, 0]> : tensor<2xi64>
  %a = onnx.Squeeze %x, %none : (tensor<1x3x1xf32>, none) -> tensor<*xf32>
  %b = onnx.Squeeze %x, %last : (tensor<1x3x1xf32>, tensor<1xi64>) -> tensor<*xf32>
  %c = onnx.Unsqueeze %y, %ends : (tensor<3xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %a, %b, %c : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// CHECK-LABEL: func.func @transpose
// CHECK-SAME:    -> (tensor<4x3x2xf32>, tensor<3x2x4xf32>)
func.func @transpose(%x: tensor<2x3x4xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %a = onnx.Transpose %x : (tensor<2x3x4xf32>) -> tensor<*xf32>
  %b = onnx.Transpose %x {perm = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<*xf32>
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}

// Along the axis sizes add up, elsewhere one operand may know what another
// doesn't.

// CHECK-LABEL: func.func @concat
// CHECK-SAME:    -> (tensor<2x7xf32>, tensor<2x?xf32>)
func.func @concat(%x: tensor<?x3xf32>, %y: tensor<2x4xf32>, %z: tensor<2x?xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %a = onnx.Concat %x, %y {axis = 1 : i64} : (tensor<?x3xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  %b = onnx.Concat %x, %z {axis = -1 : i64} : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<*xf32>
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}

// 7 in 3 pieces of ceil(7 / 3) = 3: 3, 3, 1. Given sizes win.

// CHECK-LABEL: func.func @split
// CHECK-SAME:    -> (tensor<3xf32>, tensor<3xf32>, tensor<1xf32>, tensor<2xf32>, tensor<5xf32>)
func.func @split(%x: tensor<7xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %none = onnx.None
  %sizes = onnx.Constant dense<[2, 5]> : tensor<2xi64>
  %a, %b, %c = onnx.Split %x, %none {num_outputs = 3 : i64} : (tensor<7xf32>, none) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  %d, %e = onnx.Split %x, %sizes : (tensor<7xf32>, tensor<2xi64>) -> (tensor<*xf32>, tensor<*xf32>)
  return %a, %b, %c, %d, %e : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// 1, 3 of [0, 5): two elements. Backwards from 4 in steps of 2 to the front:
// 4, 2, 0. Ends are cut to the size.

// CHECK-LABEL: func.func @slice
// CHECK-SAME:    -> (tensor<2x5xf32>, tensor<5x3xf32>, tensor<5x4xf32>)
func.func @slice(%x: tensor<5x5xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %none = onnx.None
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %four = onnx.Constant dense<4> : tensor<1xi64>
  %back = onnx.Constant dense<-2> : tensor<1xi64>
  %front = onnx.Constant dense<-9223372036854775808> : tensor<1xi64>
  %far = onnx.Constant dense<9223372036854775807> : tensor<1xi64>
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %a = onnx.Slice %x, %one, %four, %zero, %two : (tensor<5x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %b = onnx.Slice %x, %four, %front, %one, %back : (tensor<5x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %c = onnx.Slice %x, %one, %far, %one, %none : (tensor<5x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, none) -> tensor<*xf32>
  return %a, %b, %c : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// The index's shape stands where the axis was; index tuples use up axes.

// CHECK-LABEL: func.func @gather
// CHECK-SAME:    -> (tensor<2x5x6x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x6xf32>)
func.func @gather(%x: tensor<2x3x4xf32>, %i: tensor<5x6xi64>, %s: tensor<i64>, %t: tensor<5x6x3xi64>, %e: tensor<2x4xi64>, %m: tensor<3x4xf32>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %a = onnx.Gather %x, %i {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<5x6xi64>) -> tensor<*xf32>
  %b = onnx.Gather %x, %s {axis = -2 : i64} : (tensor<2x3x4xf32>, tensor<i64>) -> tensor<*xf32>
  %c = onnx.GatherElements %m, %e : (tensor<3x4xf32>, tensor<2x4xi64>) -> tensor<*xf32>
  %d = onnx.GatherND %x, %t : (tensor<2x3x4xf32>, tensor<5x6x3xi64>) -> tensor<*xf32>
  return %a, %b, %c, %d : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// Expand broadcasts both ways; Tile multiplies.

// CHECK-LABEL: func.func @expand
// CHECK-SAME:    -> (tensor<2x3x4xf32>, tensor<6x4xf32>)
func.func @expand(%x: tensor<3x1xf32>, %y: tensor<3x2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %shape = onnx.Constant dense<[2, 1, 4]> : tensor<3xi64>
  %twice = onnx.Constant dense<2> : tensor<2xi64>
  %a = onnx.Expand %x, %shape : (tensor<3x1xf32>, tensor<3xi64>) -> tensor<*xf32>
  %b = onnx.Tile %y, %twice : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}

// Pads may cut: 5 + 2 - 1 = 6. Given axes only those are padded.

// CHECK-LABEL: func.func @pad
// CHECK-SAME:    -> (tensor<6x3xf32>, tensor<5x5xf32>)
func.func @pad(%x: tensor<5x3xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %none = onnx.None
  %pads = onnx.Constant dense<[2, 0, -1, 0]> : tensor<4xi64>
  %sides = onnx.Constant dense<1> : tensor<2xi64>
  %last = onnx.Constant dense<-1> : tensor<1xi64>
  %a = onnx.Pad %x, %pads, %none, %none : (tensor<5x3xf32>, tensor<4xi64>, none, none) -> tensor<*xf32>
  %b = onnx.Pad %x, %sides, %none, %last : (tensor<5x3xf32>, tensor<2xi64>, none, tensor<1xi64>) -> tensor<*xf32>
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}

// 10, 7, 4, 1: four elements down; none when the step leads away.

// CHECK-LABEL: func.func @range
// CHECK-SAME:    -> (tensor<4xi64>, tensor<0xi64>)
func.func @range() -> (tensor<*xi64>, tensor<*xi64>) {
  %ten = onnx.Constant dense<10> : tensor<i64>
  %zero = onnx.Constant dense<0> : tensor<i64>
  %down = onnx.Constant dense<-3> : tensor<i64>
  %a = onnx.Range %ten, %zero, %down : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  %b = onnx.Range %zero, %ten, %down : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  return %a, %b : tensor<*xi64>, tensor<*xi64>
}

// CHECK-LABEL: func.func @one_hot
// CHECK-SAME:    -> (tensor<2x3x5xf32>, tensor<5x2x3xf32>)
func.func @one_hot(%i: tensor<2x3xi64>, %v: tensor<2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %depth = onnx.Constant dense<5> : tensor<i64>
  %a = onnx.OneHot %i, %depth, %v : (tensor<2x3xi64>, tensor<i64>, tensor<2xf32>) -> tensor<*xf32>
  %b = onnx.OneHot %i, %depth, %v {axis = 0 : i64} : (tensor<2x3xi64>, tensor<i64>, tensor<2xf32>) -> tensor<*xf32>
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}

// Reductions keep their axes as 1 unless told otherwise; no axes mean all, or
// none when the attribute says so.

// CHECK-LABEL: func.func @reduce
// CHECK-SAME:    -> (tensor<2x1x4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<2x3x4xf32>, tensor<2x3xi64>)
func.func @reduce(%x: tensor<2x3x4xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi64>) {
  %none = onnx.None
  %axis = onnx.Constant dense<-2> : tensor<1xi64>
  %a = onnx.ReduceSum %x, %axis : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<*xf32>
  %b = onnx.ReduceMean %x, %axis {keepdims = 0 : i64} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<*xf32>
  %c = onnx.ReduceMax %x, %none {keepdims = 0 : i64} : (tensor<2x3x4xf32>, none) -> tensor<*xf32>
  %d = onnx.ReduceSum %x, %none {noop_with_empty_axes = 1 : i64} : (tensor<2x3x4xf32>, none) -> tensor<*xf32>
  %e = onnx.ArgMax %x {axis = 2 : i64, keepdims = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<*xi64>
  return %a, %b, %c, %d, %e : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi64>
}
