//===- OnnxOps.td - All ops of the onnx dialect ------------*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

include "lowtide/Dialect/Onnx/IR/OnnxMath.td"
include "lowtide/Dialect/Onnx/IR/OnnxNN.td"
include "lowtide/Dialect/Onnx/IR/OnnxReduce.td"
include "lowtide/Dialect/Onnx/IR/OnnxTensor.td"
