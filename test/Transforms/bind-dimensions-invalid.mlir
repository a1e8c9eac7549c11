// RUN: lowtide-opt %s -split-input-file -verify-diagnostics --lowtide-bind-dimensions="dims=N=3"

// expected-error @+1 {{no input has a dimension named 'N'; there are: batch, seq}}
func.func @unknown_name(%x: tensor<?x?xf32> {onnx.dims = ["batch", "seq"]}) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

// -----

// expected-error @+1 {{no input has a dimension named 'N'; there are: none}}
func.func @no_names(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// With N = 3 the 12 elements can't fill rows of 5.

func.func @value_contradicts_shape(%x: tensor<?x4xf32> {onnx.dims = ["N", ""]}) -> tensor<?x5xf32> {
  %shape = onnx.Constant dense<[-1, 5]> : tensor<2xi64>
  // expected-error @+1 {{12 elements don't fill the shape}}
  %y = onnx.Reshape %x, %shape : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

func.func @value_breaks_broadcast(%x: tensor<?xf32> {onnx.dims = ["N"]}, %y: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{operand shapes don't broadcast}}
  %z = onnx.Add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
