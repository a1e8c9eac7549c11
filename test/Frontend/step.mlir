// A planned step comes back from its file exactly as it was: roles, updates,
// phases, recompute marks, order, places, workspaces and the summary.
//
// RUN: lowtide-test-frontend %s -o %t.onnx
// RUN: lowtide-test-frontend %t.onnx --print | FileCheck %s
// RUN: lowtide-test-frontend %t.onnx -o %t.again.onnx
// RUN: cmp %t.onnx %t.again.onnx

// CHECK-LABEL: func.func @main
// CHECK-SAME: onnx.input, onnx.name = "x", plan.place = #plan.place<"device" : 0 + 64>, train.role = "input"
// CHECK-SAME: onnx.input, onnx.name = "target"{{.*}}train.role = "target"
// CHECK-SAME: onnx.input, onnx.name = "w.momentum"{{.*}}train.role = "state"
// CHECK-SAME: onnx.initializer, onnx.input, onnx.name = "w"{{.*}}train.role = "parameter"
// CHECK-SAME: onnx.name = "w.new", train.updates = "w"
// CHECK-SAME: plan.arena = #plan.arena<"device" : 4096 align 64>, plan.order
// CHECK-SAME: plan.summary = {budget_bytes = 4096 : i64, dims = {N = 2 : i64}, extra_percent = 1.500000e+00 : f64, scale = 3.000000e+00 : f64}
// CHECK-SAME: train.options = {lr = 1.000000e-02 : f64, optimizer = "sgd"}
// CHECK-SAME: train.step
// CHECK: onnx.Gemm
// CHECK-SAME: onnx.outputs = ["logits"], plan.places = [#plan.place<"device" : 512 + 64>], plan.workspace = #plan.place<"device" : 2048 + 100>
// CHECK-SAME: train.phase = "forward"
// CHECK: train.softmax_cross_entropy
// CHECK-SAME: axis = 1 : i64
// CHECK: onnx.Gemm
// CHECK-SAME: onnx.outputs = ["logits__2"]
// CHECK-SAME: plan.places = [#plan.place<"device" : 640 + 128>]
// CHECK-SAME: plan.recompute_of = "/fc"
// CHECK-SAME: train.phase = "backward"
// CHECK: train.softmax_cross_entropy_grad
// CHECK: train.sgd_momentum_update
// CHECK-SAME: lr = 1.000000e-02 : f64
// CHECK-SAME: momentum = 9.000000e-01 : f64
// CHECK-SAME: train.phase = "update"
module attributes {onnx.model = {graph = "tiny", metadata = {note = "kept"}, opset = 28 : i64}} {
  func.func @main(
      %x: tensor<2x4xf32> {onnx.name = "x", onnx.input, train.role = "input", plan.place = #plan.place<"device" : 0 + 64>},
      %target: tensor<2xi64> {onnx.name = "target", onnx.input, train.role = "target", plan.place = #plan.place<"device" : 64 + 64>},
      %m: tensor<3x4xf32> {onnx.name = "w.momentum", onnx.input, train.role = "state", plan.place = #plan.place<"device" : 128 + 64>},
      %w: tensor<3x4xf32> {onnx.name = "w", onnx.initializer, train.role = "parameter", plan.place = #plan.place<"device" : 192 + 64>})
      -> (tensor<f32> {onnx.name = "loss"},
          tensor<3x4xf32> {onnx.name = "w.new", train.updates = "w"},
          tensor<3x4xf32> {onnx.name = "w.momentum.new", train.updates = "w.momentum"})
      attributes {train.step, train.options = {optimizer = "sgd", lr = 1.000000e-02 : f64},
                  plan.order, plan.arena = #plan.arena<"device" : 4096 align 64>,
                  plan.summary = {budget_bytes = 4096 : i64, extra_percent = 1.5 : f64, scale = 3.0 : f64, dims = {N = 2 : i64}}} {
    %none = onnx.None
    %logits = onnx.Gemm %x, %w, %none {transB = 1 : i64, train.phase = "forward", onnx.outputs = ["logits"], plan.places = [#plan.place<"device" : 512 + 64>], plan.workspace = #plan.place<"device" : 2048 + 100>} : (tensor<2x4xf32>, tensor<3x4xf32>, none) -> tensor<2x3xf32> loc("/fc")
    %loss = train.softmax_cross_entropy %logits, %target, %none {axis = 1 : i64, reduction = "mean", train.phase = "forward", plan.places = [#plan.place<"device" : 576 + 64>]} : (tensor<2x3xf32>, tensor<2xi64>, none) -> tensor<f32> loc("loss")
    %one = onnx.Constant {onnx.outputs = ["one"]} dense<1.0> : tensor<f32>
    %again = onnx.Gemm %x, %w, %none {transB = 1 : i64, train.phase = "backward", plan.recompute_of = "/fc", onnx.outputs = ["logits"], plan.places = [#plan.place<"device" : 640 + 128>]} : (tensor<2x4xf32>, tensor<3x4xf32>, none) -> tensor<2x3xf32> loc("/fc")
    %dlogits = train.softmax_cross_entropy_grad %one, %again, %target, %none {axis = 1 : i64, reduction = "mean", train.phase = "backward"} : (tensor<f32>, tensor<2x3xf32>, tensor<2xi64>, none) -> tensor<2x3xf32>
    %dw = onnx.Gemm %dlogits, %x, %none {transA = 1 : i64, train.phase = "backward"} : (tensor<2x3xf32>, tensor<2x4xf32>, none) -> tensor<3x4xf32>
    %new, %mnew = train.sgd_momentum_update %w, %dw, %m {lr = 1.000000e-02 : f64, momentum = 9.000000e-01 : f64, weight_decay = 0.0 : f64, train.phase = "update"} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
    return %loss, %new, %mnew : tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>
  }
}
