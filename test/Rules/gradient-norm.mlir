// RUN: lowtide-test-opt %s --test-gradients --split-input-file | FileCheck %s

// One fused op; statistics are read, not computed again.

// CHECK-LABEL: func.func @batch_norm
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>, %[[S:.*]]: tensor<3xf32>, %{{.*}}: tensor<3xf32>, %[[DY:.*]]: tensor<4x3xf32>)
// CHECK:         %{{.*}}, %[[MEAN:.*]], %[[INV:.*]] = train.batch_norm
// CHECK:         %[[DX:.*]], %[[DS:.*]], %[[DB:.*]] = train.batch_norm_grad %[[DY]], %[[X]], %[[S]], %[[MEAN]], %[[INV]]
// CHECK:         return %[[DX]], %[[DS]], %[[DB]]
func.func @batch_norm(%x: tensor<4x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<4x3xf32> {
  %y, %mean, %inv = train.batch_norm %x, %s, %b {epsilon = 1.0e-05 : f64}
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %y : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @layer_norm
// CHECK:         %{{.*}}, %[[MEAN:.*]], %[[INV:.*]] = train.layer_norm
// CHECK:         train.layer_norm_grad %{{.*}}, %{{.*}}, %{{.*}}, %[[MEAN]], %[[INV]] {axis = 1 : i64}
func.func @layer_norm(%x: tensor<4x3xf32>, %s: tensor<3xf32>) -> tensor<4x3xf32> {
  %none = onnx.None
  %y, %mean, %inv = train.layer_norm %x, %s, %none {axis = 1 : i64, epsilon = 1.0e-05 : f64}
      : (tensor<4x3xf32>, tensor<3xf32>, none) -> (tensor<4x3xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  return %y : tensor<4x3xf32>
}

// -----

// The mask is drawn again from the same three numbers; x is not read.

// CHECK-LABEL: func.func @dropout
// CHECK-SAME:    (%{{.*}}: tensor<8xf32>, %[[SEED:.*]]: tensor<i64>, %[[STEP:.*]]: tensor<i64>, %[[DY:.*]]: tensor<8xf32>)
// CHECK:         train.dropout_grad %[[DY]], %[[SEED]], %[[STEP]] {op_id = 3 : i64, ratio = 1.000000e-01 : f64}
func.func @dropout(%x: tensor<8xf32>, %seed: tensor<i64>, %step: tensor<i64>) -> tensor<8xf32> {
  %y = train.dropout %x, %seed, %step {ratio = 1.0e-01 : f64, op_id = 3 : i64}
      : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @inference_dropout
// CHECK-SAME:    (%{{.*}}: tensor<8xf32>, %[[DY:.*]]: tensor<8xf32>)
// CHECK:         return %[[DY]]
func.func @inference_dropout(%x: tensor<8xf32>) -> tensor<8xf32> {
  %none = onnx.None
  %y, %mask = onnx.Dropout %x, %none, %none : (tensor<8xf32>, none, none) -> (tensor<8xf32>, none)
  return %y : tensor<8xf32>
}
