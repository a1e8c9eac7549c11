// Ops print, parse, and know their result types: those are declared without
// rank here and refined where dimensions are bound.
//
// RUN: lowtide-opt %s | lowtide-opt --lowtide-bind-dimensions | FileCheck %s

// An adjoint has the type of its value: of dy, or of what the op saved.

// CHECK-LABEL: func.func @elementwise
// CHECK:         train.relu_grad %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK:         train.leaky_relu_grad %{{.*}}, %{{.*}} {alpha = 5.000000e-01 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK:         train.clip_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>, none, tensor<f32>) -> tensor<2x3xf32>
// CHECK:         train.max_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {index = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @elementwise(%dy: tensor<2x3xf32>, %y: tensor<2x3xf32>, %max: tensor<f32>) -> tensor<*xf32> {
  %none = onnx.None
  %a = train.relu_grad %dy, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  %b = train.leaky_relu_grad %a, %y {alpha = 0.5 : f32} : (tensor<*xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  %c = train.clip_grad %b, %y, %none, %max : (tensor<*xf32>, tensor<2x3xf32>, none, tensor<f32>) -> tensor<*xf32>
  %d = train.max_grad %c, %y, %y, %dy {index = 1 : i64} : (tensor<*xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// A loss is a scalar of its data's type; its adjoint has the data's shape.

// CHECK-LABEL: func.func @losses
// CHECK:         train.softmax_cross_entropy {{.*}} -> tensor<f64>
// CHECK:         train.softmax_cross_entropy {{.*}} {axis = 1 : i64, reduction = "none"} {{.*}} -> tensor<2xf64>
// CHECK:         train.softmax_cross_entropy_grad {{.*}} -> tensor<2x3xf64>
// CHECK:         train.nll_loss_grad {{.*}} -> tensor<2x3xf64>
// CHECK:         train.mse {{.*}} -> tensor<f64>
// CHECK:         train.mse_grad {{.*}} -> tensor<2x3xf64>
func.func @losses(%x: tensor<2x3xf64>, %t: tensor<2xi64>)
    -> (tensor<*xf64>, tensor<*xf64>, tensor<*xf64>, tensor<*xf64>, tensor<*xf64>) {
  %none = onnx.None
  %l = train.softmax_cross_entropy %x, %t, %none {axis = 1 : i64, reduction = "mean"} : (tensor<2x3xf64>, tensor<2xi64>, none) -> tensor<*xf64>
  %r = train.softmax_cross_entropy %x, %t, %none {axis = 1 : i64, reduction = "none"} : (tensor<2x3xf64>, tensor<2xi64>, none) -> tensor<*xf64>
  %dx = train.softmax_cross_entropy_grad %l, %x, %t, %none {axis = 1 : i64, reduction = "mean"} : (tensor<*xf64>, tensor<2x3xf64>, tensor<2xi64>, none) -> tensor<*xf64>
  %n = train.nll_loss_grad %l, %t, %none {data_shape = array<i64: 2, 3>, reduction = "mean"} : (tensor<*xf64>, tensor<2xi64>, none) -> tensor<*xf64>
  %m = train.mse %x, %dx : (tensor<2x3xf64>, tensor<*xf64>) -> tensor<*xf64>
  %dm = train.mse_grad %m, %x, %dx : (tensor<*xf64>, tensor<2x3xf64>, tensor<*xf64>) -> tensor<*xf64>
  return %m, %r, %dx, %n, %dm : tensor<*xf64>, tensor<*xf64>, tensor<*xf64>, tensor<*xf64>, tensor<*xf64>
}

// Statistics of a batch have the shape of the scale, those of a layer size 1
// from the axis on.

// CHECK-LABEL: func.func @norms
// CHECK:         train.batch_norm {{.*}} -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK:         train.batch_norm_grad {{.*}} -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK:         train.layer_norm {{.*}} -> (tensor<2x3x4xf32>, tensor<2x3x1xf32>, tensor<2x3x1xf32>)
// CHECK:         train.layer_norm_grad {{.*}} -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK:         train.running_update {{.*}} -> tensor<3xf32>
func.func @norms(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %t: tensor<4xf32>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %y, %m, %i = train.batch_norm %x, %s, %s {epsilon = 1.0e-5 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  %dx, %ds, %db = train.batch_norm_grad %y, %x, %s, %m, %i : (tensor<*xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  %z, %n, %j = train.layer_norm %x, %t, %t {axis = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  %dz, %dt, %du = train.layer_norm_grad %z, %x, %t, %n, %j {axis = 2 : i64} : (tensor<*xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  %r = train.running_update %s, %m {momentum = 0.9 : f64} : (tensor<3xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %dx, %dz, %r : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// What doesn't read the value whose adjoint it makes has that shape as an
// attribute.

// CHECK-LABEL: func.func @shapes
// CHECK:         train.conv_input_grad {{.*}} -> tensor<1x2x8xf32>
// CHECK:         train.conv_weight_grad {{.*}} -> tensor<4x2x3xf32>
// CHECK:         train.gather_grad {{.*}} -> tensor<10x6xf32>
// CHECK:         train.slice_grad {{.*}} -> tensor<1x4x9xf32>
func.func @shapes(%dy: tensor<1x4x6xf32>, %w: tensor<4x2x3xf32>, %x: tensor<1x2x8xf32>, %i: tensor<1x4xi64>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %none = onnx.None
  %start = onnx.Constant dense<3> : tensor<1xi64>
  %end = onnx.Constant dense<9> : tensor<1xi64>
  %axis = onnx.Constant dense<2> : tensor<1xi64>
  %a = train.conv_input_grad %dy, %w {input_shape = array<i64: 1, 2, 8>, strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, group = 1 : i64} : (tensor<1x4x6xf32>, tensor<4x2x3xf32>) -> tensor<*xf32>
  %b = train.conv_weight_grad %dy, %x {weight_shape = array<i64: 4, 2, 3>, strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, group = 1 : i64} : (tensor<1x4x6xf32>, tensor<1x2x8xf32>) -> tensor<*xf32>
  %c = train.gather_grad %dy, %i {data_shape = array<i64: 10, 6>, axis = 0 : i64} : (tensor<1x4x6xf32>, tensor<1x4xi64>) -> tensor<*xf32>
  %d = train.slice_grad %dy, %start, %end, %axis, %none {data_shape = array<i64: 1, 4, 9>} : (tensor<1x4x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, none) -> tensor<*xf32>
  return %a, %b, %c, %d : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// Updates return what they replace, the parameter first; draws have a key.

// CHECK-LABEL: func.func @updates
// CHECK:         train.dropout %{{.*}}, %{{.*}}, %{{.*}} {op_id = 3 : i64, ratio = 5.000000e-01 : f64} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
// CHECK:         train.sgd_update {{.*}} -> tensor<4xf32>
// CHECK:         train.sgd_momentum_update {{.*}} -> (tensor<4xf32>, tensor<4xf32>)
// CHECK:         train.adamw_update {{.*}} -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
func.func @updates(%w: tensor<4xf32>, %n: tensor<i64>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %g = train.dropout %w, %n, %n {ratio = 0.5 : f64, op_id = 3 : i64} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<*xf32>
  %a = train.sgd_update %w, %g {lr = 0.1 : f64, weight_decay = 0.0 : f64} : (tensor<4xf32>, tensor<*xf32>) -> tensor<*xf32>
  %b, %m = train.sgd_momentum_update %w, %g, %w {lr = 0.1 : f64, momentum = 0.9 : f64, weight_decay = 0.0 : f64} : (tensor<4xf32>, tensor<*xf32>, tensor<4xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  %c, %e, %s = train.adamw_update %w, %g, %w, %w, %n {lr = 0.1 : f64, beta1 = 0.9 : f64, beta2 = 0.99 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64} : (tensor<4xf32>, tensor<*xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return %a, %b, %c : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}
