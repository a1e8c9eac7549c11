// RUN: lowtide-opt %s -split-input-file -verify-diagnostics --lowtide-build-step

// Every op without a gradient on the way to the loss is named in one run; an op
// beside the way isn't.

func.func @no_gradient(%x: tensor<2x3xf32> {onnx.name = "x", onnx.input},
                       %w: tensor<2x3xf32> {onnx.name = "w", onnx.initializer}) -> tensor<2x3xf32> {
  %beside = onnx.Custom "Beside" (%x) {domain = "", node = ""} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %h = onnx.Mul %beside, %w : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error @+1 {{First has no gradient and lies between a trained parameter and the loss}}
  %a = onnx.Custom "First" (%h) {domain = "", node = ""} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error @+1 {{Second has no gradient}}
  %b = onnx.Custom "Second" (%a) {domain = "", node = ""} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %b : tensor<2x3xf32>
}

// -----

// expected-error @+1 {{a training step needs every dimension bound; unbound: N, dimension 1 of 'x'}}
func.func @unbound(%x: tensor<?x?xf32> {onnx.name = "x", onnx.input, onnx.dims = ["N", ""]}) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

// -----

// expected-error @+1 {{the model is a training step already}}
func.func @twice(%x: tensor<2xf32> {onnx.name = "x"}) -> tensor<2xf32> attributes {train.step} {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{the model has several outputs (a, b); choose the one that the loss reads}}
func.func @several_outputs(%x: tensor<2x3xf32> {onnx.name = "x", onnx.initializer})
    -> (tensor<2x3xf32> {onnx.name = "a"}, tensor<2x3xf32> {onnx.name = "b"}) {
  %y = onnx.Relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %x, %y : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// expected-error @+1 {{the model has no floating-point output}}
func.func @integer_output(%x: tensor<2xi64> {onnx.name = "x", onnx.input}) -> tensor<2xi64> {
  return %x : tensor<2xi64>
}

// -----

// expected-error @+1 {{class axis 1 is out of range}}
func.func @class_axis(%x: tensor<2xf32> {onnx.name = "x", onnx.initializer}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{nothing to differentiate: the model has no floating-point initializer}}
func.func @nothing_trained(%x: tensor<2x3xf32> {onnx.name = "x", onnx.input}) -> tensor<2x3xf32> {
  %y = onnx.Relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// expected-error @+1 {{nothing to differentiate: no trained parameter reaches the loss}}
func.func @unreached(%x: tensor<2x3xf32> {onnx.name = "x", onnx.input},
                     %w: tensor<3xf32> {onnx.name = "w", onnx.initializer}) -> tensor<2x3xf32> {
  %y = onnx.Relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// A parameter that the loss doesn't depend on is left alone, with a warning.

// expected-warning @+1 {{no gradient, since the loss doesn't depend on them: unused}}
func.func @partly_reached(%w: tensor<2x3xf32> {onnx.name = "w", onnx.initializer},
                          %u: tensor<3xf32> {onnx.name = "unused", onnx.initializer}) -> tensor<2x3xf32> {
  %y = onnx.Relu %w : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
