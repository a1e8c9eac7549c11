// RUN: lowtide-test-opt %s --test-gradients --split-input-file --verify-diagnostics

func.func @mod_divisor(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{can't be differentiated: Mod has no rule for its second operand}}
  %y = onnx.Mod %a, %b {fmod = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @scatter_max(%a: tensor<4xf32>, %i: tensor<1xi64>, %b: tensor<1xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{can't be differentiated: ScatterElements with reduction 'max'}}
  %y = onnx.ScatterElements %a, %i, %b {reduction = "max"} : (tensor<4xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @statistics(%x: tensor<4x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{can't be differentiated: the loss depends on its statistics}}
  %y, %mean, %inv = train.batch_norm %x, %s, %b {epsilon = 1.0e-05 : f64}
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %mean : tensor<3xf32>
}

// -----

func.func @dynamic(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // expected-error @+1 {{a shape is not known; bind the model's dimensions first}}
  %y = onnx.Relu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

func.func @training_dropout(%x: tensor<8xf32>) -> tensor<8xf32> {
  %none = onnx.None
  %true = onnx.Constant dense<true> : tensor<i1>
  // expected-error @+1 {{in training mode it must be a train.dropout}}
  %y, %mask = onnx.Dropout %x, %none, %true : (tensor<8xf32>, none, tensor<i1>) -> (tensor<8xf32>, none)
  return %y : tensor<8xf32>
}
