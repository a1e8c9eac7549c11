// RUN: lowtide-opt %s -split-input-file -verify-diagnostics

// One case for each rule that result types can break.

func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<2x3xf32> {
  // expected-error @+2 {{operand shapes don't broadcast: operand 1 doesn't fit those before it}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Add %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @wrong_result_shape(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Relu %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

func.func @wrong_element_type(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+2 {{inferred type(s) 'tensor<2xi1>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Less %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @matmul_inner(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) -> tensor<2x5xf32> {
  // expected-error @+2 {{inner dimensions differ: 3 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.MatMul %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

func.func @gemm_bias(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @+2 {{operand C doesn't broadcast to the result}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Gemm %a, %b, %c : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @conv_channels(%x: tensor<1x3x8x8xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %none = onnx.None
  // expected-error @+2 {{data has 3 channels where the weights need 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Conv %x, %w, %none : (tensor<1x3x8x8xf32>, tensor<4x2x3x3xf32>, none) -> tensor<1x4x6x6xf32>
  return %y : tensor<1x4x6x6xf32>
}

// -----

func.func @conv_group(%x: tensor<1x4x8xf32>, %w: tensor<3x2x3xf32>) -> tensor<1x3x6xf32> {
  %none = onnx.None
  // expected-error @+2 {{group 2 doesn't divide 3 output channels}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Conv %x, %w, %none {group = 2 : i64} : (tensor<1x4x8xf32>, tensor<3x2x3xf32>, none) -> tensor<1x3x6xf32>
  return %y : tensor<1x3x6xf32>
}

// -----

func.func @window_too_large(%x: tensor<1x1x2xf32>) -> tensor<1x1x1xf32> {
  // expected-error @+2 {{the window is larger than spatial dimension 0, which has 2 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %y, %i = onnx.MaxPool %x {kernel_shape = array<i64: 3>} : (tensor<1x1x2xf32>) -> (tensor<1x1x1xf32>, none)
  return %y : tensor<1x1x1xf32>
}

// -----

func.func @strides_rank(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x3x3xf32> {
  // expected-error @+2 {{kernel, strides, dilations or pads don't fit 2 spatial dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.AveragePool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 1>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x3x3xf32>
  return %y : tensor<1x1x3x3xf32>
}

// -----

func.func @norm_axis(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  %none = onnx.None
  // expected-error @+2 {{axis is out of range for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y, %m, %i = onnx.LayerNormalization %x, %s, %none {axis = 2 : i64} : (tensor<2x3xf32>, tensor<3xf32>, none) -> (tensor<2x3xf32>, none, none)
  return %y : tensor<2x3xf32>
}

// -----

func.func @reshape_two_open(%x: tensor<6xf32>) -> tensor<?x?xf32> {
  %shape = onnx.Constant dense<-1> : tensor<2xi64>
  // expected-error @+2 {{shape has more than one -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Reshape %x, %shape : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @reshape_count(%x: tensor<6xf32>) -> tensor<4x2xf32> {
  %shape = onnx.Constant dense<[4, 2]> : tensor<2xi64>
  // expected-error @+2 {{6 elements don't fill the shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Reshape %x, %shape : (tensor<6xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @reshape_copies_nothing(%x: tensor<6xf32>) -> tensor<6x1xf32> {
  %shape = onnx.Constant dense<[6, 0]> : tensor<2xi64>
  // expected-error @+2 {{shape copies dimension 1 of data that has rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Reshape %x, %shape : (tensor<6xf32>, tensor<2xi64>) -> tensor<6x1xf32>
  return %y : tensor<6x1xf32>
}

// -----

func.func @squeeze_size(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  %axes = onnx.Constant dense<0> : tensor<1xi64>
  // expected-error @+2 {{dimension 0 has size 2, not 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Squeeze %x, %axes : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @unsqueeze_twice(%x: tensor<2xf32>) -> tensor<1x2x1xf32> {
  %axes = onnx.Constant dense<[0, -3]> : tensor<2xi64>
  // expected-error @+2 {{axis -3 is out of range or given twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Unsqueeze %x, %axes : (tensor<2xf32>, tensor<2xi64>) -> tensor<1x2x1xf32>
  return %y : tensor<1x2x1xf32>
}

// -----

func.func @transpose_perm(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  // expected-error @+2 {{perm is no permutation}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Transpose %x {perm = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

func.func @concat_size(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<4x3xf32> {
  // expected-error @+2 {{operand 1 has size 4 in dimension 1 where others have 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %z = onnx.Concat %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return %z : tensor<4x3xf32>
}

// -----

func.func @split_sum(%x: tensor<5xf32>) -> tensor<2xf32> {
  %sizes = onnx.Constant dense<2> : tensor<2xi64>
  // expected-error @+2 {{pieces add up to 4 where dimension 0 has 5 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %a, %b = onnx.Split %x, %sizes : (tensor<5xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2xf32>)
  return %a : tensor<2xf32>
}

// -----

func.func @slice_step(%x: tensor<5xf32>) -> tensor<?xf32> {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %end = onnx.Constant dense<5> : tensor<1xi64>
  // expected-error @+2 {{step 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Slice %x, %zero, %end, %zero, %zero : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @gather_axis(%x: tensor<5xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  // expected-error @+2 {{axis is out of range for rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Gather %x, %i {axis = 1 : i64} : (tensor<5xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @expand_shape(%x: tensor<3xf32>) -> tensor<2xf32> {
  %shape = onnx.Constant dense<2> : tensor<1xi64>
  // expected-error @+2 {{the operand doesn't broadcast to the shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Expand %x, %shape : (tensor<3xf32>, tensor<1xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @pad_entries(%x: tensor<3xf32>) -> tensor<3xf32> {
  %none = onnx.None
  %pads = onnx.Constant dense<1> : tensor<3xi64>
  // expected-error @+2 {{pads has 3 entries for 1 axes}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Pad %x, %pads, %none, %none : (tensor<3xf32>, tensor<3xi64>, none, none) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @reduce_axis(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %axes = onnx.Constant dense<2> : tensor<1xi64>
  // expected-error @+2 {{axis 2 is out of range for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.ReduceSum %x, %axes {keepdims = 0 : i64} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @split_counts(%x: tensor<4xf32>) -> tensor<2xf32> {
  %sizes = onnx.Constant dense<2> : tensor<2xi64>
  // expected-error @+2 {{split has 2 sizes where num_outputs is 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %a, %b, %c = onnx.Split %x, %sizes {num_outputs = 3 : i64} : (tensor<4xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<?xf32>)
  return %a : tensor<2xf32>
}

// -----

func.func @split_claims_many(%x: tensor<4xf32>) -> tensor<2xf32> {
  %none = onnx.None
  // expected-error @+2 {{num_outputs is 1099511627776}}
  // expected-error @+1 {{failed to infer returned types}}
  %a, %b = onnx.Split %x, %none {num_outputs = 1099511627776 : i64} : (tensor<4xf32>, none) -> (tensor<2xf32>, tensor<2xf32>)
  return %a : tensor<2xf32>
}

// -----

func.func @one_hot_depth(%i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<2x?xf32> {
  %depth = onnx.Constant dense<-5> : tensor<i64>
  // expected-error @+2 {{depth is -5}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.OneHot %i, %depth, %v : (tensor<2xi64>, tensor<i64>, tensor<2xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// -----

func.func @range_count() -> tensor<?xi64> {
  %least = onnx.Constant dense<-9223372036854775808> : tensor<i64>
  %most = onnx.Constant dense<9223372036854775807> : tensor<i64>
  // expected-error @+2 {{the range has more than 2^63 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Range %least, %most, %most : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// -----

func.func @pad_cuts_too_much(%x: tensor<3xf32>) -> tensor<?xf32> {
  %none = onnx.None
  %pads = onnx.Constant dense<-9223372036854775808> : tensor<2xi64>
  // expected-error @+2 {{pads cut more than dimension 0 has}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = onnx.Pad %x, %pads, %none, %none : (tensor<3xf32>, tensor<2xi64>, none, none) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
