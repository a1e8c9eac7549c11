// RUN: lowtide-opt %s -split-input-file -verify-diagnostics --lowtide-assign-offsets

// An update is written over its argument, so that nothing may need the old
// bytes after it.

// expected-error @+1 {{needs 'w' after the plan has replaced it}}
func.func @late_reader(%w: tensor<16xf32> {onnx.name = "w"}, %g: tensor<16xf32> {onnx.name = "g"})
    -> (tensor<32xf32>, tensor<16xf32> {train.updates = "w"}) {
  %new = train.sgd_update %w, %g {lr = 0.1 : f64, weight_decay = 0.0 : f64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %r = onnx.Concat %w, %w {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  return %r, %new : tensor<32xf32>, tensor<16xf32>
}

// -----

// A view made before the update has the same bytes.

// expected-error @+1 {{after the plan has replaced it}}
func.func @late_reader_of_view(%w: tensor<4x4xf32> {onnx.name = "w"}, %g: tensor<4x4xf32> {onnx.name = "g"})
    -> (tensor<4x4xf32>, tensor<4x4xf32> {train.updates = "w"}) {
  %v = onnx.Flatten %w : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %new = train.sgd_update %w, %g {lr = 0.1 : f64, weight_decay = 0.0 : f64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = onnx.Exp %v : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %new : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// expected-error @+1 {{the step's end needs 'w' after the plan has replaced it}}
func.func @returned(%w: tensor<16xf32> {onnx.name = "w"}, %g: tensor<16xf32> {onnx.name = "g"})
    -> (tensor<16xf32>, tensor<16xf32> {train.updates = "w"}) {
  %new = train.sgd_update %w, %g {lr = 0.1 : f64, weight_decay = 0.0 : f64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %w, %new : tensor<16xf32>, tensor<16xf32>
}

// -----

// expected-error @+1 {{needs 'w' after the plan has replaced it}}
func.func @replaced_twice(%w: tensor<16xf32> {onnx.name = "w"}, %g: tensor<16xf32> {onnx.name = "g"})
    -> (tensor<16xf32> {train.updates = "w"}, tensor<16xf32> {train.updates = "w"}) {
  %a = train.sgd_update %w, %g {lr = 0.1 : f64, weight_decay = 0.0 : f64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %b = train.sgd_update %w, %g {lr = 0.2 : f64, weight_decay = 0.0 : f64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %a, %b : tensor<16xf32>, tensor<16xf32>
}
