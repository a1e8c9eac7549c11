//===- DeviceSpec.h - Rates of a device -------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What the cost model knows of a device, read from a JSON file:
//
//   {"name": "rtx3090", "backend": "cuda", "alignment_bytes": 256,
//    "threads": 1, "bytes_per_second": 8.0e11, "launch_seconds": 4e-6,
//    "flops_per_second": {"matmul": 2.4e13, "conv": 2e13, "elementwise": 5e12}}
//
// Built-in specs are found by name. Measured costs are a second file, written
// by `lowtide profile`: seconds for each kernel call that was measured.
//
// Tested by test/unit/Analysis/DeviceSpecTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_ANALYSIS_DEVICESPEC_H
#define LOWTIDE_ANALYSIS_DEVICESPEC_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace lowtide {

struct DeviceSpec {
  std::string name;
  /// "cpu" or "cuda".
  std::string backend;
  int64_t alignmentBytes = 64;
  /// Threads that CPU workspaces are sized for.
  int threads = 1;
  double bytesPerSecond = 1;
  double launchSeconds = 0;
  double matmulFlopsPerSecond = 1;
  double convFlopsPerSecond = 1;
  double elementwiseFlopsPerSecond = 1;
};

/// Names of the built-in specs.
std::vector<std::string> builtinDeviceNames();

/// A built-in spec by name, or the spec in the file of that name.
llvm::Expected<DeviceSpec> loadDeviceSpec(llvm::StringRef nameOrPath);

/// Measured seconds by the key of a kernel call (CostModel.h).
struct MeasuredCosts {
  std::string machine;
  llvm::StringMap<double> secondsByKey;
};
llvm::Expected<MeasuredCosts> loadMeasuredCosts(llvm::StringRef path);

} // namespace lowtide

#endif // LOWTIDE_ANALYSIS_DEVICESPEC_H
