//===- PackBuffers.h - Offsets for buffers, with proof ----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The entry point of the packing library. It tries fast placements first, then
// improves the best one, then searches exactly; every answer is verified
// before it is returned.
//
// Tested by test/unit/Solver/Packing/PackBuffersTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_PACKING_PACKBUFFERS_H
#define LOWTIDE_SOLVER_PACKING_PACKBUFFERS_H

#include "lowtide/Solver/Packing/PackingProblem.h"

namespace lowtide::solver {

/// What is known at the end. Without a capacity: `optimal` when the height
/// equals the lower bound, else `feasible`. With one: `optimal` or `feasible`
/// when the buffers fit, `infeasible` when they provably don't, `timeout` when
/// neither was settled.
enum class PackingStatus { Optimal, Feasible, Infeasible, Timeout };

/// "optimal", "feasible", "infeasible" or "timeout".
llvm::StringRef toString(PackingStatus status);

/// Why the work ended: it was complete, its counted effort was spent, or the
/// clock ran out (the only case that may differ from run to run).
enum class PackingStop { Complete, Effort, Clock };

/// "done", "effort" or "clock".
llvm::StringRef toString(PackingStop stop);

struct PackingOptions {
  /// Wall-clock limit; it only ends the work early.
  double timeLimitSeconds = 60.0;
  /// How much counted work may be spent; 1 is the default dose, 0 means the
  /// fast placements alone.
  double effort = 1.0;
  uint64_t seed = 0;
};

struct PackingResult {
  PackingStatus status = PackingStatus::Timeout;
  PackingStop stoppedBy = PackingStop::Complete;
  /// The best offsets found, also where they pass the capacity.
  std::vector<int64_t> offsetsBytes;
  int64_t heightBytes = 0;
  int64_t maxLiveBytes = 0;
  int64_t lowerBoundBytes = 0;
  /// Buffers that prove `lowerBoundBytes` or `infeasible`: what is alive at
  /// the fullest instant, or the part of the problem that has no packing.
  std::vector<int32_t> witness;
  /// Counted work: placements tried.
  uint64_t steps = 0;

  PackingSolution solution() const { return {offsetsBytes, heightBytes}; }
};

/// Finds offsets for `problem`. Fails only where `checkPackingProblem` does.
/// Equal inputs give equal results unless `stoppedBy` says "clock".
llvm::Expected<PackingResult> packBuffers(const PackingProblem &problem,
                                          const PackingOptions &options = {});

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_PACKING_PACKBUFFERS_H
