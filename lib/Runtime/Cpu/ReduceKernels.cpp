//===- ReduceKernels.cpp - Sums and their kin over axes -------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: reduce any set of axes of a dense operand, at memory speed in the
// two shapes that matter: over the innermost axis (rows) and over outer axes
// (columns, as the gradient of a bias).
//
// Idea: the operand is walked with strides of two kinds of dimension, kept and
// reduced. If the innermost one is reduced, each result is a fold of rows in
// eight interleaved lanes. If it is kept, a tile of 128 neighbouring results is
// folded together. Floats are accumulated in double. The order depends on
// shapes only, never on threads.
//
//   [8,64,56,56] over (0,2,3): rows of 3136; [4096,768] over 0: tiles
//
// Tested by test/unit/Runtime/ReduceTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Parallel.h"
#include "StridedLoop.h"

#include <cmath>
#include <limits>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

namespace {

template <typename T>
using SumType =
    std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;

/// A reducer: start value, one more element, two partial results, the end.
template <typename T>
struct SumFold {
  using Acc = SumType<T>;
  static Acc start() { return 0; }
  static void step(Acc &acc, T x) { acc += static_cast<Acc>(x); }
  static void merge(Acc &acc, Acc other) { acc += other; }
  static T finish(Acc acc, int64_t) { return static_cast<T>(acc); }
};
template <typename T>
struct MeanFold : SumFold<T> {
  static T finish(SumType<T> acc, int64_t n) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(n == 0 ? 0 : acc / n);
    else
      return static_cast<T>(acc / static_cast<double>(n));
  }
};
template <typename T>
struct ProdFold : SumFold<T> {
  using Acc = SumType<T>;
  static Acc start() { return 1; }
  static void step(Acc &acc, T x) { acc *= static_cast<Acc>(x); }
  static void merge(Acc &acc, Acc other) { acc *= other; }
};
template <typename T>
struct SquareFold : SumFold<T> {
  using Acc = SumType<T>;
  static void step(Acc &acc, T x) {
    acc += static_cast<Acc>(x) * static_cast<Acc>(x);
  }
};
template <typename T>
struct L1Fold : SumFold<T> {
  using Acc = SumType<T>;
  static void step(Acc &acc, T x) {
    const Acc wide = static_cast<Acc>(x);
    acc += wide < 0 ? -wide : wide;
  }
};
template <typename T>
struct L2Fold : SquareFold<T> {
  static T finish(SumType<T> acc, int64_t) {
    return static_cast<T>(std::sqrt(static_cast<double>(acc)));
  }
};
template <typename T>
struct LogSumFold : SumFold<T> {
  static T finish(SumType<T> acc, int64_t) {
    return static_cast<T>(std::log(static_cast<double>(acc)));
  }
};
template <typename T>
struct MaxFold {
  using Acc = T;
  static Acc start() {
    return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                       : std::numeric_limits<T>::lowest();
  }
  static void step(Acc &acc, T x) { acc = acc > x || acc != acc ? acc : x; }
  static void merge(Acc &acc, Acc other) { step(acc, other); }
  static T finish(Acc acc, int64_t) { return acc; }
};
template <typename T>
struct MinFold : MaxFold<T> {
  using Acc = T;
  static Acc start() {
    return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                       : std::numeric_limits<T>::max();
  }
  static void step(Acc &acc, T x) { acc = acc < x || acc != acc ? acc : x; }
  static void merge(Acc &acc, Acc other) { step(acc, other); }
};
/// Keeps the maximum apart, so that nothing overflows.
template <typename T>
struct LogSumExpFold {
  struct Acc {
    double top = -std::numeric_limits<double>::infinity();
    double sum = 0;
  };
  static Acc start() { return {}; }
  static void step(Acc &acc, T x) { merge(acc, {double(x), 1}); }
  static void merge(Acc &acc, Acc other) {
    if (other.sum == 0)
      return;
    if (other.top > acc.top)
      std::swap(acc, other);
    acc.sum += other.sum == 0 ? 0 : other.sum * std::exp(other.top - acc.top);
  }
  static T finish(Acc acc, int64_t) {
    return static_cast<T>(acc.top + std::log(acc.sum));
  }
};

/// The walk over kept dimensions gives each result's first operand element.
struct ReducePlan {
  StridedLoop<1> kept;
  StridedLoop<1> reduced;
  int64_t results;
  int64_t perResult;
  bool inRows;      ///< The innermost dimension is reduced.
  int64_t rowsKept; ///< Length of the innermost kept row, else 1.
};

constexpr int64_t tileSize = 128;

} // namespace

/// Reduced axes of the call as flags; what is wrong, or empty.
static std::string readAxes(const KernelCall &call, KernelNeeds &needs,
                            std::vector<bool> &isReduced) {
  const int64_t rank = call.operand(0).rank();
  std::vector<int64_t> axes = call.intsAttr("axes");
  if (call.hasOperand(1) && !readHostInts(call, 1, needs, axes))
    return "axes must be constant";
  const bool all = axes.empty() && call.intAttr("noop_with_empty_axes", 0) == 0;
  isReduced.assign(rank, all);
  for (int64_t axis : axes) {
    if (normalizeAxis(axis, rank) < 0)
      return "an axis is out of range";
    isReduced[normalizeAxis(axis, rank)] = true;
  }
  return "";
}

static ReducePlan planReduction(const std::vector<int64_t> &shape,
                                const std::vector<bool> &isReduced) {
  const std::vector<int64_t> dense = denseStrides(shape);
  std::vector<int64_t> keptShape, keptStrides, shapeOut, stridesOut;
  bool inRows = true;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1)
      inRows = isReduced[d];
    (isReduced[d] ? shapeOut : keptShape).push_back(shape[d]);
    (isReduced[d] ? stridesOut : keptStrides).push_back(dense[d]);
  }
  StridedLoop<1> kept(keptShape, {keptStrides});
  StridedLoop<1> reduced(shapeOut, {stridesOut});
  return {kept,   reduced,         kept.numElements(), reduced.numElements(),
          inRows, kept.rowLength()};
}

template <typename T, typename Fold>
static T foldRows(const ReducePlan &plan, const T *x) {
  typename Fold::Acc lanes[8];
  for (auto &lane : lanes)
    lane = Fold::start();
  const int64_t step = plan.reduced.rowStride(0);
  plan.reduced.walk(0, plan.perResult,
                    [&](int64_t, const auto &from, int64_t n) {
                      const T *row = x + from[0];
                      int64_t i = 0;
                      if (step == 1)
                        for (; i + 8 <= n; i += 8)
                          for (int l = 0; l < 8; ++l)
                            Fold::step(lanes[l], row[i + l]);
                      for (; i < n; ++i)
                        Fold::step(lanes[i & 7], row[i * step]);
                    });
  for (int l = 1; l < 8; ++l)
    Fold::merge(lanes[0], lanes[l]);
  return Fold::finish(lanes[0], plan.perResult);
}

template <typename T, typename Fold>
static void foldTile(const ReducePlan &plan, const T *x, T *y, int64_t count) {
  typename Fold::Acc acc[tileSize];
  for (int64_t j = 0; j < count; ++j)
    acc[j] = Fold::start();
  plan.reduced.walk(0, plan.perResult,
                    [&](int64_t, const auto &from, int64_t n) {
                      const int64_t step = plan.reduced.rowStride(0);
                      for (int64_t i = 0; i < n; ++i) {
                        const T *row = x + from[0] + i * step;
                        for (int64_t j = 0; j < count; ++j)
                          Fold::step(acc[j], row[j]);
                      }
                    });
  for (int64_t j = 0; j < count; ++j)
    y[j] = Fold::finish(acc[j], plan.perResult);
}

template <template <typename> class Fold, bool floatsOnly = false>
static KernelBuild makeReduce(const KernelCall &call, const CpuContext &cpu) {
  if (std::string why = checkArity(call, 1); !why.empty())
    return refuse(why);
  KernelNeeds needs;
  std::vector<bool> isReduced;
  if (std::string why = readAxes(call, needs, isReduced); !why.empty())
    return refuse(why);
  const ReducePlan plan = planReduction(call.operand(0).shape, isReduced);
  if (!plan.kept.isValid() || !plan.reduced.isValid())
    return refuse("the rank is too high");
  if (plan.results != call.result(0).numElements())
    return refuse("the axes don't lead to the result's shape");
  const int threads = cpu.threads;
  auto make = [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.needs = needs;
    build.run = [plan, threads](const KernelBuffers &buffers) -> std::string {
      const T *x = in<T>(buffers, 0);
      T *y = out<T>(buffers);
      const int64_t work = std::max<int64_t>(1, plan.perResult);
      const int64_t grain =
          std::max<int64_t>(plan.inRows ? 1 : 16, elementGrain / work);
      parallelFor(
          threads, plan.results, grain, [&](int64_t begin, int64_t end) {
            plan.kept.walk(
                begin, end, [&](int64_t to, const auto &from, int64_t n) {
                  const int64_t step = plan.kept.rowStride(0);
                  if (plan.inRows || step != 1) {
                    for (int64_t i = 0; i < n; ++i)
                      y[to + i] =
                          foldRows<T, Fold<T>>(plan, x + from[0] + i * step);
                    return;
                  }
                  for (int64_t i = 0; i < n; i += tileSize)
                    foldTile<T, Fold<T>>(plan, x + from[0] + i, y + to + i,
                                         std::min(tileSize, n - i));
                });
          });
      return "";
    };
    return build;
  };
  if constexpr (floatsOnly)
    return withFloat(call.operand(0).type, make);
  else
    return withWideNumber(call.operand(0).type, make);
}

void cpu::addReduceKernels(KernelTable &table) {
  table.add("onnx.ReduceSum", makeReduce<SumFold>);
  table.add("onnx.ReduceMean", makeReduce<MeanFold>);
  table.add("onnx.ReduceProd", makeReduce<ProdFold>);
  table.add("onnx.ReduceMax", makeReduce<MaxFold>);
  table.add("onnx.ReduceMin", makeReduce<MinFold>);
  table.add("onnx.ReduceL1", makeReduce<L1Fold>);
  table.add("onnx.ReduceL2", makeReduce<L2Fold, true>);
  table.add("onnx.ReduceSumSquare", makeReduce<SquareFold>);
  table.add("onnx.ReduceLogSum", makeReduce<LogSumFold, true>);
  table.add("onnx.ReduceLogSumExp", makeReduce<LogSumExpFold, true>);
}
