//===- BoundaryBound.h - Least extra cost seen from one step ----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Stand where op k of the order runs for the first time. Whatever later ops
// need of the earlier ones is resident at that step or is computed again
// afterwards. The cheapest way to do that within the budget is a lower bound
// on the extra cost of every schedule whose first runs follow the order,
// however often it recomputes; and its choice is a good plan.
//
// Tested by test/unit/Solver/BoundaryBoundTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_REMAT_BOUNDARYBOUND_H
#define LOWTIDE_SOLVER_REMAT_BOUNDARYBOUND_H

#include "lowtide/Solver/MaxFlow.h"
#include "lowtide/Solver/Remat/RematGraph.h"

#include <memory>

namespace lowtide::solver {

/// What is recomputed after the boundary, and what stays resident at it.
struct BoundaryChoice {
  std::vector<int> recomputed; ///< op indices, in order
  int64_t cost = 0;            ///< of those
  int64_t residentBytes = 0;   ///< kept beyond the working set of the op
};

struct BoundaryResult {
  /// Proved: no schedule fits, because the op alone needs too much.
  bool infeasible = false;
  /// Proved least extra cost.
  int64_t bound = 0;
  /// The price per byte at which the bound was found.
  double price = 0;
  /// The cheapest choice seen that fits at this step.
  BoundaryChoice within;
  /// The neighbouring choice just over the budget; empty when none is.
  BoundaryChoice over;
  /// `within.cost == bound`.
  bool isExact() const { return !infeasible && within.cost == bound; }
};

struct BoundaryOptions {
  bool freeOrder = false; ///< the bound must hold for every order
};

/// The bound at one step of the order.
class BoundaryProblem {
public:
  BoundaryProblem(const RematGraph &graph, int position,
                  BoundaryOptions options = {});

  /// The Lagrangian bound: the price is searched from `priceGuess` (0: none).
  BoundaryResult solve(int64_t budgetBytes, double priceGuess = 0);

  /// Closes the integrality gap by branching, until the cuts have looked at
  /// `maxWork` arcs; stops as soon as the bound reaches `enough`.
  BoundaryResult solveExactly(int64_t budgetBytes, int64_t enough,
                              int64_t maxWork, double priceGuess = 0);

  /// Least bytes at this step, `residentBytes` of the problem included, with
  /// anything recomputed that may be.
  int64_t floorBytes();

  int position() const { return where; }
  int64_t work() const { return flow ? flow->work() : 0; }

private:
  struct Evaluation {
    BoundaryChoice choice;
    int64_t bound = 0; ///< the Lagrangian at this price, rounded up
  };
  void classify();
  void collect();
  void buildNetwork();
  Evaluation evaluate(double price, int64_t room);
  BoundaryChoice leastBytes();
  BoundaryChoice readChoice() const;
  void setCapacities(int64_t costScale, int64_t byteScale);
  BoundaryResult search(int64_t room, double priceGuess);
  int pickBranch(const BoundaryResult &result) const;

  const RematGraph &graph;
  int where;
  BoundaryOptions options;
  int64_t workingSet = 0;
  std::vector<char> isPast;       ///< per op: surely ran before
  std::vector<char> isFuture;     ///< per op: surely runs after
  std::vector<int64_t> bytesAt;   ///< per value: bytes when kept at the step
  std::vector<char> isNeeded;     ///< per value: read later for sure
  std::vector<int> optional;      ///< values only recomputation may need
  std::vector<int> reruns;        ///< ops that may be recomputed later
  std::vector<int> rerunOf;       ///< per op: index into `reruns`, -1
  std::vector<int64_t> gain;      ///< per rerun: bytes it may free
  std::vector<signed char> fixed; ///< per rerun: -1 free, 0 not, 1 must
  std::vector<int> valueEdge, gainEdge, costEdge;
  int64_t neededBytes = 0; ///< of needed values
  int64_t totalBytes = 0, totalCost = 0;
  int64_t constantTerm = 0; ///< scaled, of the last capacities
  int source = 0, sink = 0;
  std::unique_ptr<MaxFlow> flow;
};

struct BestBound {
  bool infeasible = false;
  int position = -1; ///< where the bound, or the refusal, was found
  int64_t extraCost = 0;
  BoundaryResult result;
  int64_t work = 0;
  /// All steps that were solved: (bound, position), the best bound first.
  std::vector<std::pair<int64_t, int>> solved;
};

/// Searches the steps of the order for the best bound. `maxWork` counts arcs
/// of flow networks.
BestBound bestBoundary(const RematGraph &graph, int64_t budgetBytes,
                       BoundaryOptions options, int64_t maxWork);

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_REMAT_BOUNDARYBOUND_H
