//===- BodyModel.h - One memory space in its plainest form ------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What the algorithms see of a packing problem: rigid bodies in one space.
//
// - Alias sets and groups become one body, a union of disjoint rectangles
//   (time x address) at fixed distances; most bodies have one rectangle.
// - Times become slots. Only the instants with a maximal set of live buffers
//   matter, since two buffers meet iff they meet at one of those. A compiler's
//   op indices, nanoseconds and reversed files thus give the same slots.
// - Bytes become units, the greatest common divisor of all sizes, pins and
//   alignments. Sizes are first rounded up to the smallest alignment, below
//   which no other buffer could start anyway.
//
// Example: a [0,4) 6 bytes, b [2,9) 6 bytes, both aligned to 4: slots {a, b},
// unit 8, both one unit tall.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_PACKING_BODYMODEL_H
#define LOWTIDE_LIB_SOLVER_PACKING_BODYMODEL_H

#include "lowtide/Solver/Packing/PackingProblem.h"

namespace lowtide::solver {

/// A rectangle of a body: slots [lo, hi), addresses offset + [low, low + size).
struct BodyRect {
  int32_t lo, hi;
  int64_t low, size;
  int32_t body;

  bool meets(const BodyRect &other) const {
    return lo < other.hi && other.lo < hi;
  }
};

struct Body {
  int32_t firstRect = 0, numRects = 0;
  /// The hull of its rectangles.
  int32_t lo = 0, hi = 0;
  int64_t extent = 0;
  int64_t alignment = 1;
  /// Given offset, or -1.
  int64_t pinned = -1;
  /// extent times unit minus the bytes that are really used at the top.
  int64_t slackBytes = 0;
  /// size times slots, summed over the rectangles.
  double area = 0;
};

struct BodyModel {
  std::vector<Body> bodies;
  std::vector<BodyRect> rects;
  int32_t numSlots = 0;
  int64_t unitBytes = 1;
  /// For every buffer of the space: its index, body, and byte distance.
  struct Member {
    int32_t buffer, body;
    int64_t deltaBytes;
  };
  std::vector<Member> members;
  /// Live units by slot, and the slot with the most.
  std::vector<int64_t> live;
  int64_t maxLive = 0;
  int32_t fullestSlot = 0;
  /// Proved least height, in bytes.
  int64_t lowerBoundBytes = 0;

  llvm::ArrayRef<BodyRect> rectsOf(int32_t body) const {
    return llvm::ArrayRef(rects).slice(bodies[body].firstRect,
                                       bodies[body].numRects);
  }
  /// The highest offset that keeps a body within `capacityBytes`; negative
  /// when there is none.
  int64_t highestOffset(int32_t body, int64_t capacityBytes) const;
  /// The height in bytes of body offsets in units.
  int64_t heightBytes(llvm::ArrayRef<int64_t> offsets) const;
};

/// Builds the model of one space. Fails when pins, groups and alias sets
/// contradict each other.
llvm::Expected<BodyModel> buildBodyModel(const PackingProblem &problem,
                                         int32_t space);

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_PACKING_BODYMODEL_H
