// RUN: lowtide-opt %s -split-input-file --lowtide-build-step="loss=mse optimizer=sgd lr=0.5" | FileCheck %s

// y = relu(x w). The step gains a target, a loss, the chain of adjoints back to
// w and an update. Relu is read back from its result; x gets no adjoint.

// CHECK-LABEL: func.func @layer
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32> {onnx.input, onnx.name = "x", train.role = "input"},
// CHECK-SAME:     %[[W:.*]]: tensor<3x4xf32> {onnx.initializer, onnx.name = "w", train.role = "parameter"},
// CHECK-SAME:     %[[T:.*]]: tensor<2x4xf32> {onnx.input, onnx.name = "target", train.role = "target"})
// CHECK-SAME:    -> (tensor<f32> {onnx.name = "loss"}, tensor<3x4xf32> {onnx.name = "w.new", train.updates = "w"})
// CHECK-SAME:    attributes {train.step}
// CHECK:         %[[H:.*]] = onnx.MatMul %[[X]], %[[W]] {train.phase = "forward"}
// CHECK:         %[[Y:.*]] = onnx.Relu %[[H]]
// CHECK:         %[[LOSS:.*]] = train.mse %[[Y]], %[[T]] {train.phase = "forward"}
// CHECK:         %[[SEED:.*]] = onnx.Constant {train.phase = "backward"} dense<1.000000e+00> : tensor<f32>
// CHECK:         %[[DY:.*]] = train.mse_grad %[[SEED]], %[[Y]], %[[T]] {train.phase = "backward"}
// CHECK:         %[[DH:.*]] = train.relu_grad %[[DY]], %[[Y]]
// CHECK:         %[[DW:.*]] = onnx.Gemm %[[X]], %[[DH]], %{{.*}} {train.phase = "backward", transA = 1 : i64}
// CHECK-NOT:     onnx.Gemm
// CHECK:         %[[NEW:.*]] = train.sgd_update %[[W]], %[[DW]] {lr = 5.000000e-01 : f64, train.phase = "update", weight_decay = 0.000000e+00 : f64}
// CHECK:         return %[[LOSS]], %[[NEW]]
func.func @layer(%x: tensor<2x3xf32> {onnx.name = "x", onnx.input},
                 %w: tensor<3x4xf32> {onnx.name = "w", onnx.initializer})
    -> (tensor<2x4xf32> {onnx.name = "y"}) {
  %h = onnx.MatMul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %y = onnx.Relu %h : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A value that two ops read gets the sum of two adjoints, in one place.

// CHECK-LABEL: func.func @used_twice
// CHECK:         %[[DY:.*]] = train.mse_grad
// CHECK:         %[[SUM:.*]] = onnx.Add %{{.*}}, %{{.*}} {train.phase = "backward"}
// CHECK-NOT:     onnx.Add
// CHECK:         train.sgd_update
func.func @used_twice(%x: tensor<4xf32> {onnx.name = "x", onnx.input},
                      %w: tensor<4xf32> {onnx.name = "w", onnx.initializer}) -> tensor<4xf32> {
  %h = onnx.Mul %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = onnx.Sigmoid %h : (tensor<4xf32>) -> tensor<4xf32>
  %y = onnx.Mul %h, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// w2's gradient is complete before w1's, but the backward op of x2 still reads
// w2: its update comes right after that reader, not at the end.

// CHECK-LABEL: func.func @early_update
// CHECK-SAME:    %[[W1:[^ ]*]]: tensor<3x3xf32> {onnx.initializer, onnx.name = "w1"
// CHECK-SAME:    %[[W2:[^ ]*]]: tensor<3x3xf32> {onnx.initializer, onnx.name = "w2"
// CHECK:         train.mse_grad
// CHECK:         onnx.Gemm %{{.*}}, %[[W2]], {{.*}}transB = 1
// CHECK:         train.sgd_update %[[W2]]
// CHECK-NEXT:    {{.*}} = train.relu_grad
// CHECK:         train.sgd_update %[[W1]]
func.func @early_update(%x: tensor<2x3xf32> {onnx.name = "x", onnx.input},
                        %w1: tensor<3x3xf32> {onnx.name = "w1", onnx.initializer},
                        %w2: tensor<3x3xf32> {onnx.name = "w2", onnx.initializer}) -> tensor<2x3xf32> {
  %h = onnx.MatMul %x, %w1 : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %a = onnx.Relu %h : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = onnx.MatMul %a, %w2 : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// A batch norm in training mode updates its statistics, which aren't trained;
// the backward op reads the batch's mean.

// CHECK-LABEL: func.func @statistics
// CHECK-SAME:    %[[M:[^ ]*]]: tensor<3xf32> {onnx.initializer, onnx.name = "mean", train.role = "statistic"}
// CHECK-SAME:    %[[V:[^ ]*]]: tensor<3xf32> {onnx.initializer, onnx.name = "var", train.role = "statistic"}
// CHECK-SAME:    {onnx.name = "scale.new", train.updates = "scale"}
// CHECK-SAME:    {onnx.name = "bias.new", train.updates = "bias"}
// CHECK-SAME:    {onnx.name = "mean.new", train.updates = "mean"}
// CHECK-SAME:    {onnx.name = "var.new", train.updates = "var"}
// CHECK:         %{{.*}}, %[[MEAN:.*]], %[[INV:.*]] = train.batch_norm
// CHECK:         train.running_update %[[M]], %[[MEAN]]
// CHECK:         train.running_variance_update %[[V]], %[[INV]]
// CHECK:         train.batch_norm_grad {{.*}} %[[MEAN]], %[[INV]]
func.func @statistics(%x: tensor<2x3xf32> {onnx.name = "x", onnx.input},
                      %s: tensor<3xf32> {onnx.name = "scale", onnx.initializer},
                      %b: tensor<3xf32> {onnx.name = "bias", onnx.initializer},
                      %m: tensor<3xf32> {onnx.name = "mean", onnx.initializer},
                      %v: tensor<3xf32> {onnx.name = "var", onnx.initializer}) -> tensor<2x3xf32> {
  %y, %rm, %rv = onnx.BatchNormalization %x, %s, %b, %m, %v {training_mode = 1 : i64}
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %y : tensor<2x3xf32>
}

// -----

// Dropout in training mode draws by (seed, step, op id), so that its adjoint,
// and a second run, draw the same.

// CHECK-LABEL: func.func @dropout
// CHECK-SAME:    %[[SEED:[^ ]*]]: tensor<i64> {onnx.input, onnx.name = "seed", train.role = "seed"}
// CHECK-SAME:    %[[STEP:[^ ]*]]: tensor<i64> {onnx.input, onnx.name = "step", train.role = "step"}
// CHECK:         train.dropout %{{.*}}, %[[SEED]], %[[STEP]] {op_id = 0 : i64, ratio = 2.500000e-01 : f64
// CHECK:         train.dropout_grad %{{.*}}, %[[SEED]], %[[STEP]] {op_id = 0 : i64, ratio = 2.500000e-01 : f64
func.func @dropout(%x: tensor<4xf32> {onnx.name = "x", onnx.input},
                   %w: tensor<4xf32> {onnx.name = "w", onnx.initializer}) -> tensor<4xf32> {
  %ratio = onnx.Constant dense<0.25> : tensor<f32>
  %train = onnx.Constant dense<true> : tensor<i1>
  %h = onnx.Mul %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y, %mask = onnx.Dropout %h, %ratio, %train : (tensor<4xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, none)
  return %y : tensor<4xf32>
}
