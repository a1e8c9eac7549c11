// RUN: lowtide-opt %s -split-input-file -verify-diagnostics --lowtide-rematerialize="budget-bytes=400"

// c needs x, b and itself: 64 + 128 + 256 = 448, whatever is recomputed.

// expected-error @+1 {{no plan within 400 bytes; smallest feasible budget: 448 bytes}}
func.func @below_the_working_set(%x: tensor<16xf32> {onnx.name = "x"}) -> tensor<16xf32> {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %a = onnx.Exp %x : (tensor<16xf32>) -> tensor<16xf32>
  %b = onnx.Concat %a, %a {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  %c = onnx.Concat %b, %b {axis = 0 : i64} : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
  %d = onnx.ReduceSum %c, %zero : (tensor<64xf32>, tensor<1xi64>) -> tensor<1xf32>
  %e = onnx.Mul %a, %d : (tensor<16xf32>, tensor<1xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

func.func @opaque(%x: tensor<4xf32> {onnx.name = "x"}) -> tensor<4xf32> {
  // expected-error @+1 {{can't run on cpu}}
  %y = onnx.Custom "Mystery" (%x) {domain = "", node = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{input 'x' has type 'tensor<?xf32>'; planning needs every dimension bound}}
func.func @dynamic(%x: tensor<?xf32> {onnx.name = "x"}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
