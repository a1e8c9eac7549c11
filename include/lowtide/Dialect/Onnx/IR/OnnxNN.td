//===- OnnxNN.td - Layers of neural networks ---------------*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_ONNX_ONNXNN_TD
#define LOWTIDE_DIALECT_ONNX_ONNXNN_TD

include "lowtide/Dialect/Onnx/IR/OnnxBase.td"

def Onnx_ConvOp : Onnx_Op<"Conv", "inferConv"> {
  let summary = "convolution of N x C x spatial data";
  let arguments = (ins AnyTensor:$x, AnyTensor:$w, OptionalTensor:$b,
                       StringWithDefault<"NOTSET">:$auto_pad,
                       OptionalInts:$dilations, IntWithDefault<"1">:$group,
                       OptionalInts:$kernel_shape, OptionalInts:$pads,
                       OptionalInts:$strides);
  let results = (outs AnyTensor:$y);
}

def Onnx_ConvTransposeOp : Onnx_Op<"ConvTranspose", "inferConvTranspose"> {
  let summary = "the adjoint of a convolution";
  let arguments = (ins AnyTensor:$x, AnyTensor:$w, OptionalTensor:$b,
                       StringWithDefault<"NOTSET">:$auto_pad,
                       OptionalInts:$dilations, IntWithDefault<"1">:$group,
                       OptionalInts:$kernel_shape,
                       OptionalInts:$output_padding, OptionalInts:$output_shape,
                       OptionalInts:$pads, OptionalInts:$strides);
  let results = (outs AnyTensor:$y);
}

def Onnx_MaxPoolOp
    : Onnx_Op<"MaxPool", "inferMaxPool", 0, -1, /*optionalResults=*/0b10> {
  let summary = "largest value of each window";
  let arguments = (ins AnyTensor:$x, StringWithDefault<"NOTSET">:$auto_pad,
                       IntWithDefault<"0">:$ceil_mode, OptionalInts:$dilations,
                       DenseI64ArrayAttr:$kernel_shape, OptionalInts:$pads,
                       IntWithDefault<"0">:$storage_order,
                       OptionalInts:$strides);
  let results = (outs AnyTensor:$y, OptionalTensor:$indices);
}

def Onnx_AveragePoolOp : Onnx_Op<"AveragePool", "inferAveragePool"> {
  let summary = "mean of each window";
  let arguments = (ins AnyTensor:$x, StringWithDefault<"NOTSET">:$auto_pad,
                       IntWithDefault<"0">:$ceil_mode,
                       IntWithDefault<"0">:$count_include_pad,
                       OptionalInts:$dilations, DenseI64ArrayAttr:$kernel_shape,
                       OptionalInts:$pads, OptionalInts:$strides);
  let results = (outs AnyTensor:$y);
}

class Onnx_GlobalPool<string mnemonic, string what>
    : Onnx_Op<mnemonic, "inferGlobalPool"> {
  let summary = what;
  let arguments = (ins AnyTensor:$x);
  let results = (outs AnyTensor:$y);
}
def Onnx_GlobalAveragePoolOp : Onnx_GlobalPool<"GlobalAveragePool",
    "mean over all spatial positions">;
def Onnx_GlobalMaxPoolOp : Onnx_GlobalPool<"GlobalMaxPool",
    "largest value over all spatial positions">;

def Onnx_LRNOp : Onnx_Op<"LRN", "inferSameAsFirst"> {
  let summary = "normalisation over neighbouring channels";
  let arguments = (ins AnyTensor:$x, FloatWithDefault<"1.0e-4f">:$alpha,
                       FloatWithDefault<"0.75f">:$beta,
                       FloatWithDefault<"1.0f">:$bias, I64Attr:$size);
  let results = (outs AnyTensor:$y);
}

def Onnx_BatchNormalizationOp
    : Onnx_Op<"BatchNormalization", "inferBatchNormalization", 0, -1,
              /*optionalResults=*/0b110> {
  let summary = "normalisation of each channel over the batch";
  let arguments = (ins AnyTensor:$x, AnyTensor:$scale, AnyTensor:$bias,
                       AnyTensor:$input_mean, AnyTensor:$input_var,
                       FloatWithDefault<"1.0e-5f">:$epsilon,
                       FloatWithDefault<"0.9f">:$momentum,
                       IntWithDefault<"0">:$training_mode);
  let results = (outs AnyTensor:$y, OptionalTensor:$running_mean,
                      OptionalTensor:$running_var);
}

def Onnx_LayerNormalizationOp
    : Onnx_Op<"LayerNormalization", "inferLayerNormalization", 0, -1,
              /*optionalResults=*/0b110> {
  let summary = "normalisation over the axes from `axis` on";
  let arguments = (ins AnyTensor:$x, AnyTensor:$scale, OptionalTensor:$bias,
                       IntWithDefault<"-1">:$axis,
                       FloatWithDefault<"1.0e-5f">:$epsilon,
                       IntWithDefault<"1">:$stash_type);
  let results = (outs AnyTensor:$y, OptionalTensor:$mean,
                      OptionalTensor:$inv_std_dev);
}

def Onnx_InstanceNormalizationOp
    : Onnx_Op<"InstanceNormalization", "inferSameAsFirst"> {
  let summary = "normalisation of each channel of each sample";
  let arguments = (ins AnyTensor:$input, AnyTensor:$scale, AnyTensor:$bias,
                       FloatWithDefault<"1.0e-5f">:$epsilon);
  let results = (outs AnyTensor:$output);
}

def Onnx_DropoutOp : Onnx_Op<"Dropout", "inferDropout", /*host=*/0b110, -1,
                             /*optionalResults=*/0b10, /*remat=*/0> {
  let summary = "zeroes at random in training, identity otherwise";
  let description = [{
    In training this op draws from a stream that nobody can name, so it is not
    rematerialisable; BuildBackward turns it into `train.dropout`, which is.
  }];
  let arguments = (ins AnyTensor:$data, OptionalTensor:$ratio,
                       OptionalTensor:$training_mode, OptionalInt:$seed);
  let results = (outs AnyTensor:$output, OptionalTensor:$mask);
}

class Onnx_SoftmaxLike<string mnemonic, string what>
    : Onnx_Op<mnemonic, "inferSameAsFirst"> {
  let summary = what;
  let arguments = (ins AnyTensor:$input, IntWithDefault<"-1">:$axis);
  let results = (outs AnyTensor:$output);
}
def Onnx_SoftmaxOp : Onnx_SoftmaxLike<"Softmax",
    "exponentials divided by their sum along an axis">;
def Onnx_LogSoftmaxOp : Onnx_SoftmaxLike<"LogSoftmax",
    "logarithm of the softmax">;

def Onnx_SoftmaxCrossEntropyLossOp
    : Onnx_Op<"SoftmaxCrossEntropyLoss", "inferSoftmaxCrossEntropyLoss", 0, -1,
              /*optionalResults=*/0b10> {
  let summary = "cross-entropy of scores against class labels, axis 1";
  let arguments = (ins AnyTensor:$scores, AnyTensor:$labels,
                       OptionalTensor:$weights, OptionalInt:$ignore_index,
                       StringWithDefault<"mean">:$reduction);
  let results = (outs AnyTensor:$output, OptionalTensor:$log_prob);
}

def Onnx_NegativeLogLikelihoodLossOp
    : Onnx_Op<"NegativeLogLikelihoodLoss", "inferNegativeLogLikelihoodLoss"> {
  let summary = "minus the input at the label, axis 1";
  let arguments = (ins AnyTensor:$input, AnyTensor:$target,
                       OptionalTensor:$weight, OptionalInt:$ignore_index,
                       StringWithDefault<"mean">:$reduction);
  let results = (outs AnyTensor:$loss);
}

#endif // LOWTIDE_DIALECT_ONNX_ONNXNN_TD
