//===- OnnxBase.td - The onnx dialect ----------------------*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Ops are spelled as in the ONNX specification, at one internal opset (28), with
// the specification's operands, results and attributes in its order. An absent
// optional operand is the value of `onnx.None`. Ops that are not defined here
// are carried by `onnx.Custom`.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_ONNX_ONNXBASE_TD
#define LOWTIDE_DIALECT_ONNX_ONNXBASE_TD

include "lowtide/Interfaces/TensorOp.td"

def Onnx_Dialect : Dialect {
  let name = "onnx";
  let cppNamespace = "::lowtide::onnx";
  let summary = "ONNX operators at one opset";
  let description = [{
    The forward graph of a model. One function holds it; initializers that may be
    trained are arguments, small constants are `onnx.Constant` ops. Node names
    are locations, value names the discardable attribute `onnx.outputs`.
  }];
  let useDefaultAttributePrinterParser = 0;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 0;
  let hasRegionArgAttrVerify = 0;
}

class Onnx_Op<string mnemonic, string inferFn, int hostOperands = 0,
              int viewedOperand = -1, int optionalResults = 0, int remat = 1,
              list<Trait> traits = []>
    : TensorOp<Onnx_Dialect, mnemonic, inferFn, hostOperands, viewedOperand,
               optionalResults, remat, traits>;

// Attribute shorthands.
class IntWithDefault<string value> : DefaultValuedAttr<I64Attr, value>;
class FloatWithDefault<string value> : DefaultValuedAttr<F32Attr, value>;
class StringWithDefault<string value> : DefaultValuedStrAttr<StrAttr, value>;
def OptionalInts : OptionalAttr<DenseI64ArrayAttr>;
def OptionalInt : OptionalAttr<I64Attr>;

// One operand, one result of the same type.
class Onnx_Unary<string mnemonic, string what, dag attrs = (ins)>
    : Onnx_Op<mnemonic, "inferSameAsFirst"> {
  let summary = what;
  let arguments = !con((ins AnyTensor:$input), attrs);
  let results = (outs AnyTensor:$output);
}

// Two operands, broadcast; the result has their element type.
class Onnx_Binary<string mnemonic, string what, dag attrs = (ins)>
    : Onnx_Op<mnemonic, "inferBroadcast"> {
  let summary = what;
  let arguments = !con((ins AnyTensor:$lhs, AnyTensor:$rhs), attrs);
  let results = (outs AnyTensor:$output);
}

// Two operands, broadcast; the result is boolean.
class Onnx_Compare<string mnemonic, string what>
    : Onnx_Op<mnemonic, "inferCompare"> {
  let summary = what;
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs);
  let results = (outs AnyTensor:$output);
}

// Any number of operands, broadcast.
class Onnx_Nary<string mnemonic, string what>
    : Onnx_Op<mnemonic, "inferBroadcast"> {
  let summary = what;
  let arguments = (ins Variadic<AnyTensor>:$inputs);
  let results = (outs AnyTensor:$output);
}

#endif // LOWTIDE_DIALECT_ONNX_ONNXBASE_TD
