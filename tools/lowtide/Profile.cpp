//===- Profile.cpp - lowtide profile --------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Measures every distinct kernel call of a step by itself: a run to warm up,
// then the least of several runs. Calls that differ in values only are one.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "PlanFlags.h"
#include "Progress.h"
#include "StepFlags.h"

#include "lowtide/Support/JsonWriter.h"

#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <cstring>
#include <map>

using namespace lowtide;
using namespace lowtide::cli;
using runtime::DataType;
using runtime::TensorDesc;

namespace {

/// Operands and results of one call in memory of their own.
class CallBench {
public:
  CallBench(runtime::Backend &backend, const runtime::KernelCall &call)
      : backend(backend), call(call) {}
  ~CallBench() {
    for (auto [memory, bytes] : blocks)
      backend.deallocate(memory, bytes);
  }
  /// Seconds, or a message.
  llvm::Expected<double> measure();

private:
  void *allocate(const TensorDesc &desc);
  void *allocateBytes(int64_t bytes);
  llvm::Error bind();
  llvm::Expected<double> runOnce(runtime::PreparedKernel &kernel);

  runtime::Backend &backend;
  const runtime::KernelCall &call;
  std::vector<std::pair<void *, int64_t>> blocks;
  std::vector<const void *> operands;
  std::vector<void *> results;
  void *workspace = nullptr;
};

} // namespace

static llvm::Error error(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

void *CallBench::allocateBytes(int64_t bytes) {
  bytes = std::max(bytes, backend.alignment());
  void *memory = backend.allocate(bytes);
  if (memory)
    blocks.emplace_back(memory, bytes);
  return memory;
}

/// Small positive floats: no kernel meets denormals or takes a shortcut for
/// zeros. Integers stay zero, which every axis can be indexed with.
static std::vector<std::byte> benchValues(const TensorDesc &desc) {
  std::vector<std::byte> bytes(static_cast<size_t>(desc.bytes()));
  auto fill = [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < desc.numElements(); ++i) {
      T value = static_cast<T>(0.5 + double(i % 17) / 16);
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  };
  if (desc.type == DataType::Float32)
    fill(0.0f);
  else if (desc.type == DataType::Float64)
    fill(0.0);
  return bytes;
}

llvm::Error CallBench::bind() {
  for (const auto &operand : call.operands) {
    operands.push_back(nullptr);
    if (!operand || operand->isHost)
      continue;
    void *memory = allocateBytes(operand->desc.bytes());
    if (!memory)
      return error("there is not enough memory to measure");
    std::vector<std::byte> bytes =
        operand->constant ? *operand->constant : benchValues(operand->desc);
    backend.copyToDevice(memory, bytes.data(),
                         static_cast<int64_t>(bytes.size()));
    operands.back() = memory;
  }
  for (const auto &result : call.results) {
    results.push_back(result ? allocateBytes(result->bytes()) : nullptr);
    if (result && !results.back())
      return error("there is not enough memory to measure");
  }
  int64_t workspaceBytes = backend.needs(call).workspaceBytes;
  if (workspaceBytes > 0 && !(workspace = allocateBytes(workspaceBytes)))
    return error("there is not enough memory to measure");
  return llvm::Error::success();
}

llvm::Expected<double> CallBench::runOnce(runtime::PreparedKernel &kernel) {
  auto start = std::chrono::steady_clock::now();
  std::string text = kernel.run({operands, results, workspace});
  backend.synchronize();
  if (!text.empty())
    return error(text);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

llvm::Expected<double> CallBench::measure() {
  if (llvm::Error e = bind())
    return std::move(e);
  auto kernel = backend.prepare(call);
  if (!kernel)
    return error("the kernel can't be prepared");
  auto warm = runOnce(*kernel);
  if (!warm)
    return warm;
  // Long calls vary little, short ones need more runs.
  constexpr double enoughSeconds = 0.02;
  constexpr int leastRuns = 3, mostRuns = 50;
  double least = *warm, spent = 0;
  for (int i = 0; i < mostRuns && (i < leastRuns || spent < enoughSeconds);
       ++i) {
    auto seconds = runOnce(*kernel);
    if (!seconds)
      return seconds;
    least = std::min(least, *seconds);
    spent += *seconds;
  }
  return least;
}

static std::string toJson(const std::map<std::string, double> &secondsByKey,
                          int64_t threads) {
  JsonWriter json;
  json.beginObject();
  json.attribute("schema", "lowtide.costs/1");
  json.attribute("machine", llvm::sys::getHostCPUName().str() + ", " +
                                std::to_string(threads) + " threads");
  json.key("seconds");
  json.beginObject();
  for (const auto &[key, seconds] : secondsByKey)
    json.attribute(key, seconds);
  json.endObject();
  json.endObject();
  return json.take();
}

static int profileStep(Session &session, const Target &target, int64_t threads,
                       llvm::StringRef out) {
  auto memory = StepMemory::analyze(getMain(session.model), target.costs,
                                    *target.backend);
  if (mlir::failed(memory))
    return Unsupported;
  auto backend = runtime::createCpuBackend(
      {.threads = static_cast<int>(threads), .reference = false});
  std::map<std::string, double> secondsByKey;
  Progress progress;
  size_t done = 0;
  for (const StepOp &stepOp : memory->getOps()) {
    progress.show("measuring op " + std::to_string(++done) + " of " +
                  std::to_string(memory->getOps().size()));
    std::string key = costKey(stepOp.call);
    if (secondsByKey.count(key))
      continue;
    auto seconds = CallBench(*backend, stepOp.call).measure();
    if (!seconds)
      return fail(Unsupported, "node '" + getNodeName(stepOp.op) + "' (" +
                                   stepOp.call.kernel +
                                   "): " + llvm::toString(seconds.takeError()));
    secondsByKey[key] = *seconds;
  }
  progress.clear();
  std::string text = toJson(secondsByKey, threads);
  if (llvm::Error e =
          writeAtomically(out, [&](llvm::raw_ostream &os) { os << text; }))
    return fail(InputOutput,
                "cannot write '" + out + "': " + llvm::toString(std::move(e)));
  llvm::outs() << secondsByKey.size() << " kernel calls of "
               << memory->getOps().size() << " ops measured\n";
  return Done;
}

int cli::runProfile(Arguments &arguments) {
  Arguments::Declaration declared;
  declareStepFlags(declared);
  declared.valueFlags.push_back("--out");
  declared.valueFlags.push_back("--threads");
  declared.leastPlain = declared.mostPlain = 1;
  StepFlags step;
  int64_t threads = 0;
  if (!arguments.parse(declared) || !readStepFlags(arguments, step) ||
      !arguments.integer("--threads", 1, 1024, threads))
    return UsageError;
  llvm::StringRef path = arguments.plain(0);
  auto out = arguments.value("--out");
  if (!canRead(path) || (out && !canWrite(*out)))
    return InputOutput;
  if (!out)
    return arguments.usage("'--out' is missing");
  if (isSameFile(path, *out))
    return arguments.usage("MODEL and --out are the same file");
  std::optional<Target> target;
  if (int code = loadTarget(PlanFlags(), target))
    return code;
  if (threads == 0)
    threads = target->costs.getSpec().threads;
  Session session;
  if (int code = session.load(path))
    return code;
  if (int code = buildTrainingStep(session, arguments, step))
    return code;
  return profileStep(session, *target, threads, *out);
}
