//===- OrderOps.cpp - The order of ops with the least peak ----------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: the topological order with the smallest peak.
//
// Idea: ops that are comparable with all others stand at one place in every
// order and cut it into segments that are solved one by one. In a segment the
// peak is halved in between what is proved and what is known to work, each
// try a search under that peak (OrderSearch.cpp), forwards and backwards in
// time. The peak of one segment is allowed to all others.
//
// Example: a diamond s -> {a, b} -> t has the segments {s}, {a, b}, {t}.
//
// Complexity: a counted number of placed ops; each costs its operands and the
// ready ops around it. Past 12,000 ops the graph is one segment.
//
// Reference: Kayaaslan et al., "Scheduling series-parallel task graphs to
// minimize peak memory" (2018), for the role of cuts.
//
// Tested by test/unit/Solver/Schedule/OrderOpsTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Schedule/OrderOps.h"

#include "OrderBound.h"
#include "OrderSearch.h"
#include "SeriesParallel.h"

#include "lowtide/Solver/Remat/Simulate.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <memory>

using namespace lowtide::solver;

llvm::StringRef lowtide::solver::toString(OrderStatus status) {
  return status == OrderStatus::Optimal ? "optimal" : "feasible";
}

namespace {
/// Positions [first, last) of the order.
struct Segment {
  size_t first, last;
  int64_t peakBytes;
};

/// One way to search.
struct Attempt {
  TimeDirection direction;
  ChoiceRule rule;
};

class Orderer {
public:
  Orderer(const RematProblem &problem, const OrderOptions &options)
      : options(options), start(std::chrono::steady_clock::now()),
        base(problem), forward(base, TimeDirection::Forward),
        backward(base, TimeDirection::Backward) {}

  llvm::Expected<OrderResult> run();

private:
  bool isLate() {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count() < options.timeLimitSeconds)
      return false;
    result.stoppedByClock = true;
    return true;
  }
  bool isSpent() { return result.steps >= stepLimit || result.stoppedByClock; }
  void boundByForcedBytes();
  void boundByCuts();
  void trySeriesParallel();
  std::vector<Segment> cutIntoSegments();
  void measure(Segment &segment);
  void improve(Segment &segment);
  OrderAnswer tryPeak(Segment &segment, int64_t peakBytes, uint64_t steps);
  OrderAnswer tryOnce(Segment &segment, int64_t peakBytes, uint64_t steps,
                      const Attempt &attempt);
  void dive(Segment &segment);
  std::vector<int64_t> profile();
  void polish(Segment &segment);
  bool polishAt(const Segment &segment, size_t at);

  const OrderOptions &options;
  std::chrono::steady_clock::time_point start;
  RematGraph base;
  OrderGraph forward, backward;
  std::unique_ptr<Reachability> reach;
  std::vector<int64_t> forced; ///< per op
  OrderResult result;
  uint64_t stepLimit = 0;
  /// Nothing is gained by a segment below this peak.
  int64_t floorBytes = 0;
  bool allExact = true;
};
} // namespace

void Orderer::boundByForcedBytes() {
  forced.resize(forward.numOps);
  if (forward.numOps <= kMostReachableOps)
    reach = std::make_unique<Reachability>(forward, base.order);
  for (int op = 0; op < forward.numOps; ++op) {
    forced[op] =
        reach ? forcedBytes(forward, *reach, op) : ownBytes(forward, op);
    result.lowerBoundBytes = std::max(result.lowerBoundBytes, forced[op]);
  }
}

/// Cuts at the ops that promise most: those with the most forced bytes.
void Orderer::boundByCuts() {
  if (!reach)
    return;
  std::vector<int> ops(forward.numOps);
  for (int op = 0; op < forward.numOps; ++op)
    ops[op] = op;
  std::sort(ops.begin(), ops.end(), [&](int a, int b) {
    return std::tie(forced[b], a) < std::tie(forced[a], b);
  });
  size_t budget = size_t(2e5 * options.effort) / (forward.numOps + 1) + 1;
  for (int op : ops) {
    if (budget-- == 0 || result.lowerBoundBytes >= result.peakBytes || isLate())
      return;
    result.lowerBoundBytes =
        std::max(result.lowerBoundBytes, cutBytes(forward, *reach, op));
  }
}

/// Composes orders while they get better; the last user of a value, where it
/// is open, is taken from the order before.
void Orderer::trySeriesParallel() {
  if (!reach)
    return;
  for (int round = 0; round < 4; ++round) {
    if (result.peakBytes <= result.lowerBoundBytes)
      return;
    SeriesParallelOrder composed =
        orderSeriesParallel(forward, *reach, result.order);
    llvm::Expected<Simulation> simulation = simulate(base, composed.order);
    assert(simulation && "a composed order must be topological");
    if (!simulation)
      return llvm::consumeError(simulation.takeError());
    if (composed.isOptimal)
      result.lowerBoundBytes =
          std::max(result.lowerBoundBytes, simulation->peakBytes);
    if (simulation->peakBytes >= result.peakBytes)
      return;
    result.order = std::move(composed.order);
    result.peakBytes = simulation->peakBytes;
  }
}

std::vector<Segment> Orderer::cutIntoSegments() {
  std::vector<Segment> segments;
  size_t n = result.order.size(), first = 0;
  for (size_t t = 0; t < n; ++t) {
    int op = result.order[t];
    bool isFixed = reach && reach->numBefore(op) == int(t) &&
                   reach->numAfter(op) == int(n - 1 - t);
    if (!isFixed && t + 1 < n)
      continue;
    if (!isFixed)
      ++t;
    if (t > first)
      segments.push_back({first, t, 0});
    if (isFixed)
      segments.push_back({t, t + 1, 0});
    first = t + 1;
  }
  return segments;
}

/// The peak of the segment in the order at hand.
void Orderer::measure(Segment &segment) {
  OrderState state(forward);
  result.steps += segment.last;
  segment.peakBytes = 0;
  for (size_t t = 0; t < segment.last; ++t) {
    if (t >= segment.first)
      segment.peakBytes =
          std::max(segment.peakBytes, state.bytesDuring(result.order[t]));
    state.run(result.order[t]);
  }
}

OrderAnswer Orderer::tryOnce(Segment &segment, int64_t peakBytes,
                             uint64_t steps, const Attempt &attempt) {
  bool isForward = attempt.direction == TimeDirection::Forward;
  const OrderGraph &graph = isForward ? forward : backward;
  size_t n = result.order.size();
  OrderState state(graph);
  result.steps += n;
  if (isForward)
    for (size_t t = 0; t < segment.first; ++t)
      state.run(result.order[t]);
  else
    for (size_t t = n; t > segment.last; --t)
      state.run(result.order[t - 1]);
  size_t from = state.sequence().size();
  OrderLimits limits;
  limits.rule = attempt.rule;
  if (peakBytes == INT64_MAX) {
    limits.width = 8;
    limits.depth = 6;
    limits.pathTries = 32;
  }
  limits.steps = steps;
  limits.isLate = [this] { return isLate(); };
  std::vector<bool> allowed(n, false);
  for (size_t t = segment.first; t < segment.last; ++t)
    allowed[result.order[t]] = true;
  limits.allowed = &allowed;
  OrderAnswer answer =
      extendWithin(graph, state, from + segment.last - segment.first, peakBytes,
                   limits, result.steps);
  if (answer.kind != OrderAnswer::Found)
    return answer;
  std::vector<int> before(result.order.begin() + segment.first,
                          result.order.begin() + segment.last);
  int64_t peakBefore = segment.peakBytes;
  for (size_t i = 0; i < segment.last - segment.first; ++i)
    result.order[isForward ? segment.first + i : segment.last - 1 - i] =
        state.sequence()[from + i];
  measure(segment);
  if (segment.peakBytes > peakBefore) {
    std::copy(before.begin(), before.end(),
              result.order.begin() + segment.first);
    segment.peakBytes = peakBefore;
  }
  return answer;
}

/// Both rules, both directions, until one settles the question.
OrderAnswer Orderer::tryPeak(Segment &segment, int64_t peakBytes,
                             uint64_t steps) {
  static constexpr Attempt attempts[] = {
      {TimeDirection::Forward, ChoiceRule::FewestBytes},
      {TimeDirection::Backward, ChoiceRule::FewestBytes},
      {TimeDirection::Forward, ChoiceRule::SteepestDescent},
      {TimeDirection::Backward, ChoiceRule::SteepestDescent}};
  OrderAnswer answer;
  for (const Attempt &attempt : attempts) {
    answer = tryOnce(segment, peakBytes, steps, attempt);
    if (answer.kind != OrderAnswer::Unknown || isSpent())
      return answer;
  }
  return answer;
}

/// One dive in each direction with all bytes allowed: plain list scheduling.
void Orderer::dive(Segment &segment) {
  uint64_t steps = 200 * (segment.last - segment.first);
  for (TimeDirection direction :
       {TimeDirection::Forward, TimeDirection::Backward})
    if (segment.peakBytes > floorBytes && !isLate())
      tryOnce(segment, INT64_MAX, steps, {direction, ChoiceRule::FewestBytes});
}

/// Bytes at every step of the order at hand.
std::vector<int64_t> Orderer::profile() {
  OrderState state(forward);
  result.steps += result.order.size();
  std::vector<int64_t> bytes;
  for (int op : result.order) {
    bytes.push_back(state.bytesDuring(op));
    state.run(op);
  }
  return bytes;
}

/// Takes the first step at the peak and orders a window of ops around it anew,
/// wider and wider, until the window stays below the peak; then the next one.
void Orderer::polish(Segment &segment) {
  while (segment.peakBytes > floorBytes && !isSpent()) {
    std::vector<int64_t> bytes = profile();
    size_t at = std::max_element(bytes.begin() + segment.first,
                                 bytes.begin() + segment.last) -
                bytes.begin();
    if (!polishAt(segment, at))
      break;
    measure(segment);
  }
}

bool Orderer::polishAt(const Segment &segment, size_t at) {
  int64_t target = segment.peakBytes - 1;
  for (size_t width = 8; width <= 512; width *= 2) {
    for (size_t before : {width / 2, width - 2, size_t(2)}) {
      size_t first = at - std::min(at - segment.first, before);
      Segment window{first, std::min(segment.last, first + width), 0};
      measure(window);
      OrderAnswer answer = tryPeak(window, target, width * 300 + 4000);
      if (answer.kind == OrderAnswer::Found)
        return true;
      if (isSpent())
        return false;
    }
    if (width >= segment.last - segment.first)
      break;
  }
  return false;
}

/// Segments up to this size go to the exact search at once.
static constexpr size_t kSmallSegment = 16;

void Orderer::improve(Segment &segment) {
  size_t size = segment.last - segment.first;
  int64_t proved = floorBytes;
  for (size_t t = segment.first; t < segment.last; ++t)
    proved = std::max(proved, forced[result.order[t]]);
  // What is known not to work within the effort, though not proved.
  int64_t open = proved;
  bool isExact = true;
  uint64_t share = uint64_t(size) * 8 + uint64_t(20000 * options.effort);
  int64_t target = open;
  if (size > kSmallSegment && segment.peakBytes > open) {
    tryPeak(segment, target, uint64_t(size) * 4 + 5000);
    if (segment.peakBytes > target)
      dive(segment);
    polish(segment);
  }
  while (segment.peakBytes > open) {
    if (isSpent()) {
      isExact = false;
      break;
    }
    OrderAnswer answer = tryPeak(segment, target, share);
    if (answer.kind == OrderAnswer::Impossible) {
      open = std::max(open, answer.leastPeakBytes);
      proved = isExact ? open : std::max(proved, answer.leastPeakBytes);
    } else if (answer.kind == OrderAnswer::Unknown) {
      isExact = false;
      open = std::max(open, target + 1);
    }
    int64_t gap = segment.peakBytes - open;
    if (!isExact && gap <= open / 1000)
      break;
    target = open + gap / 2;
    if (gap > 0 && target >= segment.peakBytes)
      target = segment.peakBytes - 1;
  }
  if (segment.peakBytes <= proved)
    isExact = true;
  allExact &= isExact;
  floorBytes = std::max(floorBytes, isExact ? segment.peakBytes : proved);
  result.lowerBoundBytes =
      std::max(result.lowerBoundBytes,
               isExact ? std::min(segment.peakBytes, floorBytes) : proved);
}

llvm::Expected<OrderResult> Orderer::run() {
  result.order = base.order;
  llvm::Expected<Simulation> before = simulate(base, base.order);
  if (!before)
    return before.takeError();
  result.inputOrderPeakBytes = result.peakBytes = before->peakBytes;
  result.lowerBoundBytes = base.problem->residentBytes;
  boundByForcedBytes();
  stepLimit = uint64_t(options.effort * 1.2e7);
  trySeriesParallel();
  std::vector<Segment> segments = cutIntoSegments();
  for (Segment &segment : segments)
    measure(segment);
  // The hardest segment first: its peak frees all others from trying.
  std::vector<Segment *> byPeak;
  for (Segment &segment : segments)
    byPeak.push_back(&segment);
  std::stable_sort(byPeak.begin(), byPeak.end(),
                   [](const Segment *a, const Segment *b) {
                     return a->peakBytes > b->peakBytes;
                   });
  floorBytes = result.lowerBoundBytes;
  for (Segment *segment : byPeak)
    improve(*segment);
  llvm::Expected<Simulation> after = simulate(base, result.order);
  if (!after)
    return after.takeError();
  result.peakBytes = after->peakBytes;
  if (result.peakBytes > result.inputOrderPeakBytes) {
    result.order = base.order;
    result.peakBytes = result.inputOrderPeakBytes;
  }
  if (result.peakBytes > result.lowerBoundBytes)
    boundByCuts();
  if (result.peakBytes <= result.lowerBoundBytes)
    result.status = OrderStatus::Optimal;
  return std::move(result);
}

llvm::Expected<OrderResult>
lowtide::solver::orderForLeastPeak(const RematProblem &problem,
                                   const OrderOptions &options) {
  if (llvm::Error error = checkProblem(problem))
    return std::move(error);
  return Orderer(problem, options).run();
}
