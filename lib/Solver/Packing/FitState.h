//===- FitState.h - Bodies placed so far, and what follows ------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// The state of the exact packing search: which bodies are placed, how high
// each slot is filled, how low each other body may still lie; with undo.
//
// Bodies are placed from below: everything under a slot's floor is settled,
// used or wasted. A body that isn't placed starts at `least` or above, which
// is the highest floor of its slots. Two things are derived at once:
//
// - a slot's floor rises to the least offset of the bodies that are left there
//   (nothing can start below);
// - the bodies left at a slot, each from its least offset on, must be
//   stackable below the capacity: one machine with release dates.
//
// Example: capacity 10, floors 0 and 4; b lives in both slots, 7 tall: it
// can't start below 4, so it doesn't fit and the branch ends.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_PACKING_FITSTATE_H
#define LOWTIDE_LIB_SOLVER_PACKING_FITSTATE_H

#include "BodyModel.h"

#include "llvm/ADT/SmallVector.h"

namespace lowtide::solver {

/// A body that the search has to place.
struct FitJob {
  int32_t body;
  int32_t lo, hi; ///< the hull of its slots
  int64_t size, alignment;
  int64_t highest; ///< the last offset within the capacity
  int32_t firstSlot, numSlots;
};

class FitState {
public:
  FitState(const BodyModel &model, int64_t capacityBytes, uint64_t &steps);

protected:
  using Word = uint64_t;
  struct Change {
    enum Kind { Floor, Least, Options } kind;
    int32_t index;
    int64_t old;
  };

  /// Checks everything once; false when nothing can fit.
  bool isConsistent();
  /// Places a job at its least offset, or declares what is below `level` at
  /// a slot wasted; false when that leaves no room for the rest.
  bool place(int32_t job);
  bool waste(int32_t slot, int64_t level);
  void undo(size_t trailMark, size_t placedMark);
  /// The next offset that something at `slot` could have when nothing starts
  /// at `level`: that of a body which can't start there, or the top of what
  /// holds one up that could.
  int64_t nextLevel(int32_t slot, int64_t level);
  /// Names the jobs left within [lo, hi) and the floors there.
  std::pair<uint64_t, uint64_t> stateHash(int32_t lo, int32_t hi) const;
  /// Same size and slots: it doesn't matter which goes first.
  bool areEqual(int32_t a, int32_t b) const;

  template <typename F>
  void forEachUnplaced(int32_t slot, F f) const {
    const Word *bits = &slotJobs[size_t(slot) * words];
    for (int32_t w = 0; w < words; ++w)
      for (Word x = bits[w] & unplaced[w]; x; x &= x - 1)
        f(w * 64 + __builtin_ctzll(x));
  }
  int64_t slackAt(int32_t slot) const {
    return capacity - floor[slot] - remaining[slot];
  }

  const BodyModel &model;
  uint64_t &steps;
  uint64_t nodes = 0;
  int32_t numSlots = 0;
  int64_t capacity = 0;
  bool hasGaps = false;
  std::vector<FitJob> jobs;
  std::vector<int64_t> floor, least, offsets;
  /// By slot: jobs left, those among them that can start at the floor, and
  /// those that live on in the next slot.
  std::vector<int32_t> count, optionsAt, crossing;
  /// By slot: grows where branches end.
  std::vector<double> slotWeight;
  std::vector<Change> trail;
  std::vector<int32_t> placed;

private:
  bool isBase(const Body &b) const;
  void placeBase();
  void addJob(int32_t body, int64_t capacityBytes);
  void indexJobs();
  void countJobs();
  void change(Change::Kind kind, int32_t index, int64_t value);
  void toggle(int32_t job, int32_t sign);
  bool raise(int32_t job, int64_t to);
  bool checkDirty();
  bool checkSlot(int32_t slot);
  bool stackFits(int32_t slot);
  llvm::ArrayRef<int32_t> slotsOf(int32_t job) const {
    return llvm::ArrayRef(slotLists).slice(jobs[job].firstSlot,
                                           jobs[job].numSlots);
  }
  static int64_t alignUp(int64_t v, int64_t a) {
    return a == 1 ? v : (v + a - 1) / a * a;
  }

  bool hasRounding = false;
  std::vector<bool> isPlacedFirst;
  std::vector<int32_t> slotLists;
  int32_t words = 0, slotWords = 0;
  std::vector<Word> slotJobs, unplaced, neighbours, dirty, jobSlots;
  std::vector<int64_t> remaining;
  std::vector<uint64_t> keyA, keyB, hashA, hashB;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 32> levels;
};

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_PACKING_FITSTATE_H
