// RUN: lowtide-opt %s -split-input-file -verify-diagnostics

func.func @result_type(%dy: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %dx = train.relu_grad %dy, %dy : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3xf32>
  return %dx : tensor<3xf32>
}

// -----

func.func @missing_attribute(%dy: tensor<2xf32>, %i: tensor<2xi64>) -> tensor<4xf32> {
  // expected-error @+1 {{requires attribute 'data_shape'}}
  %dx = train.gather_grad %dy, %i {axis = 0 : i64} : (tensor<2xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %dx : tensor<4xf32>
}

// -----

func.func @negative_shape(%dy: tensor<2xf32>, %i: tensor<2xi64>) -> tensor<4xf32> {
  // expected-error @+2 {{needs a static shape in the attribute 'data_shape'}}
  // expected-error @+1 {{failed to infer returned types}}
  %dx = train.gather_grad %dy, %i {data_shape = array<i64: -1>, axis = 0 : i64} : (tensor<2xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %dx : tensor<4xf32>
}

// -----

func.func @layer_norm_axis(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  %none = onnx.None
  // expected-error @+2 {{needs data with a rank and an axis within it}}
  // expected-error @+1 {{failed to infer returned types}}
  %y, %m, %i = train.layer_norm %x, %s, %none {axis = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, none) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return %y : tensor<2x3xf32>
}

// -----

func.func @operand_not_optional(%x: tensor<2xf32>) -> tensor<f32> {
  %none = onnx.None
  // expected-error @+1 {{operand #1 must be tensor of any type values, but got 'none'}}
  %l = train.mse %x, %none : (tensor<2xf32>, none) -> tensor<f32>
  return %l : tensor<f32>
}
