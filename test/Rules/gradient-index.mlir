// RUN: lowtide-test-opt %s --test-gradients --split-input-file | FileCheck %s

// A gather needs its indices again, and the table's shape only.

// CHECK-LABEL: func.func @gather
// CHECK-SAME:    (%{{.*}}: tensor<4x2xf32>, %[[IDS:.*]]: tensor<3xi64>, %[[DY:.*]]: tensor<3x2xf32>)
// CHECK:         train.gather_grad %[[DY]], %[[IDS]] {axis = 0 : i64, data_shape = array<i64: 4, 2>}
func.func @gather(%table: tensor<4x2xf32>, %ids: tensor<3xi64>) -> tensor<3x2xf32> {
  %y = onnx.Gather %table, %ids : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// Adding updates passes the data's adjoint on; the updates' is a gather.

// CHECK-LABEL: func.func @scatter_add
// CHECK-SAME:    (%{{.*}}, %[[I:.*]]: tensor<1xi64>, %{{.*}}, %[[DY:.*]]: tensor<4xf32>)
// CHECK:         %[[DU:.*]] = onnx.GatherElements %[[DY]], %[[I]]
// CHECK:         return %[[DY]], %[[DU]]
func.func @scatter_add(%a: tensor<4xf32>, %i: tensor<1xi64>, %u: tensor<1xf32>) -> tensor<4xf32> {
  %y = onnx.ScatterElements %a, %i, %u {reduction = "add"} : (tensor<4xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Replacing elements cuts them out of the data's adjoint.

// CHECK-LABEL: func.func @scatter
// CHECK-SAME:    (%{{.*}}, %[[I:.*]]: tensor<1xi64>, %{{.*}}, %[[DY:.*]]: tensor<4xf32>)
// CHECK:         %[[ZERO:.*]] = onnx.ConstantOfShape
// CHECK:         onnx.ScatterElements %[[DY]], %[[I]], %[[ZERO]]
func.func @scatter(%a: tensor<4xf32>, %i: tensor<1xi64>, %u: tensor<1xf32>) -> tensor<4xf32> {
  %y = onnx.ScatterElements %a, %i, %u : (tensor<4xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
