//===- TrainOps.td - The train dialect ---------------------*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Fused ops of a training step: what a backward pass, a loss or an optimizer
// needs and ONNX doesn't have. Every op has a body in standard ONNX ops, which
// export writes as a model-local function of domain `ai.lowtide`.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_TRAIN_TRAINOPS_TD
#define LOWTIDE_DIALECT_TRAIN_TRAINOPS_TD

include "lowtide/Interfaces/TensorOp.td"

def Train_Dialect : Dialect {
  let name = "train";
  let cppNamespace = "::lowtide::train";
  let summary = "fused ops of a training step";
  let description = [{
    Gradients, losses, random draws, statistics and updates. Function arguments
    carry `train.role`; ops carry `train.phase` (forward, backward, update).
  }];
  let dependentDialects = ["::lowtide::onnx::OnnxDialect"];
}

class Train_Op<string mnemonic, string inferFn, int hostOperands = 0,
               int optionalResults = 0, int remat = 1>
    : TensorOp<Train_Dialect, mnemonic, inferFn, hostOperands, -1,
               optionalResults, remat,
               [DeclareOpInterfaceMethods<BodyOpInterface>]>;

// The adjoint of an elementwise function's operand, from the adjoint of its
// result and the operand or, where that is enough, the result.
class Train_UnaryGrad<string mnemonic, string what, dag attrs = (ins)>
    : Train_Op<mnemonic, "inferSameAsFirst"> {
  let summary = what;
  let arguments = !con((ins AnyTensor:$dy, AnyTensor:$saved), attrs);
  let results = (outs AnyTensor:$dx);
}

def Train_ReluGradOp : Train_UnaryGrad<"relu_grad",
    "dy where the result is positive, else 0">;
def Train_LeakyReluGradOp : Train_UnaryGrad<"leaky_relu_grad",
    "dy where the operand is not negative, else alpha * dy", (ins F32Attr:$alpha)>;
def Train_SigmoidGradOp : Train_UnaryGrad<"sigmoid_grad",
    "dy * y * (1 - y)">;
def Train_TanhGradOp : Train_UnaryGrad<"tanh_grad",
    "dy * (1 - y * y)">;
def Train_SoftplusGradOp : Train_UnaryGrad<"softplus_grad",
    "dy * sigmoid(x)">;
def Train_ErfGradOp : Train_UnaryGrad<"erf_grad",
    "dy * 2 / sqrt(pi) * e^(-x * x)">;
def Train_GeluGradOp : Train_UnaryGrad<"gelu_grad",
    "dy times the derivative of gelu at x", (ins StrAttr:$approximate)>;
def Train_SqrtGradOp : Train_UnaryGrad<"sqrt_grad",
    "dy / (2 * y)">;
def Train_EluGradOp : Train_UnaryGrad<"elu_grad",
    "dy where x > 0, else dy * alpha * e^x", (ins F32Attr:$alpha)>;
def Train_HardSigmoidGradOp : Train_UnaryGrad<"hard_sigmoid_grad",
    "dy * alpha where the operand is inside the ramp", (ins F32Attr:$alpha, F32Attr:$beta)>;
def Train_HardSwishGradOp : Train_UnaryGrad<"hard_swish_grad",
    "dy times the derivative of hard-swish at x">;

def Train_ClipGradOp : Train_Op<"clip_grad", "inferSameAsFirst"> {
  let summary = "dy where the operand lies in [min, max], else 0";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$x, OptionalTensor:$min,
                       OptionalTensor:$max);
  let results = (outs AnyTensor:$dx);
}

def Train_PowGradOp : Train_Op<"pow_grad", "inferSameAsFirst"> {
  let summary = "dy * exponent * x^(exponent - 1)";
  let description = [{
    The exponent has the type of dy or is a scalar. A zero exponent gives zero.
  }];
  let arguments = (ins AnyTensor:$dy, AnyTensor:$x, AnyTensor:$exponent);
  let results = (outs AnyTensor:$dx);
}

def Train_MaxGradOp : Train_Op<"max_grad", "inferSameAsFirst"> {
  let summary = "one operand's share of dy: split evenly over the operands that attain y";
  let description = [{
    Every operand has the type of dy (broadcast before).
  }];
  let arguments = (ins AnyTensor:$dy, AnyTensor:$y, Variadic<AnyTensor>:$inputs,
                       I64Attr:$index);
  let results = (outs AnyTensor:$dx);
}

def Train_SoftmaxGradOp : Train_Op<"softmax_grad", "inferSameAsFirst"> {
  let summary = "y * (dy - sum(dy * y)) along the axis";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$y, I64Attr:$axis);
  let results = (outs AnyTensor:$dx);
}

def Train_LogSoftmaxGradOp : Train_Op<"log_softmax_grad", "inferSameAsFirst"> {
  let summary = "dy - e^y * sum(dy) along the axis";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$y, I64Attr:$axis);
  let results = (outs AnyTensor:$dx);
}

// Losses.

def Train_SoftmaxCrossEntropyOp : Train_Op<"softmax_cross_entropy", "inferSoftmaxCrossEntropy"> {
  let summary = "cross-entropy of logits against class labels";
  let description = [{
    Labels have the shape of the logits without `axis`. reduction: none, sum,
    or mean, which divides by the sum of the label weights.
  }];
  let arguments = (ins AnyTensor:$logits, AnyTensor:$target,
                       OptionalTensor:$weights, I64Attr:$axis,
                       OptionalAttr<I64Attr>:$ignore_index, StrAttr:$reduction);
  let results = (outs AnyTensor:$loss);
}

def Train_SoftmaxCrossEntropyGradOp : Train_Op<"softmax_cross_entropy_grad", "inferSameAsSecond"> {
  let summary = "adjoint of the logits, with the softmax computed again";
  let arguments = (ins AnyTensor:$dloss, AnyTensor:$logits, AnyTensor:$target,
                       OptionalTensor:$weights, I64Attr:$axis,
                       OptionalAttr<I64Attr>:$ignore_index, StrAttr:$reduction);
  let results = (outs AnyTensor:$dlogits);
}

def Train_NllLossGradOp : Train_Op<"nll_loss_grad", "inferFromDataShape"> {
  let summary = "adjoint of the input of a negative log likelihood loss";
  let arguments = (ins AnyTensor:$dloss, AnyTensor:$target,
                       OptionalTensor:$weights, DenseI64ArrayAttr:$data_shape,
                       OptionalAttr<I64Attr>:$ignore_index, StrAttr:$reduction);
  let results = (outs AnyTensor:$dinput);
}

def Train_MseOp : Train_Op<"mse", "inferScalarOfFirst"> {
  let summary = "mean of the squared difference";
  let arguments = (ins AnyTensor:$x, AnyTensor:$target);
  let results = (outs AnyTensor:$loss);
}

def Train_MseGradOp : Train_Op<"mse_grad", "inferSameAsSecond"> {
  let summary = "dloss * 2 * (x - target) / count";
  let arguments = (ins AnyTensor:$dloss, AnyTensor:$x, AnyTensor:$target);
  let results = (outs AnyTensor:$dx);
}

// Normalisation.

def Train_BatchNormOp : Train_Op<"batch_norm", "inferBatchNorm"> {
  let summary = "normalisation of each channel with the statistics of the batch";
  let description = [{
    Channels are axis 1. The variance is the biased one. Running statistics are
    updated by ops of their own, so this one may run twice.
  }];
  let arguments = (ins AnyTensor:$x, AnyTensor:$scale, AnyTensor:$bias,
                       F64Attr:$epsilon);
  let results = (outs AnyTensor:$y, AnyTensor:$mean, AnyTensor:$inv_std);
}

def Train_BatchNormGradOp : Train_Op<"batch_norm_grad", "inferBatchNormGrad"> {
  let summary = "adjoints of a batch normalisation";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$x, AnyTensor:$scale,
                       AnyTensor:$mean, AnyTensor:$inv_std);
  let results = (outs AnyTensor:$dx, AnyTensor:$dscale, AnyTensor:$dbias);
}

def Train_RunningUpdateOp : Train_Op<"running_update", "inferSameAsFirst", 0, 0, 0> {
  let summary = "running * momentum + batch * (1 - momentum)";
  let arguments = (ins AnyTensor:$running, AnyTensor:$batch, F64Attr:$momentum);
  let results = (outs AnyTensor:$updated);
}

def Train_RunningVarianceUpdateOp : Train_Op<"running_variance_update", "inferSameAsFirst", 0, 0, 0> {
  let summary = "the same with the batch variance 1 / inv_std^2 - epsilon";
  let arguments = (ins AnyTensor:$running, AnyTensor:$inv_std,
                       F64Attr:$momentum, F64Attr:$epsilon);
  let results = (outs AnyTensor:$updated);
}

def Train_LayerNormOp : Train_Op<"layer_norm", "inferLayerNorm"> {
  let summary = "normalisation over the axes from `axis` on";
  let arguments = (ins AnyTensor:$x, AnyTensor:$scale, OptionalTensor:$bias,
                       I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs AnyTensor:$y, AnyTensor:$mean, AnyTensor:$inv_std);
}

def Train_LayerNormGradOp : Train_Op<"layer_norm_grad", "inferLayerNormGrad"> {
  let summary = "adjoints of a layer normalisation";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$x, AnyTensor:$scale,
                       AnyTensor:$mean, AnyTensor:$inv_std, I64Attr:$axis);
  let results = (outs AnyTensor:$dx, AnyTensor:$dscale, AnyTensor:$dbias);
}

def Train_LrnGradOp : Train_Op<"lrn_grad", "inferSameAsFirst"> {
  let summary = "adjoint of a local response normalisation";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$x, I64Attr:$size,
                       F64Attr:$alpha, F64Attr:$beta, F64Attr:$bias);
  let results = (outs AnyTensor:$dx);
}

// Convolution and pooling. Pads are explicit: begins, then ends.

def Train_ConvInputGradOp : Train_Op<"conv_input_grad", "inferFromInputShape"> {
  let summary = "adjoint of the data of a convolution";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$w,
                       DenseI64ArrayAttr:$input_shape,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pads, I64Attr:$group);
  let results = (outs AnyTensor:$dx);
}

def Train_ConvWeightGradOp : Train_Op<"conv_weight_grad", "inferFromWeightShape"> {
  let summary = "adjoint of the weights of a convolution";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$x,
                       DenseI64ArrayAttr:$weight_shape,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pads, I64Attr:$group);
  let results = (outs AnyTensor:$dw);
}

def Train_MaxPoolGradOp : Train_Op<"max_pool_grad", "inferSameAsSecond"> {
  let summary = "dy at the first maximum of each window, found again in x";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$x,
                       DenseI64ArrayAttr:$kernel_shape,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pads, I64Attr:$ceil_mode);
  let results = (outs AnyTensor:$dx);
}

def Train_AveragePoolGradOp : Train_Op<"average_pool_grad", "inferFromInputShape"> {
  let summary = "dy spread over each window";
  let arguments = (ins AnyTensor:$dy, DenseI64ArrayAttr:$input_shape,
                       DenseI64ArrayAttr:$kernel_shape,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pads, I64Attr:$ceil_mode,
                       I64Attr:$count_include_pad);
  let results = (outs AnyTensor:$dx);
}

// Data movement.

def Train_GatherGradOp : Train_Op<"gather_grad", "inferFromDataShape"> {
  let summary = "dy added up at the gathered slices";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$indices,
                       DenseI64ArrayAttr:$data_shape, I64Attr:$axis);
  let results = (outs AnyTensor:$ddata);
}

def Train_GatherElementsGradOp : Train_Op<"gather_elements_grad", "inferFromDataShape"> {
  let summary = "dy added up at the gathered elements";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$indices,
                       DenseI64ArrayAttr:$data_shape, I64Attr:$axis);
  let results = (outs AnyTensor:$ddata);
}

def Train_GatherNDGradOp : Train_Op<"gather_nd_grad", "inferFromDataShape"> {
  let summary = "dy added up at the gathered slices";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$indices,
                       DenseI64ArrayAttr:$data_shape, I64Attr:$batch_dims);
  let results = (outs AnyTensor:$ddata);
}

def Train_SliceGradOp : Train_Op<"slice_grad", "inferFromDataShape", 0b11110, 0, 1> {
  let summary = "dy in its box, zero elsewhere";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$starts, AnyTensor:$ends,
                       OptionalTensor:$axes, OptionalTensor:$steps,
                       DenseI64ArrayAttr:$data_shape);
  let results = (outs AnyTensor:$ddata);
}

def Train_PadGradOp : Train_Op<"pad_grad", "inferFromDataShape", 0b110, 0, 1> {
  let summary = "dy without its borders; reflected and repeated parts are added";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$pads, OptionalTensor:$axes,
                       DenseI64ArrayAttr:$data_shape, StrAttr:$mode);
  let results = (outs AnyTensor:$ddata);
}

// Random draws, keyed by (seed, step, op_id): a second run draws the same.

def Train_DropoutOp : Train_Op<"dropout", "inferSameAsFirst"> {
  let summary = "zero with probability ratio, else x / (1 - ratio)";
  let arguments = (ins AnyTensor:$x, AnyTensor:$seed, AnyTensor:$step,
                       F64Attr:$ratio, I64Attr:$op_id);
  let results = (outs AnyTensor:$y);
}

def Train_DropoutGradOp : Train_Op<"dropout_grad", "inferSameAsFirst"> {
  let summary = "dy under the mask that dropout drew";
  let arguments = (ins AnyTensor:$dy, AnyTensor:$seed, AnyTensor:$step,
                       F64Attr:$ratio, I64Attr:$op_id);
  let results = (outs AnyTensor:$dx);
}

// Optimizers. Each new value takes the place of the old one.

def Train_SgdUpdateOp : Train_Op<"sgd_update", "inferSameAsFirst", 0, 0, 0> {
  let summary = "w - lr * (g + weight_decay * w)";
  let arguments = (ins AnyTensor:$param, AnyTensor:$grad, F64Attr:$lr,
                       F64Attr:$weight_decay);
  let results = (outs AnyTensor:$new_param);
}

def Train_SgdMomentumUpdateOp : Train_Op<"sgd_momentum_update", "inferSgdMomentumUpdate", 0, 0, 0> {
  let summary = "stochastic gradient descent with momentum";
  let arguments = (ins AnyTensor:$param, AnyTensor:$grad, AnyTensor:$buffer,
                       F64Attr:$lr, F64Attr:$momentum, F64Attr:$weight_decay);
  let results = (outs AnyTensor:$new_param, AnyTensor:$new_buffer);
}

def Train_AdamWUpdateOp : Train_Op<"adamw_update", "inferAdamWUpdate", 0, 0, 0> {
  let summary = "Adam with decoupled weight decay";
  let arguments = (ins AnyTensor:$param, AnyTensor:$grad, AnyTensor:$exp_avg,
                       AnyTensor:$exp_avg_sq, AnyTensor:$step, F64Attr:$lr,
                       F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon,
                       F64Attr:$weight_decay);
  let results = (outs AnyTensor:$new_param, AnyTensor:$new_exp_avg,
                      AnyTensor:$new_exp_avg_sq);
}

#endif // LOWTIDE_DIALECT_TRAIN_TRAINOPS_TD
