//===- TrainingForms.cpp - Ops as they are in training --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The replacements, each from the op of the file to ops that a step can repeat:
//   BatchNormalization   train.batch_norm, and an update of each running
//                        statistic (never repeated)
//   LayerNormalization   train.layer_norm, which returns what backward reads
//   Dropout              train.dropout keyed by (seed, step, op id); a view
//                        where nothing is dropped
//   losses               train.softmax_cross_entropy
//
// Tested by test/Transforms/build-step.mlir.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Train/IR/Train.h"
#include "lowtide/Interfaces/OpInterfaces.h"
#include "lowtide/Rules/Step.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lowtide {

using TrainingForm = FailureOr<SmallVector<Value>>;

namespace {

/// An op that is already its own training form.
SmallVector<Value> unchangedOp() { return {}; }

double asDouble(FloatAttr attr) { return attr.getValueAsDouble(); }

/// The value of a constant scalar, or nothing.
std::optional<double> constantScalar(Value value) {
  DenseElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) || attr.getNumElements() != 1)
    return std::nullopt;
  if (isa<FloatType>(attr.getElementType()))
    return (*attr.getValues<APFloat>().begin()).convertToDouble();
  if (attr.getElementType().isInteger(1))
    return *attr.getValues<bool>().begin();
  return (*attr.getValues<APInt>().begin()).getSExtValue();
}

struct BatchNormalizationForm
    : TrainingFormOpInterface::ExternalModel<BatchNormalizationForm,
                                             onnx::BatchNormalizationOp> {
  TrainingForm buildTrainingForm(Operation *operation, OpBuilder &b,
                                 StepContext &step) const {
    auto op = cast<onnx::BatchNormalizationOp>(operation);
    bool training = op.getTrainingMode() != 0;
    if (step.getTrainingMode() != TrainingMode::Keep)
      training = step.getTrainingMode() == TrainingMode::Train;
    Location loc = op.getLoc();
    if (!training) {
      op.setTrainingMode(0);
      // Not trained either: they are what training left behind.
      step.updateStatistic(op.getInputMean(), nullptr);
      step.updateStatistic(op.getInputVar(), nullptr);
      return unchangedOp();
    }
    auto epsilon = b.getF64FloatAttr(asDouble(op.getEpsilonAttr()));
    auto momentum = b.getF64FloatAttr(asDouble(op.getMomentumAttr()));
    Type statistic = op.getScale().getType();
    auto norm = b.create<train::BatchNormOp>(
        loc, TypeRange{op.getX().getType(), statistic, statistic}, op.getX(),
        op.getScale(), op.getBias(), epsilon);
    Value mean = b.create<train::RunningUpdateOp>(
        loc, op.getInputMean().getType(), op.getInputMean(), norm.getMean(),
        momentum);
    Value variance = b.create<train::RunningVarianceUpdateOp>(
        loc, op.getInputVar().getType(), op.getInputVar(), norm.getInvStd(),
        momentum, epsilon);
    step.updateStatistic(op.getInputMean(), mean);
    step.updateStatistic(op.getInputVar(), variance);
    SmallVector<Value> results = {norm.getY(), nullptr, nullptr};
    if (!op.getRunningMean().use_empty())
      results[1] = mean;
    if (!op.getRunningVar().use_empty())
      results[2] = variance;
    return results;
  }
};

/// `value` broadcast to `type`: itself where it has that shape, null where it
/// doesn't broadcast.
Value expandTo(OpBuilder &b, Location loc, Value value, RankedTensorType type) {
  auto given = dyn_cast<RankedTensorType>(value.getType());
  if (!given || given == type)
    return given ? value : Value();
  auto shape = broadcastShapes(given.getShape(), type.getShape());
  if (!shape || ArrayRef(*shape) != type.getShape())
    return nullptr;
  auto shapeType = RankedTensorType::get({type.getRank()}, b.getI64Type());
  Value target = b.create<onnx::ConstantOp>(
      loc, shapeType, DenseElementsAttr::get(shapeType, type.getShape()));
  return b.create<onnx::ExpandOp>(loc, type, value, target);
}

struct LayerNormalizationForm
    : TrainingFormOpInterface::ExternalModel<LayerNormalizationForm,
                                             onnx::LayerNormalizationOp> {
  TrainingForm buildTrainingForm(Operation *operation, OpBuilder &b,
                                 StepContext &) const {
    auto op = cast<onnx::LayerNormalizationOp>(operation);
    auto x = cast<RankedTensorType>(op.getX().getType());
    auto axis = normalizeAxis(op.getAxis(), x.getRank());
    if (!axis)
      return op.emitOpError("axis is out of range");
    if (x.getElementType().isF16() || x.getElementType().isBF16())
      return unchangedOp();
    SmallVector<int64_t> shape(x.getShape());
    std::fill(shape.begin() + *axis, shape.end(), 1);
    auto statistic = RankedTensorType::get(shape, x.getElementType());
    auto affine = RankedTensorType::get(x.getShape().drop_front(*axis),
                                        x.getElementType());
    Value scale = expandTo(b, op.getLoc(), op.getScale(), affine);
    Value bias = op.getBias();
    if (!isa<NoneType>(bias.getType()))
      bias = expandTo(b, op.getLoc(), bias, affine);
    if (!scale || !bias)
      return op.emitOpError("scale and bias must broadcast to the normalised "
                            "dimensions");
    auto norm = b.create<train::LayerNormOp>(
        op.getLoc(), TypeRange{x, statistic, statistic}, op.getX(), scale, bias,
        b.getI64IntegerAttr(*axis),
        b.getF64FloatAttr(asDouble(op.getEpsilonAttr())));
    return SmallVector<Value>(norm.getResults());
  }
};

struct DropoutForm
    : TrainingFormOpInterface::ExternalModel<DropoutForm, onnx::DropoutOp> {
  TrainingForm buildTrainingForm(Operation *operation, OpBuilder &b,
                                 StepContext &step) const {
    auto op = cast<onnx::DropoutOp>(operation);
    auto has = [](Value v) { return !isa<NoneType>(v.getType()); };
    std::optional<double> ratio = 0.5, training = 0;
    if (has(op.getRatio()))
      ratio = constantScalar(op.getRatio());
    if (has(op.getTrainingMode()))
      training = constantScalar(op.getTrainingMode());
    if (step.getTrainingMode() != TrainingMode::Keep)
      training = step.getTrainingMode() == TrainingMode::Train;
    if (!ratio || !training)
      return op.emitOpError("ratio and training_mode must be constant, so that "
                            "the step knows whether anything is dropped");
    if (*ratio < 0 || *ratio >= 1)
      return op.emitOpError("ratio must be at least 0 and less than 1, not ")
             << *ratio;
    if (!op.getMask().use_empty())
      return op.emitOpError("the mask is read, which a step can't give");
    Type type = op.getData().getType();
    if (*training == 0 || *ratio == 0)
      return SmallVector<Value>{
          b.create<onnx::IdentityOp>(op.getLoc(), type, op.getData()), nullptr};
    Value y = b.create<train::DropoutOp>(
        op.getLoc(), type, op.getData(), step.getSeed(), step.getStep(),
        b.getF64FloatAttr(*ratio), b.getI64IntegerAttr(step.getUniqueOpId()));
    return SmallVector<Value>{y, nullptr};
  }
};

struct CrossEntropyLossForm
    : TrainingFormOpInterface::ExternalModel<CrossEntropyLossForm,
                                             onnx::SoftmaxCrossEntropyLossOp> {
  TrainingForm buildTrainingForm(Operation *operation, OpBuilder &b,
                                 StepContext &) const {
    auto op = cast<onnx::SoftmaxCrossEntropyLossOp>(operation);
    if (!op.getLogProb().use_empty())
      return unchangedOp();
    Value loss = b.create<train::SoftmaxCrossEntropyOp>(
        op.getLoc(), op.getOutput().getType(), op.getScores(), op.getLabels(),
        op.getWeights(), b.getI64IntegerAttr(1), op.getIgnoreIndexAttr(),
        op.getReductionAttr());
    return SmallVector<Value>{loss, nullptr};
  }
};

} // namespace

void registerTrainingForms(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, onnx::OnnxDialect *) {
    context->loadDialect<train::TrainDialect>();
    onnx::BatchNormalizationOp::attachInterface<BatchNormalizationForm>(
        *context);
    onnx::LayerNormalizationOp::attachInterface<LayerNormalizationForm>(
        *context);
    onnx::DropoutOp::attachInterface<DropoutForm>(*context);
    onnx::SoftmaxCrossEntropyLossOp::attachInterface<CrossEntropyLossForm>(
        *context);
  });
}

} // namespace lowtide
