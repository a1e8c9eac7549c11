// RUN: lowtide-opt %s -split-input-file --lowtide-rematerialize="budget-bytes=448" | FileCheck %s

// x = 64 (argument, always there), a = 64, b = 128, c = 256, d = 64, e = 64.
//             live without a second run of a     with it
//   a = x                  64+64       = 128      128
//   b = a a                64+64+128   = 256      256
//   c = b b                64+64+128+256 = 512    64+128+256 = 448
//   d = sum c              64+64+256+64  = 448    448
//   e = a d                64+64+64    = 192      192  (e takes a's bytes)
// 448 bytes are enough when a is dropped while c is made.

// CHECK-LABEL: func.func @dropped_over_the_peak
// CHECK-SAME:    (%[[X:[^:]*]]: {{.*}} attributes {plan.order}
// CHECK:         %[[A:.*]] = onnx.Exp %[[X]]
// CHECK:         %[[B:.*]] = onnx.Concat %[[A]], %[[A]]
// CHECK:         %[[C:.*]] = onnx.Concat %[[B]], %[[B]]
// CHECK:         %[[AGAIN:.*]] = onnx.Exp %[[X]] {plan.recompute_of = "a"}
// CHECK:         onnx.Mul %[[AGAIN]]
func.func @dropped_over_the_peak(%x: tensor<16xf32> {onnx.name = "x"}) -> tensor<16xf32> {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %a = onnx.Exp %x : (tensor<16xf32>) -> tensor<16xf32> loc("a")
  %b = onnx.Concat %a, %a {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> loc("b")
  %c = onnx.Concat %b, %b {axis = 0 : i64} : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32> loc("c")
  %d = onnx.ReduceSum %c, %zero : (tensor<64xf32>, tensor<1xi64>) -> tensor<1xf32> loc("d")
  %e = onnx.Mul %a, %d : (tensor<16xf32>, tensor<1xf32>) -> tensor<16xf32> loc("e")
  return %e : tensor<16xf32>
}

// -----

// The same graph with a view between a and its last reader: the view is made
// again too, of the second run.

// CHECK-LABEL: func.func @through_a_view
// CHECK:         %[[AGAIN:.*]] = onnx.Exp %{{.*}} {plan.recompute_of = "a"}
// CHECK:         %[[VIEW:.*]] = onnx.Unsqueeze %[[AGAIN]]
// CHECK:         onnx.Mul %[[VIEW]]
func.func @through_a_view(%x: tensor<16xf32> {onnx.name = "x"}) -> tensor<1x16xf32> {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %a = onnx.Exp %x : (tensor<16xf32>) -> tensor<16xf32> loc("a")
  %v = onnx.Unsqueeze %a, %zero : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32> loc("v")
  %b = onnx.Concat %a, %a {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> loc("b")
  %c = onnx.Concat %b, %b {axis = 0 : i64} : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32> loc("c")
  %d = onnx.ReduceSum %c, %zero : (tensor<64xf32>, tensor<1xi64>) -> tensor<1xf32> loc("d")
  %e = onnx.Mul %v, %d : (tensor<1x16xf32>, tensor<1xf32>) -> tensor<1x16xf32> loc("e")
  return %e : tensor<1x16xf32>
}

// -----

// Nothing runs twice where everything fits: 64 + 64 bytes.

// CHECK-LABEL: func.func @fits
// CHECK-NOT:     plan.recompute_of
func.func @fits(%x: tensor<16xf32> {onnx.name = "x"}) -> tensor<16xf32> {
  %a = onnx.Exp %x : (tensor<16xf32>) -> tensor<16xf32> loc("a")
  %b = onnx.Neg %a : (tensor<16xf32>) -> tensor<16xf32> loc("b")
  return %b : tensor<16xf32>
}
