// The options that change what a step takes and returns.
//
// RUN: lowtide-opt %s --lowtide-build-step="loss=mse" | FileCheck %s --check-prefix=NONE
// RUN: lowtide-opt %s --lowtide-build-step="loss=mse wrt=b*" | FileCheck %s --check-prefix=WRT
// RUN: lowtide-opt %s --lowtide-build-step="optimizer=adamw weight-decay=0.25" | FileCheck %s --check-prefix=ADAMW
// RUN: lowtide-opt %s --lowtide-build-step="optimizer=sgd momentum=0.5" | FileCheck %s --check-prefix=MOMENTUM

// Without an optimizer the gradients are returned.
// NONE: -> (tensor<f32> {onnx.name = "loss"}, tensor<3x4xf32> {onnx.name = "w.grad"}, tensor<4xf32> {onnx.name = "b.grad"})

// Initializers that no pattern names are constants, and so have no gradient.
// WRT: onnx.name = "w", train.role = "constant"
// WRT-SAME: onnx.name = "b", train.role = "parameter"
// WRT-SAME: -> (tensor<f32> {onnx.name = "loss"}, tensor<4xf32> {onnx.name = "b.grad"})
// WRT-NOT: onnx.Gemm

// Cross-entropy takes class labels; AdamW two states for each parameter, and
// the step's number for its bias correction.
// ADAMW: tensor<2xi64> {onnx.input, onnx.name = "target", train.role = "target"}
// ADAMW-SAME: onnx.name = "w.exp_avg", train.role = "state"
// ADAMW-SAME: onnx.name = "w.exp_avg_sq", train.role = "state"
// ADAMW-SAME: %[[STEP:[^ ]*]]: tensor<i64> {onnx.input, onnx.name = "step", train.role = "step"}
// ADAMW-SAME: {onnx.name = "w.new", train.updates = "w"}
// ADAMW-SAME: {onnx.name = "w.exp_avg.new", train.updates = "w.exp_avg"}
// ADAMW: train.softmax_cross_entropy
// ADAMW: train.adamw_update {{.*}}%[[STEP]] {{.*}}weight_decay = 2.500000e-01 : f64

// MOMENTUM: onnx.name = "w.momentum", train.role = "state"
// MOMENTUM: train.sgd_momentum_update {{.*}}momentum = 5.000000e-01 : f64
func.func @layer(%x: tensor<2x3xf32> {onnx.name = "x", onnx.input},
                 %w: tensor<3x4xf32> {onnx.name = "w", onnx.initializer},
                 %b: tensor<4xf32> {onnx.name = "b", onnx.initializer}) -> tensor<2x4xf32> {
  %h = onnx.MatMul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %y = onnx.Add %h, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
