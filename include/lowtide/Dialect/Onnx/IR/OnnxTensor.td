//===- OnnxTensor.td - Shapes and data movement ------------*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_ONNX_ONNXTENSOR_TD
#define LOWTIDE_DIALECT_ONNX_ONNXTENSOR_TD

include "lowtide/Dialect/Onnx/IR/OnnxBase.td"

def Onnx_NoneOp : Op<Onnx_Dialect, "None", [Pure, ConstantLike]> {
  let summary = "an operand that is not given";
  let results = (outs NoneType:$output);
  let assemblyFormat = "attr-dict";
  let hasFolder = 1;
}

def Onnx_ConstantOp : Onnx_Op<"Constant", "inferConstant", 0, -1, 0, 1,
                              [ConstantLike]> {
  let summary = "a small tensor known when the model is read";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Onnx_CustomOp : Op<Onnx_Dialect, "Custom", []> {
  let summary = "an op that is carried without being understood";
  let description = [{
    Holds the serialized node. It imports, prints and exports; it can't be
    differentiated or run, and it may have effects, so it is never cloned,
    moved or erased. Values that its subgraphs capture are operands after the
    node's own; `captures` has their names in the subgraphs.
  }];
  let arguments = (ins Variadic<OptionalTensor>:$inputs, StrAttr:$op_type,
                       StrAttr:$domain, StrAttr:$node,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$captures);
  let results = (outs Variadic<OptionalTensor>:$outputs);
  let assemblyFormat = [{
    $op_type (`(` $inputs^ `)`)? attr-dict `:` functional-type($inputs, $outputs)
  }];
}

def Onnx_IdentityOp : Onnx_Op<"Identity", "inferSameAsFirst", 0, /*view=*/0> {
  let summary = "the operand";
  let arguments = (ins AnyTensor:$input);
  let results = (outs AnyTensor:$output);
}

def Onnx_ShapeOp : Onnx_Op<"Shape", "inferShape"> {
  let summary = "the dimensions of a tensor";
  let arguments = (ins AnyTensor:$data, OptionalInt:$end,
                       IntWithDefault<"0">:$start);
  let results = (outs AnyTensor:$shape);
  let hasFolder = 1;
}

def Onnx_SizeOp : Onnx_Op<"Size", "inferSize"> {
  let summary = "the number of elements of a tensor";
  let arguments = (ins AnyTensor:$data);
  let results = (outs AnyTensor:$size);
  let hasFolder = 1;
}

def Onnx_ReshapeOp : Onnx_Op<"Reshape", "inferReshape", /*host=*/0b10,
                             /*view=*/0> {
  let summary = "the same elements under other dimensions";
  let arguments = (ins AnyTensor:$data, AnyTensor:$shape,
                       IntWithDefault<"0">:$allowzero);
  let results = (outs AnyTensor:$reshaped);
}

def Onnx_FlattenOp : Onnx_Op<"Flatten", "inferFlatten", 0, /*view=*/0> {
  let summary = "a matrix: the dimensions before and from `axis` on";
  let arguments = (ins AnyTensor:$input, IntWithDefault<"1">:$axis);
  let results = (outs AnyTensor:$output);
}

def Onnx_SqueezeOp : Onnx_Op<"Squeeze", "inferSqueeze", /*host=*/0b10,
                             /*view=*/0> {
  let summary = "dimensions of size 1 removed";
  let arguments = (ins AnyTensor:$data, OptionalTensor:$axes);
  let results = (outs AnyTensor:$squeezed);
}

def Onnx_UnsqueezeOp : Onnx_Op<"Unsqueeze", "inferUnsqueeze", /*host=*/0b10,
                               /*view=*/0> {
  let summary = "dimensions of size 1 inserted";
  let arguments = (ins AnyTensor:$data, AnyTensor:$axes);
  let results = (outs AnyTensor:$expanded);
}

def Onnx_TransposeOp : Onnx_Op<"Transpose", "inferTranspose"> {
  let summary = "dimensions permuted; reversed without `perm`";
  let arguments = (ins AnyTensor:$data, OptionalInts:$perm);
  let results = (outs AnyTensor:$transposed);
}

def Onnx_ConcatOp : Onnx_Op<"Concat", "inferConcat"> {
  let summary = "operands side by side along an axis";
  let arguments = (ins Variadic<AnyTensor>:$inputs, I64Attr:$axis);
  let results = (outs AnyTensor:$concat_result);
}

def Onnx_SplitOp : Onnx_Op<"Split", "inferSplit", /*host=*/0b10> {
  let summary = "pieces of a tensor along an axis";
  let arguments = (ins AnyTensor:$input, OptionalTensor:$split,
                       IntWithDefault<"0">:$axis, OptionalInt:$num_outputs);
  let results = (outs Variadic<AnyTensor>:$outputs);
}

def Onnx_SliceOp : Onnx_Op<"Slice", "inferSlice", /*host=*/0b11110> {
  let summary = "a strided box of a tensor";
  let arguments = (ins AnyTensor:$data, AnyTensor:$starts, AnyTensor:$ends,
                       OptionalTensor:$axes, OptionalTensor:$steps);
  let results = (outs AnyTensor:$output);
}

def Onnx_GatherOp : Onnx_Op<"Gather", "inferGather"> {
  let summary = "slices along an axis picked by index";
  let arguments = (ins AnyTensor:$data, AnyTensor:$indices,
                       IntWithDefault<"0">:$axis);
  let results = (outs AnyTensor:$output);
}

def Onnx_GatherElementsOp : Onnx_Op<"GatherElements", "inferGatherElements"> {
  let summary = "elements picked by an index for each along an axis";
  let arguments = (ins AnyTensor:$data, AnyTensor:$indices,
                       IntWithDefault<"0">:$axis);
  let results = (outs AnyTensor:$output);
}

def Onnx_GatherNDOp : Onnx_Op<"GatherND", "inferGatherND"> {
  let summary = "slices picked by index tuples";
  let arguments = (ins AnyTensor:$data, AnyTensor:$indices,
                       IntWithDefault<"0">:$batch_dims);
  let results = (outs AnyTensor:$output);
}

def Onnx_ScatterElementsOp : Onnx_Op<"ScatterElements", "inferSameAsFirst"> {
  let summary = "data with elements replaced, or combined, by index";
  let arguments = (ins AnyTensor:$data, AnyTensor:$indices, AnyTensor:$updates,
                       IntWithDefault<"0">:$axis,
                       StringWithDefault<"none">:$reduction);
  let results = (outs AnyTensor:$output);
}

def Onnx_ScatterNDOp : Onnx_Op<"ScatterND", "inferSameAsFirst"> {
  let summary = "data with slices replaced, or combined, by index tuples";
  let arguments = (ins AnyTensor:$data, AnyTensor:$indices, AnyTensor:$updates,
                       StringWithDefault<"none">:$reduction);
  let results = (outs AnyTensor:$output);
}

def Onnx_ExpandOp : Onnx_Op<"Expand", "inferExpand", /*host=*/0b10> {
  let summary = "broadcast to a shape, both ways";
  let arguments = (ins AnyTensor:$input, AnyTensor:$shape);
  let results = (outs AnyTensor:$output);
}

def Onnx_TileOp : Onnx_Op<"Tile", "inferTile", /*host=*/0b10> {
  let summary = "the tensor repeated along each axis";
  let arguments = (ins AnyTensor:$input, AnyTensor:$repeats);
  let results = (outs AnyTensor:$output);
}

def Onnx_PadOp : Onnx_Op<"Pad", "inferPad", /*host=*/0b1010> {
  let summary = "the tensor with borders added or cut";
  let arguments = (ins AnyTensor:$data, AnyTensor:$pads,
                       OptionalTensor:$constant_value, OptionalTensor:$axes,
                       StringWithDefault<"constant">:$mode);
  let results = (outs AnyTensor:$output);
}

def Onnx_RangeOp : Onnx_Op<"Range", "inferRange", /*host=*/0b111> {
  let summary = "start, start + delta, ... up to limit";
  let arguments = (ins AnyTensor:$start, AnyTensor:$limit, AnyTensor:$delta);
  let results = (outs AnyTensor:$output);
}

def Onnx_ConstantOfShapeOp
    : Onnx_Op<"ConstantOfShape", "inferConstantOfShape", /*host=*/0b1> {
  let summary = "one value everywhere; a float32 zero without `value`";
  let arguments = (ins AnyTensor:$input, OptionalAttr<ElementsAttr>:$value);
  let results = (outs AnyTensor:$output);
}

def Onnx_TriluOp : Onnx_Op<"Trilu", "inferSameAsFirst", /*host=*/0b10> {
  let summary = "the upper or lower triangle of each matrix, zero elsewhere";
  let arguments = (ins AnyTensor:$input, OptionalTensor:$k,
                       IntWithDefault<"1">:$upper);
  let results = (outs AnyTensor:$output);
}

def Onnx_OneHotOp : Onnx_Op<"OneHot", "inferOneHot", /*host=*/0b10> {
  let summary = "a vector of off-values with one on-value for each index";
  let arguments = (ins AnyTensor:$indices, AnyTensor:$depth, AnyTensor:$values,
                       IntWithDefault<"-1">:$axis);
  let results = (outs AnyTensor:$output);
}

#endif // LOWTIDE_DIALECT_ONNX_ONNXTENSOR_TD
