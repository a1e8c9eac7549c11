//===- WorkLimit.h - Counted effort, and the clock as a stop ----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Work is counted in array elements looked at, roughly a nanosecond each, so
// that a run ends at the same place on every machine. The clock only stops a
// run early, and then `stoppedByClock` says so.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_SOLVER_REMAT_WORKLIMIT_H
#define LOWTIDE_LIB_SOLVER_REMAT_WORKLIMIT_H

#include <chrono>
#include <cstdint>

namespace lowtide::solver {

/// When a run must end by the clock; shared by all its parts.
class Deadline {
public:
  /// `seconds` <= 0: never.
  explicit Deadline(double seconds)
      : limited(seconds > 0),
        end(std::chrono::steady_clock::now() +
            std::chrono::nanoseconds(int64_t(limited ? seconds * 1e9 : 0))) {}

  bool passed() {
    if (limited && !wasPassed && std::chrono::steady_clock::now() >= end)
      wasPassed = true;
    return wasPassed;
  }
  bool stoppedByClock() const { return wasPassed; }

private:
  bool limited;
  bool wasPassed = false;
  std::chrono::steady_clock::time_point end;
};

/// The share of work one part of a run may do.
class WorkLimit {
public:
  WorkLimit(Deadline &deadline, int64_t most)
      : deadline(deadline), most(most) {}

  /// Adds work; false when it is used up or the clock has struck.
  bool spend(int64_t amount) {
    used += amount;
    if (used >= nextLook) {
      nextLook = used + 1000000;
      if (deadline.passed())
        used = most;
    }
    return used < most;
  }
  bool isSpent() const { return used >= most; }
  int64_t left() const { return most - used; }
  int64_t capacity() const { return most; }
  int64_t workDone() const { return used; }
  Deadline &clock() const { return deadline; }

private:
  Deadline &deadline;
  int64_t most;
  int64_t used = 0, nextLook = 0;
};

} // namespace lowtide::solver

#endif // LOWTIDE_LIB_SOLVER_REMAT_WORKLIMIT_H
