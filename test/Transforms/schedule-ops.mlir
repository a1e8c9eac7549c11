// RUN: lowtide-opt %s -split-input-file --lowtide-schedule-ops | FileCheck %s

// x = 64 (always there), a = b = 256 (x four times over), c = d = 64 (their
// sums, a line of 64 bytes each), e = 64.
//   a b c d e   at b: 64 + 256 + 256 = 576
//   a c b d e   at d: 64 + 64 (c) + 256 + 64 = 448
// The wide values come one after the other.

// CHECK-LABEL: func.func @one_after_the_other
// CHECK-SAME:    attributes {plan.order}
// CHECK:         onnx.Concat
// CHECK:         onnx.ReduceSum
// CHECK:         onnx.Concat
// CHECK:         onnx.ReduceSum
// CHECK:         onnx.Add
func.func @one_after_the_other(%x: tensor<16xf32> {onnx.name = "x"}) -> tensor<1xf32> {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %a = onnx.Concat %x, %x, %x, %x {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64xf32>
  %b = onnx.Concat %x, %x, %x, %x {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64xf32>
  %c = onnx.ReduceSum %a, %zero : (tensor<64xf32>, tensor<1xi64>) -> tensor<1xf32>
  %d = onnx.ReduceSum %b, %zero : (tensor<64xf32>, tensor<1xi64>) -> tensor<1xf32>
  %e = onnx.Add %c, %d : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %e : tensor<1xf32>
}

// -----

// A reader of w can't come after the op that replaces w, however lean that is.

// CHECK-LABEL: func.func @reader_before_update
// CHECK:         onnx.Concat
// CHECK:         train.sgd_update
func.func @reader_before_update(%w: tensor<16xf32> {onnx.name = "w"}, %g: tensor<16xf32> {onnx.name = "g"})
    -> (tensor<32xf32>, tensor<16xf32> {train.updates = "w"}) {
  %r = onnx.Concat %w, %w {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  %new = train.sgd_update %w, %g {lr = 0.1 : f64, weight_decay = 0.0 : f64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %r, %new : tensor<32xf32>, tensor<16xf32>
}

// -----

// An order as lean as any stays.

// CHECK-LABEL: func.func @already_lean
// CHECK:         onnx.Exp
// CHECK-NEXT:    onnx.Neg
// CHECK-NEXT:    onnx.Add
func.func @already_lean(%x: tensor<16xf32> {onnx.name = "x"}) -> tensor<16xf32> {
  %a = onnx.Exp %x : (tensor<16xf32>) -> tensor<16xf32>
  %b = onnx.Neg %x : (tensor<16xf32>) -> tensor<16xf32>
  %c = onnx.Add %a, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %c : tensor<16xf32>
}
