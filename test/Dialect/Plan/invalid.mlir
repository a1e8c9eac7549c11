// RUN: lowtide-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{place has offset -64 and 64 bytes; neither may be negative}}
func.func private @negative_offset() attributes {place = #plan.place<"device" : -64 + 64>}

// -----

// expected-error @+1 {{place has offset 0 and -1 bytes; neither may be negative}}
func.func private @negative_bytes() attributes {place = #plan.place<"device" : 0 + -1>}

// -----

// expected-error @+1 {{arena has 64 bytes aligned to 0}}
func.func private @alignment() attributes {arena = #plan.arena<"device" : 64 align 0>}

// -----

func.func @one_place_each(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 results but 'plan.places' doesn't hold one place for each}}
  %a = onnx.Exp %x {plan.places = []} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @places_are_places(%x: tensor<4xf32>) {
  // expected-error @+1 {{'plan.places' doesn't hold one place for each}}
  %a = onnx.Exp %x {plan.places = [64]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @recompute_of(%x: tensor<4xf32>) {
  // expected-error @+1 {{'plan.recompute_of' must be a string}}
  %a = onnx.Exp %x {plan.recompute_of} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @workspace(%x: tensor<4xf32>) {
  // expected-error @+1 {{'plan.workspace' must be a place}}
  %a = onnx.Exp %x {plan.workspace = 64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{'plan.arena' must be an arena}}
func.func @arena() attributes {plan.arena = 64} {
  return
}

// -----

// expected-error @+1 {{'plan.place' of argument 0 must be a place}}
func.func @argument_place(%x: tensor<4xf32> {plan.place = 64}) {
  return
}
