//===- OnnxReduce.td - Reductions --------------------------*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_ONNX_ONNXREDUCE_TD
#define LOWTIDE_DIALECT_ONNX_ONNXREDUCE_TD

include "lowtide/Dialect/Onnx/IR/OnnxBase.td"

class Onnx_Reduce<string mnemonic, string what>
    : Onnx_Op<mnemonic, "inferReduce", /*host=*/0b10> {
  let summary = what;
  let arguments = (ins AnyTensor:$data, OptionalTensor:$axes,
                       IntWithDefault<"1">:$keepdims,
                       IntWithDefault<"0">:$noop_with_empty_axes);
  let results = (outs AnyTensor:$reduced);
}

def Onnx_ReduceSumOp : Onnx_Reduce<"ReduceSum",
    "sum over axes">;
def Onnx_ReduceMeanOp : Onnx_Reduce<"ReduceMean",
    "mean over axes">;
def Onnx_ReduceMaxOp : Onnx_Reduce<"ReduceMax",
    "largest value over axes">;
def Onnx_ReduceMinOp : Onnx_Reduce<"ReduceMin",
    "smallest value over axes">;
def Onnx_ReduceProdOp : Onnx_Reduce<"ReduceProd",
    "product over axes">;
def Onnx_ReduceL2Op : Onnx_Reduce<"ReduceL2",
    "square root of the sum of squares over axes">;
def Onnx_ReduceSumSquareOp : Onnx_Reduce<"ReduceSumSquare",
    "sum of squares over axes">;

def Onnx_ArgMaxOp : Onnx_Op<"ArgMax", "inferArgReduce"> {
  let summary = "the index of the largest value along an axis";
  let arguments = (ins AnyTensor:$data, IntWithDefault<"0">:$axis,
                       IntWithDefault<"1">:$keepdims,
                       IntWithDefault<"0">:$select_last_index);
  let results = (outs AnyTensor:$reduced);
}

#endif // LOWTIDE_DIALECT_ONNX_ONNXREDUCE_TD
