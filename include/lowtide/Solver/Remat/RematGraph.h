//===- RematGraph.h - A problem, prepared for solvers -----------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Everything the simulator and the solvers look up again and again, computed
// once from a checked problem: producers, users, aligned bytes, positions.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_REMAT_REMATGRAPH_H
#define LOWTIDE_SOLVER_REMAT_REMATGRAPH_H

#include "lowtide/Solver/Remat/RematProblem.h"

#include <climits>

namespace lowtide::solver {

/// One way of an op to write into a dying operand.
struct InplacePair {
  int input, output;
  int64_t savedBytes;
};

struct RematGraph {
  explicit RematGraph(const RematProblem &problem);

  int numOps() const { return int(problem->ops.size()); }
  int numValues() const { return int(problem->values.size()); }
  const std::vector<int> &inputs(int op) const {
    return problem->ops[op].inputs;
  }
  const std::vector<int> &outputs(int op) const {
    return problem->ops[op].outputs;
  }
  int64_t cost(int op) const { return problem->ops[op].cost; }

  /// Bytes resident while `op` runs with nothing else kept, `residentBytes`
  /// excluded: inputs, outputs and workspace, less what in-place can save.
  int64_t workingSetBytes(int op) const;

  const RematProblem *problem;
  std::vector<int> producer;           ///< per value, -1: always resident
  std::vector<int> baseOf;             ///< per value, -1: not a view
  std::vector<int64_t> bytes;          ///< per value, aligned; views: 0
  std::vector<int64_t> workspace;      ///< per op, aligned
  std::vector<std::vector<int>> users; ///< per value, in order
  std::vector<int> position;           ///< per op, in the problem's order
  std::vector<int> order;              ///< the problem's order
  std::vector<bool> keep;              ///< per value
  std::vector<int> maxRuns;            ///< per op, INT_MAX: no limit
  /// Per op: the first position whose op must come after every run of it.
  std::vector<int> deadline;
  /// Per op: the ops that must come after every run of it.
  std::vector<std::vector<int>> later;
  /// Per op, the largest saving first.
  std::vector<std::vector<InplacePair>> inplace;
  /// Per op: what one more run weighs when plans are compared.
  std::vector<double> searchCost;
  int64_t totalCost = 0; ///< every op once
};

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_REMAT_REMATGRAPH_H
