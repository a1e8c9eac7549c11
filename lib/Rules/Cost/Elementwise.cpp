//===- Elementwise.cpp - Operations of all other ops ----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Operations for each element, in additions: a division or root counts 4, an
// exponential and its relatives 20, a power 40, a random draw 30. These only
// matter where they outweigh the bytes that move.
//
// Tested by test/Rules/cost.mlir.
//
//===----------------------------------------------------------------------===//

#include "CostRule.h"

using namespace mlir;
using namespace lowtide;
using namespace lowtide::onnx;

/// Functions of each element.
static void attachFunctionCosts(MLIRContext *c) {
  attachElementwise<1, NegOp, AbsOp, SignOp, FloorOp, CeilOp, RoundOp, NotOp,
                    IsNaNOp, ReluOp, LeakyReluOp, CastOp, AddOp, SubOp, MulOp,
                    AndOp, OrOp, XorOp, BitwiseXorOp, EqualOp, LessOp,
                    LessOrEqualOp, GreaterOp, GreaterOrEqualOp, WhereOp,
                    PReluOp, CumSumOp, TriluOp>(c);
  attachElementwise<2, ClipOp, SumOp, MaxOp, MinOp, HardSigmoidOp, HardSwishOp>(
      c);
  attachElementwise<4, DivOp, ReciprocalOp, SqrtOp, ModOp, SoftsignOp, MeanOp>(
      c);
  attachElementwise<20, ExpOp, LogOp, SinOp, CosOp, SigmoidOp, TanhOp, EluOp,
                    ErfOp>(c);
  attachElementwise<25, GeluOp>(c);
  attachElementwise<40, PowOp, SoftplusOp, MishOp>(c);
}

/// Reductions, softmax, normalisations and losses.
static void attachReductionCosts(MLIRContext *c) {
  attachElementwise<1, ReduceSumOp, ReduceMeanOp, ReduceMaxOp, ReduceMinOp,
                    ReduceProdOp, ArgMaxOp, GlobalAveragePoolOp,
                    GlobalMaxPoolOp>(c);
  attachElementwise<2, ReduceL2Op, ReduceSumSquareOp>(c);
  attachElementwise<25, SoftmaxOp, LogSoftmaxOp, SoftmaxCrossEntropyLossOp,
                    train::SoftmaxCrossEntropyOp>(c);
  attachElementwise<2, BatchNormalizationOp>(c);
  attachElementwise<8, LayerNormalizationOp, InstanceNormalizationOp,
                    train::BatchNormOp, train::LayerNormOp>(c);
  attachElementwise<3, train::MseOp>(c);
}

/// Adjoints, random draws and updates.
static void attachTrainingCosts(MLIRContext *c) {
  using namespace train;
  attachElementwise<1, ReluGradOp, LeakyReluGradOp>(c);
  attachElementwise<2, ClipGradOp, HardSigmoidGradOp, GatherGradOp,
                    GatherElementsGradOp, GatherNDGradOp, NllLossGradOp>(c);
  attachElementwise<3, SigmoidGradOp, TanhGradOp, HardSwishGradOp, MseGradOp,
                    RunningUpdateOp>(c);
  attachElementwise<4, SoftmaxGradOp, MaxGradOp, SgdUpdateOp>(c);
  attachElementwise<5, SqrtGradOp, SgdMomentumUpdateOp>(c);
  attachElementwise<8, RunningVarianceUpdateOp>(c);
  attachElementwise<12, BatchNormGradOp, LayerNormGradOp>(c);
  attachElementwise<20, AdamWUpdateOp>(c);
  attachElementwise<22, SoftplusGradOp, ErfGradOp, EluGradOp, LogSoftmaxGradOp>(
      c);
  attachElementwise<25, SoftmaxCrossEntropyGradOp>(c);
  attachElementwise<30, train::DropoutOp, train::DropoutGradOp>(c);
  attachElementwise<45, GeluGradOp, PowGradOp>(c);
}

void lowtide::attachElementwiseCosts(MLIRContext *c) {
  attachFunctionCosts(c);
  attachReductionCosts(c);
  attachTrainingCosts(c);
}
