//===- StepFlags.cpp - The flags that make a training step ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "StepFlags.h"

#include "lowtide/Frontend/PromoteConstants.h"
#include "lowtide/Transforms/Shapes.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

#include <limits>

using namespace lowtide;
using namespace lowtide::cli;
using llvm::StringRef;

const char *const cli::stepSynopsis =
    "[--loss cross-entropy|mse|output:NAME] [--output NAME] [--class-axis A] "
    "[--optimizer none|sgd|adamw] [--lr X] [--momentum X] [--weight-decay X] "
    "[--betas B1,B2] [--eps X] [--wrt PATTERN]... "
    "[--training-mode keep|train|eval] [--dim NAME=VALUE]... "
    "[--precision float32|float64]";

static const StringRef singleFlags[] = {
    "--loss", "--output",    "--class-axis",   "--optimizer",
    "--lr",   "--momentum",  "--weight-decay", "--betas",
    "--eps",  "--precision", "--training-mode"};
static const StringRef repeatedFlags[] = {"--wrt", "--dim"};

void cli::declareStepFlags(Arguments::Declaration &declaration) {
  llvm::append_range(declaration.valueFlags, singleFlags);
  llvm::append_range(declaration.repeatedFlags, repeatedFlags);
}

bool cli::readDimensions(const Arguments &arguments,
                         std::map<std::string, int64_t> &sizeByName) {
  for (StringRef text : arguments.values("--dim")) {
    auto [name, value] = text.rsplit('=');
    int64_t size;
    constexpr int64_t most = int64_t(1) << 40;
    if (name.empty() || !text.contains('=') || value.getAsInteger(10, size) ||
        size < 1 || size > most) {
      arguments.usage("'--dim' is '" + text +
                      "' but should be NAME=VALUE with an integer from 1");
      return false;
    }
    auto [known, isNew] = sizeByName.emplace(name.str(), size);
    if (!isNew && known->second != size) {
      arguments.usage("'--dim' gives '" + name + "' both " +
                      std::to_string(known->second) + " and " + value);
      return false;
    }
  }
  return true;
}

static bool readLoss(const Arguments &arguments, StepFlags &flags) {
  if (auto name = arguments.value("--output"))
    flags.step.output = name->str();
  auto loss = arguments.value("--loss");
  if (!loss)
    return true;
  flags.hasLoss = true;
  StringRef name = *loss;
  if (name == "cross-entropy") {
    flags.step.loss = StepOptions::Loss::CrossEntropy;
    return true;
  }
  if (name == "mse") {
    flags.step.loss = StepOptions::Loss::MeanSquaredError;
    return true;
  }
  if (!name.consume_front("output:") || name.empty()) {
    arguments.usage("'--loss' is '" + *loss +
                    "' but should be cross-entropy, mse or output:NAME");
    return false;
  }
  if (!flags.step.output.empty() && flags.step.output != name) {
    arguments.usage("'--loss " + *loss + "' and '--output " +
                    flags.step.output + "' name different outputs");
    return false;
  }
  flags.step.loss = StepOptions::Loss::Output;
  flags.step.output = name.str();
  return true;
}

static bool readBetas(const Arguments &arguments, OptimizerSpec &optimizer) {
  auto text = arguments.value("--betas");
  if (!text)
    return true;
  auto [first, second] = text->split(',');
  double a, b;
  if (first.getAsDouble(a) || second.getAsDouble(b) || !(a >= 0 && a < 1) ||
      !(b >= 0 && b < 1)) {
    arguments.usage("'--betas' is '" + *text +
                    "' but should be two numbers from 0 to below 1, as in "
                    "0.9,0.999");
    return false;
  }
  optimizer.beta1 = a;
  optimizer.beta2 = b;
  return true;
}

/// Reads `flag` where one of the optimizers `by` uses it, and says so where
/// it doesn't.
static void checkUse(const Arguments &arguments, StepFlags &flags,
                     StringRef flag, llvm::ArrayRef<StringRef> by) {
  StringRef optimizer = arguments.value("--optimizer").value_or("none");
  if (arguments.has(flag) && !llvm::is_contained(by, optimizer))
    flags.warnings.push_back(("no effect: '" + flag + "' is for --optimizer " +
                              llvm::join(by, " or ") + ", and this is " +
                              optimizer)
                                 .str());
}

static bool readOptimizer(const Arguments &arguments, StepFlags &flags) {
  OptimizerSpec &optimizer = flags.step.optimizer;
  StringRef name = arguments.value("--optimizer").value_or("none");
  if (name == "none") {
    optimizer.kind = OptimizerSpec::Kind::None;
  } else if (name == "sgd") {
    optimizer.kind = OptimizerSpec::Kind::Sgd;
  } else if (name == "adamw") {
    optimizer.kind = OptimizerSpec::Kind::AdamW;
    optimizer.weightDecay = 1e-2;
  } else {
    arguments.usage("'--optimizer' is '" + name +
                    "' but should be none, sgd or adamw");
    return false;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!arguments.number("--lr", 0, infinity, false, optimizer.learningRate) ||
      !arguments.number("--momentum", 0, infinity, false, optimizer.momentum) ||
      !arguments.number("--weight-decay", 0, infinity, false,
                        optimizer.weightDecay) ||
      !arguments.number("--eps", 0, infinity, false, optimizer.epsilon) ||
      !readBetas(arguments, optimizer))
    return false;
  checkUse(arguments, flags, "--lr", {"sgd", "adamw"});
  checkUse(arguments, flags, "--weight-decay", {"sgd", "adamw"});
  checkUse(arguments, flags, "--momentum", {"sgd"});
  checkUse(arguments, flags, "--betas", {"adamw"});
  checkUse(arguments, flags, "--eps", {"adamw"});
  return true;
}

static bool readMode(const Arguments &arguments, StepFlags &flags) {
  StringRef mode = arguments.value("--training-mode").value_or("keep");
  if (mode == "keep") {
    flags.step.trainingMode = TrainingMode::Keep;
  } else if (mode == "train") {
    flags.step.trainingMode = TrainingMode::Train;
  } else if (mode == "eval") {
    flags.step.trainingMode = TrainingMode::Eval;
  } else {
    arguments.usage("'--training-mode' is '" + mode +
                    "' but should be keep, train or eval");
    return false;
  }
  StringRef precision = arguments.value("--precision").value_or("float32");
  if (precision != "float32" && precision != "float64") {
    arguments.usage("'--precision' is '" + precision +
                    "' but should be float32 or float64");
    return false;
  }
  flags.forward.float64 = precision == "float64";
  return true;
}

static bool readPatterns(const Arguments &arguments, StepFlags &flags) {
  for (StringRef text : arguments.values("--wrt")) {
    auto pattern = llvm::GlobPattern::create(text);
    if (!pattern) {
      arguments.usage("'--wrt' is '" + text +
                      "': " + llvm::toString(pattern.takeError()));
      return false;
    }
    flags.step.wrt.push_back(text.str());
  }
  return true;
}

bool cli::readStepFlags(const Arguments &arguments, StepFlags &flags) {
  if (!readLoss(arguments, flags) || !readOptimizer(arguments, flags) ||
      !readMode(arguments, flags) || !readPatterns(arguments, flags) ||
      !readDimensions(arguments, flags.forward.sizeByName) ||
      !arguments.integer("--class-axis", -64, 63, flags.step.classAxis))
    return false;
  if (arguments.has("--class-axis") && flags.hasLoss &&
      flags.step.loss != StepOptions::Loss::CrossEntropy)
    flags.warnings.push_back(
        "no effect: '--class-axis' is for --loss cross-entropy");
  for (StringRef flag : singleFlags)
    if (arguments.has(flag))
      flags.given.push_back(flag.str());
  for (StringRef flag : repeatedFlags)
    if (arguments.has(flag))
      flags.given.push_back(flag.str());
  return true;
}

/// The names of dimensions of the inputs that are not bound yet.
static std::vector<std::string> dimensionNames(mlir::func::FuncOp function) {
  std::vector<std::string> names;
  for (mlir::BlockArgument argument : function.getArguments()) {
    auto dims = function.getArgAttrOfType<mlir::ArrayAttr>(
        argument.getArgNumber(), "onnx.dims");
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType());
    if (!dims || !type)
      continue;
    for (auto [i, attr] : llvm::enumerate(dims)) {
      auto name = mlir::dyn_cast<mlir::StringAttr>(attr);
      if (name && !name.empty() && i < size_t(type.getRank()) &&
          type.isDynamicDim(i) && !llvm::is_contained(names, name.getValue()))
        names.push_back(name.str());
    }
  }
  return names;
}

int cli::bindForward(Session &session, const ForwardOptions &options) {
  std::vector<std::string> names = dimensionNames(getMain(session.model));
  for (const auto &[name, size] : options.sizeByName)
    if (!llvm::is_contained(names, name))
      return fail(UsageError, "'--dim " + name + "=" + std::to_string(size) +
                                  "': no input has a dimension of that name; "
                                  "there are: " +
                                  (names.empty() ? std::string("none")
                                                 : llvm::join(names, ", ")));
  return mlir::failed(prepareForward(session.model, options)) ? BadModel : Done;
}

static std::vector<std::string> outputNames(mlir::func::FuncOp function) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto name =
            function.getResultAttrOfType<mlir::StringAttr>(i, "onnx.name"))
      names.push_back(name.str());
  return names;
}

/// Every --wrt pattern must name something.
static int checkPatterns(mlir::func::FuncOp function,
                         const Arguments &arguments, const StepFlags &flags) {
  for (const std::string &text : flags.step.wrt) {
    auto pattern = llvm::GlobPattern::create(text);
    if (!pattern) // It was read before.
      return arguments.usage(llvm::toString(pattern.takeError()));
    bool matches = false;
    for (mlir::BlockArgument argument : function.getArguments())
      matches |=
          function.getArgAttr(argument.getArgNumber(), "onnx.initializer") &&
          pattern->match(getValueName(argument));
    if (!matches)
      return arguments.usage("'--wrt " + text + "' matches no initializer");
  }
  return Done;
}

/// What the command line says of the loss must fit the output that it reads.
static int checkLoss(mlir::func::FuncOp function, const Arguments &arguments,
                     const StepFlags &flags) {
  std::vector<std::string> names = outputNames(function);
  const std::string &wanted = flags.step.output;
  size_t index = 0;
  if (!wanted.empty()) {
    index = llvm::find(names, wanted) - names.begin();
    if (index == names.size())
      return arguments.usage("the model has no output '" + wanted +
                             "'; its outputs are: " + llvm::join(names, ", "));
  } else if (names.size() != 1) {
    return Done; // Which one it is the step's builder knows.
  }
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(
      function.getFunctionType().getResult(index));
  if (!type || !type.hasStaticShape())
    return Done;
  std::string shape = "[";
  for (int64_t size : type.getShape())
    shape += (shape.size() > 1 ? "," : "") + std::to_string(size);
  shape += "]";
  int64_t axis = flags.step.classAxis;
  bool axisFits = axis >= -type.getRank() && axis < type.getRank();
  if (flags.step.loss == StepOptions::Loss::CrossEntropy && !axisFits)
    return arguments.usage("class axis " + std::to_string(axis) +
                           " (--class-axis) is out of range for output '" +
                           names[index] + "' of shape " + shape);
  if (flags.step.loss == StepOptions::Loss::Output &&
      type.getNumElements() != 1)
    return arguments.usage("output '" + names[index] + "' of shape " + shape +
                           " can't be the loss itself, which has one element "
                           "(--loss cross-entropy or mse make one of it)");
  return Done;
}

static constexpr const char *stepOptions = "train.options";
static constexpr const char *planSummary = "plan.summary";
static constexpr const char *dimsEntry = "dims";

/// Sets an entry of a dictionary attribute of `function`.
static void setEntry(mlir::func::FuncOp function, StringRef dictionary,
                     StringRef entry, mlir::Attribute value) {
  mlir::NamedAttrList entries(
      function->getAttrOfType<mlir::DictionaryAttr>(dictionary));
  entries.set(entry, value);
  function->setAttr(dictionary, entries.getDictionary(function.getContext()));
}

int cli::buildTrainingStep(Session &session, const Arguments &arguments,
                           const StepFlags &flags) {
  if (isStep(session.model)) {
    if (flags.given.empty())
      return Done;
    return arguments.usage("the model is a training step already, so '" +
                           flags.given.front() + "' can't be given");
  }
  for (const std::string &text : flags.warnings)
    warn(text);
  if (!flags.hasLoss)
    return arguments.usage("'--loss' is missing, which a forward model needs");
  if (mlir::failed(promoteConstants(session.model, flags.step.wrt)))
    return Unsupported;
  mlir::func::FuncOp function = getMain(session.model);
  if (int code = checkPatterns(function, arguments, flags))
    return code;
  if (int code = checkLoss(function, arguments, flags))
    return code;
  if (int code = bindForward(session, flags.forward))
    return code;
  auto unbound = getUnboundDimensions(getMain(session.model));
  if (!unbound.empty())
    return arguments.usage("a training step needs every dimension bound; "
                           "unbound: " +
                           llvm::join(unbound, ", ") + " (--dim NAME=VALUE)");
  // Once more, now that the shapes are known.
  if (int code = checkLoss(function, arguments, flags))
    return code;
  if (mlir::failed(makeStep(session.model, flags.step)))
    return Unsupported;
  mlir::Builder builder(&session.context);
  mlir::NamedAttrList dims;
  for (const auto &[name, size] : flags.forward.sizeByName)
    dims.set(name, builder.getI64IntegerAttr(size));
  setEntry(getMain(session.model), stepOptions, dimsEntry,
           dims.getDictionary(&session.context));
  return Done;
}

void cli::recordDimensions(Model &model) {
  mlir::func::FuncOp function = getMain(model);
  auto options = function->getAttrOfType<mlir::DictionaryAttr>(stepOptions);
  if (mlir::Attribute dims = options ? options.get(dimsEntry) : nullptr)
    setEntry(function, planSummary, dimsEntry, dims);
}
