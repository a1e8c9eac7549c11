//===- PackingProblem.h - Buffers that need addresses -----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A packing problem: buffers with sizes and lifetimes that want offsets in one
// arena per memory space, so that no two of them share a byte at an instant.
// The structures are plain and indexed; a solution is judged by
// `verifyPacking`, which shares no code with the algorithms.
//
// Example: a [0,4) 8 bytes, b [0,2) 4 bytes, c [2,4) 4 bytes. At every instant
// 12 bytes are live, and a at 0, b and c both at 8 reach height 12.
//
// Tested by test/unit/Solver/Packing/PackingProblemTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_PACKING_PACKINGPROBLEM_H
#define LOWTIDE_SOLVER_PACKING_PACKINGPROBLEM_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::solver {

/// The instants lower, lower + 1, ..., upper - 1.
struct LifeInterval {
  int64_t lower = 0;
  int64_t upper = 0;
};

/// One buffer. `lifetime` holds disjoint intervals in rising order; between
/// them the buffer's bytes are free for others, yet its address stays. (A
/// value that may come back elsewhere is better given as several buffers.)
struct PackingBuffer {
  std::string name;
  llvm::SmallVector<LifeInterval, 1> lifetime;
  int64_t sizeBytes = 0;
  int64_t alignment = 1;
  /// The offset is given, e.g. for resident buffers.
  std::optional<int64_t> pinnedOffsetBytes;
  /// Buffers with the same group (>= 0) lie one directly behind the other, in
  /// the order in which the problem lists them.
  int32_t group = -1;
  /// Buffers with the same alias set (>= 0) share one offset and may be alive
  /// together: views, values updated in place.
  int32_t aliasSet = -1;
  /// Buffers of different spaces never meet; offsets start at 0 in each.
  int32_t space = 0;
};

struct PackingProblem {
  std::vector<PackingBuffer> buffers;
  /// The height to stay within, of every space.
  std::optional<int64_t> capacityBytes;
};

/// `offsetsBytes` runs parallel to the buffers of the problem.
struct PackingSolution {
  std::vector<int64_t> offsetsBytes;
  /// The highest end of a buffer, over all spaces.
  int64_t heightBytes = 0;
};

/// Adds a buffer with one life interval and returns its index.
int32_t addBuffer(PackingProblem &problem, llvm::StringRef name, int64_t lower,
                  int64_t upper, int64_t sizeBytes, int64_t alignment = 1);

/// Rejects what no algorithm should have to think about: negative sizes,
/// empty or unsorted intervals, alignments below 1, pins that are negative or
/// misaligned, groups across spaces, and totals past 2^61 bytes at an instant.
llvm::Error checkPackingProblem(const PackingProblem &problem);

/// Accepts a solution iff every offset is a non-negative multiple of its
/// alignment, pins, groups and alias sets hold, the height is the true one and
/// within the capacity, and no two buffers overlap in time and in space.
llvm::Error verifyPacking(const PackingProblem &problem,
                          const PackingSolution &solution);

/// The most bytes alive at one instant in one space, alias sets counted once
/// per byte. No packing is lower.
int64_t maxLiveBytes(const PackingProblem &problem);

/// The height of given offsets: the highest `offset + size`.
int64_t heightOf(const PackingProblem &problem,
                 llvm::ArrayRef<int64_t> offsetsBytes);

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_PACKING_PACKINGPROBLEM_H
