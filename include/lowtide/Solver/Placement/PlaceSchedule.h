//===- PlaceSchedule.h - Addresses for a schedule ---------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Joins rematerialization and packing: every copy of a value that a schedule
// computes gets an offset, and so does every workspace. The compiler asks
// before it applies a schedule (does it fit?) and after (where is what?), and
// gets the same answer.
//
// Tested by test/unit/Solver/Placement/PlaceScheduleTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_PLACEMENT_PLACESCHEDULE_H
#define LOWTIDE_SOLVER_PLACEMENT_PLACESCHEDULE_H

#include "lowtide/Solver/Packing/PackBuffers.h"
#include "lowtide/Solver/Remat/RematProblem.h"

namespace lowtide::solver {

/// Offsets of one step of a schedule, from the end of the resident bytes.
struct StepPlacement {
  /// Parallel to the op's outputs.
  std::vector<int64_t> outputOffsetsBytes;
  int64_t workspaceOffsetBytes = 0;
};

struct SchedulePlacement {
  std::vector<StepPlacement> steps;
  /// Of the arena: resident bytes and everything placed above them.
  int64_t arenaBytes = 0;
  /// The most bytes alive at one step, resident ones included.
  int64_t maxLiveBytes = 0;
  /// No addresses for this schedule can do with less.
  int64_t lowerBoundBytes = 0;
};

/// The packing problem of a schedule: one buffer for each chain of copies that
/// take each other's place, one for each workspace.
struct SchedulePacking {
  PackingProblem problem;
  /// For each step and output, the index of its buffer.
  std::vector<std::vector<int32_t>> outputBuffers;
  /// For each step, the index of its workspace's buffer, or -1.
  std::vector<int32_t> workspaceBuffers;
};

/// Requires a problem without views and a valid schedule of it.
SchedulePacking packingOfSchedule(const RematProblem &problem,
                                  const RematSchedule &schedule);

llvm::Expected<SchedulePlacement>
placeSchedule(const RematProblem &problem, const RematSchedule &schedule,
              const PackingOptions &options = {});

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_PLACEMENT_PLACESCHEDULE_H
