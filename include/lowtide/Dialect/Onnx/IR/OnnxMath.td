//===- OnnxMath.td - Elementwise and matrix ops ------------*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_ONNX_ONNXMATH_TD
#define LOWTIDE_DIALECT_ONNX_ONNXMATH_TD

include "lowtide/Dialect/Onnx/IR/OnnxBase.td"

// Elementwise, one operand.
def Onnx_NegOp : Onnx_Unary<"Neg",
    "-x">;
def Onnx_AbsOp : Onnx_Unary<"Abs",
    "absolute value">;
def Onnx_ExpOp : Onnx_Unary<"Exp",
    "e^x">;
def Onnx_LogOp : Onnx_Unary<"Log",
    "natural logarithm">;
def Onnx_SqrtOp : Onnx_Unary<"Sqrt",
    "square root">;
def Onnx_ReciprocalOp : Onnx_Unary<"Reciprocal",
    "1 / x">;
def Onnx_ErfOp : Onnx_Unary<"Erf",
    "error function">;
def Onnx_SinOp : Onnx_Unary<"Sin",
    "sine">;
def Onnx_CosOp : Onnx_Unary<"Cos",
    "cosine">;
def Onnx_SignOp : Onnx_Unary<"Sign",
    "-1, 0 or 1">;
def Onnx_FloorOp : Onnx_Unary<"Floor",
    "largest integer not above x">;
def Onnx_CeilOp : Onnx_Unary<"Ceil",
    "smallest integer not below x">;
def Onnx_RoundOp : Onnx_Unary<"Round",
    "nearest integer, halves to even">;
def Onnx_NotOp : Onnx_Unary<"Not",
    "logical not">;
def Onnx_ReluOp : Onnx_Unary<"Relu",
    "max(0, x)">;
def Onnx_LeakyReluOp : Onnx_Unary<"LeakyRelu",
    "x where x >= 0, else alpha * x", (ins FloatWithDefault<"0.01f">:$alpha)>;
def Onnx_SigmoidOp : Onnx_Unary<"Sigmoid",
    "1 / (1 + e^-x)">;
def Onnx_TanhOp : Onnx_Unary<"Tanh",
    "hyperbolic tangent">;
def Onnx_SoftplusOp : Onnx_Unary<"Softplus",
    "log(1 + e^x)">;
def Onnx_SoftsignOp : Onnx_Unary<"Softsign",
    "x / (1 + |x|)">;
def Onnx_GeluOp : Onnx_Unary<"Gelu",
    "x times the normal distribution function of x", (ins StringWithDefault<"none">:$approximate)>;
def Onnx_EluOp : Onnx_Unary<"Elu",
    "x where x > 0, else alpha * (e^x - 1)", (ins FloatWithDefault<"1.0f">:$alpha)>;
def Onnx_HardSigmoidOp : Onnx_Unary<"HardSigmoid",
    "alpha * x + beta, clamped to [0, 1]", (ins FloatWithDefault<"0.2f">:$alpha, FloatWithDefault<"0.5f">:$beta)>;
def Onnx_HardSwishOp : Onnx_Unary<"HardSwish",
    "x * clamp(x / 6 + 0.5, 0, 1)">;
def Onnx_MishOp : Onnx_Unary<"Mish",
    "x * tanh(softplus(x))">;

// Elementwise, two operands.
def Onnx_AddOp : Onnx_Binary<"Add",
    "sum">;
def Onnx_SubOp : Onnx_Binary<"Sub",
    "difference">;
def Onnx_MulOp : Onnx_Binary<"Mul",
    "product">;
def Onnx_DivOp : Onnx_Binary<"Div",
    "quotient; integers are truncated">;
def Onnx_PowOp : Onnx_Binary<"Pow",
    "base to the power of exponent; the result has the type of the base">;
def Onnx_ModOp : Onnx_Binary<"Mod",
    "remainder; with fmod the sign of the dividend", (ins IntWithDefault<"0">:$fmod)>;
def Onnx_PReluOp : Onnx_Binary<"PRelu",
    "x where x >= 0, else slope * x">;
def Onnx_AndOp : Onnx_Binary<"And",
    "logical and">;
def Onnx_OrOp : Onnx_Binary<"Or",
    "logical or">;
def Onnx_XorOp : Onnx_Binary<"Xor",
    "logical exclusive or">;

def Onnx_BitwiseXorOp : Onnx_Binary<"BitwiseXor",
    "exclusive or of each bit of two integers">;

def Onnx_EqualOp : Onnx_Compare<"Equal",
    "lhs = rhs">;
def Onnx_LessOp : Onnx_Compare<"Less",
    "lhs < rhs">;
def Onnx_LessOrEqualOp : Onnx_Compare<"LessOrEqual",
    "lhs <= rhs">;
def Onnx_GreaterOp : Onnx_Compare<"Greater",
    "lhs > rhs">;
def Onnx_GreaterOrEqualOp : Onnx_Compare<"GreaterOrEqual",
    "lhs >= rhs">;

// Elementwise, any number of operands.
def Onnx_SumOp : Onnx_Nary<"Sum",
    "sum of all operands">;
def Onnx_MaxOp : Onnx_Nary<"Max",
    "largest of all operands">;
def Onnx_MinOp : Onnx_Nary<"Min",
    "smallest of all operands">;
def Onnx_MeanOp : Onnx_Nary<"Mean",
    "mean of all operands">;

def Onnx_IsNaNOp : Onnx_Op<"IsNaN", "inferBoolSameShape"> {
  let summary = "whether x is not a number";
  let arguments = (ins AnyTensor:$input);
  let results = (outs AnyTensor:$output);
}

def Onnx_ClipOp : Onnx_Op<"Clip", "inferSameAsFirst"> {
  let summary = "x limited to [min, max]";
  let arguments = (ins AnyTensor:$input, OptionalTensor:$min,
                       OptionalTensor:$max);
  let results = (outs AnyTensor:$output);
}

def Onnx_WhereOp : Onnx_Op<"Where", "inferWhere"> {
  let summary = "lhs where the condition holds, else rhs";
  let arguments = (ins AnyTensor:$condition, AnyTensor:$lhs, AnyTensor:$rhs);
  let results = (outs AnyTensor:$output);
}

def Onnx_CastOp : Onnx_Op<"Cast", "inferCast"> {
  let summary = "the same values in another element type";
  let arguments = (ins AnyTensor:$input, TypeAttr:$to,
                       IntWithDefault<"1">:$saturate,
                       StringWithDefault<"up">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Onnx_CumSumOp : Onnx_Op<"CumSum", "inferSameAsFirst", /*host=*/0b10> {
  let summary = "running sum along an axis";
  let arguments = (ins AnyTensor:$input, AnyTensor:$axis,
                       IntWithDefault<"0">:$exclusive,
                       IntWithDefault<"0">:$reverse);
  let results = (outs AnyTensor:$output);
}

def Onnx_MatMulOp : Onnx_Op<"MatMul", "inferMatMul"> {
  let summary = "matrix product with NumPy's rules for batches and vectors";
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs);
  let results = (outs AnyTensor:$output);
}

def Onnx_GemmOp : Onnx_Op<"Gemm", "inferGemm"> {
  let summary = "alpha * A' * B' + beta * C";
  let arguments = (ins AnyTensor:$a, AnyTensor:$b, OptionalTensor:$c,
                       FloatWithDefault<"1.0f">:$alpha,
                       FloatWithDefault<"1.0f">:$beta,
                       IntWithDefault<"0">:$transA,
                       IntWithDefault<"0">:$transB);
  let results = (outs AnyTensor:$output);
}

#endif // LOWTIDE_DIALECT_ONNX_ONNXMATH_TD
