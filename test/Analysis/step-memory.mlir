// RUN: lowtide-opt %s -split-input-file -verify-diagnostics --lowtide-print-step-memory

// Sizes are rounded up to 64 bytes. At b both a and b are live beside x:
// 64 + 64 + 128 = 256; at c the sum is 64 + 128 + 64.

// expected-remark @+2 {{peak: 256 bytes, 64 resident}}
// expected-remark @+1 {{storage 'x': 64 bytes, input, resident}}
func.func @live_bytes(%x: tensor<16xf32> {onnx.name = "x"}) -> tensor<1xf32> {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  // expected-remark @+2 {{storage 'a': 64 bytes, activation}}
  // expected-remark @+1 {{live: 128 bytes}}
  %a = onnx.Exp %x {onnx.outputs = ["a"]} : (tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @+2 {{storage 'b': 128 bytes, activation}}
  // expected-remark @+1 {{live: 256 bytes}}
  %b = onnx.Concat %a, %a {axis = 0 : i64, onnx.outputs = ["b"]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  // expected-remark @+2 {{storage 'c': 64 bytes, activation, live to the end}}
  // expected-remark @+1 {{live: 256 bytes}}
  %c = onnx.ReduceSum %b, %zero {onnx.outputs = ["c"]} : (tensor<32xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %c : tensor<1xf32>
}

// -----

// A view owns nothing; a result that may be written over its dying operand adds
// nothing to the live bytes.

// expected-remark @+2 {{peak: 128 bytes, 64 resident}}
// expected-remark @+1 {{storage 'x': 64 bytes, input, resident}}
func.func @view_and_donation(%x: tensor<4xf32> {onnx.name = "x"}) -> tensor<2x2xf32> {
  %shape = onnx.Constant dense<[2, 2]> : tensor<2xi64>
  // expected-remark @+2 {{storage 'a': 64 bytes, activation}}
  // expected-remark @+1 {{live: 128 bytes}}
  %a = onnx.Exp %x {onnx.outputs = ["a"]} : (tensor<4xf32>) -> tensor<4xf32>
  %v = onnx.Reshape %a, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  // expected-remark @+2 {{storage 'b': 64 bytes, activation, live to the end}}
  // expected-remark @+1 {{live: 128 bytes}}
  %b = onnx.Neg %v {onnx.outputs = ["b"]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %b : tensor<2x2xf32>
}

// -----

// An update shares its argument's storage; classes follow roles and phases.

// expected-remark @+5 {{peak: 320 bytes, 256 resident}}
// expected-remark @+5 {{storage 'w': 64 bytes, parameter, resident}}
// expected-remark @+5 {{storage 'm': 64 bytes, optimizer_state, resident}}
// expected-remark @+5 {{storage 'mean': 64 bytes, statistic, resident}}
// expected-remark @+5 {{storage 'x': 64 bytes, input, resident}}
func.func @classes(
    %w: tensor<4xf32> {onnx.name = "w", train.role = "parameter"},
    %m: tensor<4xf32> {onnx.name = "m", train.role = "state"},
    %s: tensor<4xf32> {onnx.name = "mean", train.role = "statistic"},
    %x: tensor<4xf32> {onnx.name = "x", train.role = "input"})
    -> (tensor<4xf32> {train.updates = "w"}, tensor<4xf32> {train.updates = "m"}) {
  // expected-remark @+2 {{storage 'g': 64 bytes, gradient}}
  // expected-remark @+1 {{live: 320 bytes}}
  %g = onnx.Mul %x, %s {onnx.outputs = ["g"], train.phase = "backward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{live: 320 bytes}}
  %new, %buffer = train.sgd_momentum_update %w, %g, %m {lr = 0.1 : f64, momentum = 0.9 : f64, weight_decay = 0.0 : f64, train.phase = "update"}
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %new, %buffer : tensor<4xf32>, tensor<4xf32>
}
