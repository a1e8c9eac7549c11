//===- Parallel.h - Loops over all threads ----------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Splits an index range into one contiguous part per thread. The parts depend
// on the range and the thread count only, so results that depend on them are
// reproducible. The threads are those of the OpenMP runtime that oneDNN uses:
// one pool for both, and nothing is allocated once the pool is warm.
//
// Clang emits no code for this runtime, so its entry point is called directly.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_LIB_RUNTIME_CPU_PARALLEL_H
#define LOWTIDE_LIB_RUNTIME_CPU_PARALLEL_H

#include <algorithm>
#include <cstdint>

namespace lowtide::runtime::cpu {

/// Runs `body(context, part)` for part 0 … parts - 1 on a team of `threads`;
/// returns when all are done. The team has the same size for every loop, even
/// where there are fewer parts: the pool would be rebuilt otherwise.
void runOnThreads(int threads, int parts, void (*body)(void *context, int part),
                  void *context);

/// Sets the size of the pool, for oneDNN as well.
void setPoolThreads(int threads);

/// Part `part` of `parts` of [0, count), in whole multiples of `grain`.
struct Part {
  int64_t begin, end;
};
inline Part partOf(int64_t count, int64_t grain, int parts, int part) {
  const int64_t grains = (count + grain - 1) / grain;
  const int64_t begin = grains * part / parts * grain;
  const int64_t end = grains * (part + 1) / parts * grain;
  return {std::min(begin, count), std::min(end, count)};
}

/// Calls `body(begin, end)` on disjoint parts of [0, count) that begin at
/// multiples of `grain`; in the calling thread when there is one grain or one
/// thread.
template <typename Body>
void parallelFor(int threads, int64_t count, int64_t grain, const Body &body) {
  const int64_t grains = (count + grain - 1) / grain;
  const int parts = static_cast<int>(std::min<int64_t>(threads, grains));
  if (parts <= 1) {
    if (count > 0)
      body(int64_t(0), count);
    return;
  }
  struct Context {
    const Body &body;
    int64_t count, grain;
    int parts;
  } context{body, count, grain, parts};
  runOnThreads(
      threads, parts,
      [](void *data, int part) {
        auto &c = *static_cast<Context *>(data);
        const Part range = partOf(c.count, c.grain, c.parts, part);
        if (range.begin < range.end)
          c.body(range.begin, range.end);
      },
      &context);
}

} // namespace lowtide::runtime::cpu

#endif // LOWTIDE_LIB_RUNTIME_CPU_PARALLEL_H
