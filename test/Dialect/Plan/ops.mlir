// RUN: lowtide-opt %s | lowtide-opt | FileCheck %s

// The attributes of a plan: places of arguments, results and workspaces, marks
// of second runs, and the arena on the function.

// CHECK-LABEL: func.func @planned
// CHECK-SAME:    plan.place = #plan.place<"device" : 0 + 64>
// CHECK-SAME:    attributes {plan.arena = #plan.arena<"device" : 192 align 64>, plan.order}
// CHECK:         onnx.Exp %{{.*}} {plan.places = [#plan.place<"device" : 64 + 64>], plan.workspace = #plan.place<"device" : 128 + 32>}
// CHECK:         onnx.Exp %{{.*}} {plan.places = [#plan.place<"device" : 128 + 64>], plan.recompute_of = "a"}
func.func @planned(%x: tensor<4xf32> {plan.place = #plan.place<"device" : 0 + 64>}) -> tensor<4xf32>
    attributes {plan.arena = #plan.arena<"device" : 192 align 64>, plan.order} {
  %a = onnx.Exp %x {plan.places = [#plan.place<"device" : 64 + 64>], plan.workspace = #plan.place<"device" : 128 + 32>} : (tensor<4xf32>) -> tensor<4xf32>
  %b = onnx.Exp %x {plan.places = [#plan.place<"device" : 128 + 64>], plan.recompute_of = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
