//===- DeviceSpec.cpp - Rates of a device ---------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "lowtide/Analysis/DeviceSpec.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace llvm;

namespace lowtide {

/// Rates are what kernels reach, not what data sheets promise: about 70 % of
/// peak bandwidth and 60 % of float32 arithmetic.
static const DeviceSpec builtinSpecs[] = {
    {"cpu", "cpu", 64, 2, 1.6e10, 2e-6, 2.4e11, 1.5e11, 1.0e10},
    {"rtx3090", "cuda", 256, 1, 7.5e11, 4e-6, 2.1e13, 1.8e13, 8.0e12},
    {"a100", "cuda", 256, 1, 1.3e12, 4e-6, 6.0e13, 5.0e13, 1.0e13},
    {"h200", "cuda", 256, 1, 3.6e12, 4e-6, 2.2e14, 1.8e14, 3.0e13},
};

std::vector<std::string> builtinDeviceNames() {
  std::vector<std::string> names;
  for (const DeviceSpec &spec : builtinSpecs)
    names.push_back(spec.name);
  return names;
}

static Error invalid(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static Expected<json::Object> readJsonObject(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return invalid("cannot read '" + path +
                   "': " + buffer.getError().message());
  auto value = json::parse((*buffer)->getBuffer());
  if (!value)
    return invalid("'" + path +
                   "' is not JSON: " + toString(value.takeError()));
  if (json::Object *object = value->getAsObject())
    return std::move(*object);
  return invalid("'" + path + "' is not a JSON object");
}

static Expected<double> positive(const json::Object &object, StringRef key,
                                 StringRef path) {
  auto value = object.getNumber(key);
  if (!value || !(*value > 0) || !std::isfinite(*value))
    return invalid("'" + path + "' needs a positive number \"" + key + "\"");
  return *value;
}

static Expected<DeviceSpec> readSpec(StringRef path) {
  auto object = readJsonObject(path);
  if (!object)
    return object.takeError();
  DeviceSpec spec;
  spec.name = object->getString("name").value_or(path).str();
  spec.backend = object->getString("backend").value_or("cpu").str();
  if (spec.backend != "cpu" && spec.backend != "cuda")
    return invalid("'" + path + "' has the backend \"" + spec.backend +
                   "\"; it must be \"cpu\" or \"cuda\"");
  spec.alignmentBytes = object->getInteger("alignment_bytes").value_or(64);
  spec.threads = object->getInteger("threads").value_or(1);
  bool powerOfTwo = spec.alignmentBytes > 0 &&
                    (spec.alignmentBytes & (spec.alignmentBytes - 1)) == 0;
  if (!powerOfTwo || spec.alignmentBytes > 65536 || spec.threads < 1 ||
      spec.threads > 1024)
    return invalid("'" + path +
                   "' needs \"alignment_bytes\", a power of two up to 65536, "
                   "and \"threads\" from 1 to 1024");
  const json::Object *flops = object->getObject("flops_per_second");
  if (!flops)
    return invalid("'" + path + "' needs the object \"flops_per_second\"");
  for (auto [from, key, target] :
       {std::tuple<const json::Object *, StringRef, double *>{
            &*object, "bytes_per_second", &spec.bytesPerSecond},
        {flops, "matmul", &spec.matmulFlopsPerSecond},
        {flops, "conv", &spec.convFlopsPerSecond},
        {flops, "elementwise", &spec.elementwiseFlopsPerSecond}}) {
    auto rate = positive(*from, key, path);
    if (!rate)
      return rate.takeError();
    *target = *rate;
  }
  spec.launchSeconds = object->getNumber("launch_seconds").value_or(0);
  return spec;
}

Expected<DeviceSpec> loadDeviceSpec(StringRef nameOrPath) {
  for (const DeviceSpec &spec : builtinSpecs)
    if (spec.name == nameOrPath)
      return spec;
  return readSpec(nameOrPath);
}

Expected<MeasuredCosts> loadMeasuredCosts(StringRef path) {
  auto object = readJsonObject(path);
  if (!object)
    return object.takeError();
  if (object->getString("schema") != StringRef("lowtide.costs/1"))
    return invalid("'" + path + "' is not a cost file (lowtide.costs/1)");
  MeasuredCosts costs;
  costs.machine = object->getString("machine").value_or("").str();
  const json::Object *seconds = object->getObject("seconds");
  if (!seconds)
    return invalid("'" + path + "' needs the object \"seconds\"");
  for (const auto &[key, value] : *seconds) {
    auto number = value.getAsNumber();
    if (!number || *number < 0)
      return invalid("'" + path + "' has no valid seconds for " +
                     StringRef(key));
    costs.secondsByKey[StringRef(key)] = *number;
  }
  return costs;
}

} // namespace lowtide
