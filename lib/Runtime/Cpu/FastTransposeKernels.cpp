//===- FastTransposeKernels.cpp - Transposes in tiles ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: a transpose that moves the innermost dimension reads or writes with
// a long stride, and each element costs a cache line.
//
// Idea: two dimensions matter, the innermost one of the result and the one that
// is innermost in the operand. Work in tiles of 32 x 32 of these two, so that
// the lines of both sides stay in the cache; all other dimensions are loops
// around.
//
//   [32,12,128,64] by (0,1,3,2): 384 matrices of 128 x 64, each in 4 x 2 tiles
//
// Transposes that keep the innermost dimension are left to the plain loop,
// which copies whole rows. Exact, so the bits are those of the plain loop.
//
// Tested by test/unit/Runtime/KernelAgreementTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"
#include "StridedLoop.h"

#include <algorithm>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {
struct TransposePlan {
  /// Walks all other dimensions: operand offset and result offset.
  StridedLoop<2> outer;
  int64_t rows, columns; ///< Result (row, column) is operand (column, row).
  int64_t toStride;      ///< Between rows of the result.
  int64_t fromStride;    ///< Between columns of the result, in the operand.
};
constexpr int64_t tile = 32;
} // namespace

template <typename T>
static void moveTiles(const TransposePlan &p, const T *from, T *to,
                      int64_t firstRow, int64_t lastRow) {
  for (int64_t i = firstRow; i < lastRow; i += tile)
    for (int64_t j = 0; j < p.columns; j += tile) {
      const int64_t rows = std::min(i + tile, lastRow);
      const int64_t columns = std::min(j + tile, p.columns);
      for (int64_t r = i; r < rows; ++r)
        for (int64_t c = j; c < columns; ++c)
          to[r * p.toStride + c] = from[c * p.fromStride + r];
    }
}

static KernelBuild makeTranspose(const KernelCall &call,
                                 const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  const std::vector<int64_t> &x = call.operand(0).shape,
                             &y = call.result(0).shape;
  const auto rank = static_cast<int64_t>(x.size());
  std::vector<int64_t> order;
  for (int64_t i = rank; i-- > 0;)
    order.push_back(i);
  order = call.intsAttr("perm", order);
  if (rank < 2 || static_cast<int64_t>(order.size()) != rank ||
      order.back() == rank - 1 || call.result(0).numElements() == 0)
    return refuse("keeps its innermost dimension");
  const std::vector<int64_t> from = denseStrides(x), to = denseStrides(y);
  std::vector<int64_t> shape, fromStrides, toStrides;
  int64_t row = -1;
  for (int64_t d = 0; d + 1 < rank; ++d) {
    if (order[d] < 0 || order[d] >= rank)
      return refuse("perm names no dimension");
    if (order[d] == rank - 1) {
      row = d;
      continue;
    }
    shape.push_back(y[d]);
    fromStrides.push_back(from[order[d]]);
    toStrides.push_back(to[d]);
  }
  if (row < 0 || order.back() < 0)
    return refuse("perm isn't a permutation");
  // A matrix that fits the first cache needs no tiles.
  if (y[row] * y.back() * sizeInBytes(call.result(0).type) <= 65536)
    return refuse("small enough for the plain loop");
  const TransposePlan plan{StridedLoop<2>(shape, {fromStrides, toStrides}),
                           y[row], y.back(), to[row], from[order.back()]};
  if (!plan.outer.isValid())
    return refuse("the rank is too high");
  const int threads = cpu.threads;
  return withBytes(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [plan, threads](const KernelBuffers &buffers) -> std::string {
      const T *source = in<T>(buffers, 0);
      T *target = out<T>(buffers);
      const int64_t strips = (plan.rows + tile - 1) / tile;
      const int64_t grain = 1 + elementGrain / (tile * plan.columns);
      parallelFor(threads, plan.outer.numElements() * strips, grain,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t s = begin; s < end; ++s) {
                      const int64_t matrix = s / strips, strip = s % strips;
                      plan.outer.walk(
                          matrix, matrix + 1,
                          [&](int64_t, const auto &at, int64_t) {
                            moveTiles(plan, source + at[0], target + at[1],
                                      strip * tile,
                                      std::min(plan.rows, (strip + 1) * tile));
                          });
                    }
                  });
      return "";
    };
    return build;
  });
}

void cpu::addFastTransposeKernels(KernelTable &table) {
  table.add("onnx.Transpose", makeTranspose);
}
