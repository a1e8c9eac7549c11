//===- RematProblem.h - What a rematerialization solver reads ---*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A problem is a list of ops with costs, the values they read and make, and an
// order in which every op runs once. A schedule is a list of op indices, an op
// more than once where it is recomputed. While an op runs, its outputs, its
// inputs, its workspace and all that is kept for later are resident. A copy of
// a value lives from the op that made it to the last use before the value is
// made again; a copy without uses dies right after its op.
//
// Beyond that, all optional:
//  * a value without producer is always resident and isn't counted here: put
//    its bytes into `residentBytes`;
//  * `keep`: values whose last copy lives to the end of the schedule;
//  * `views`: (view, base): the view has no bytes of its own; a copy of it
//    keeps the copy of the base alive that it was made from;
//  * `inplace`: (op, input, output): where the input's copy dies at this run
//    of the op, the two share bytes, so min(input, output) is counted once.
//    An input and an output take part in one pair at most; the pairs that save
//    most are taken first, ties in the order of the list;
//  * `after`: (earlier, later): every run of `earlier` stands before every run
//    of `later` (a parameter update, and all readers of the old parameter);
//  * `alignment`: all bytes are rounded up to a multiple of it.
//
// Tested by test/unit/Solver/RematProblemTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_REMAT_REMATPROBLEM_H
#define LOWTIDE_SOLVER_REMAT_REMATPROBLEM_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::solver {

/// What the user asks for an op. `Save`: it runs once. `Recompute`: its extra
/// runs count as free when plans are compared. The prefer forms weigh the
/// extra cost by 4 and by 1/4. Reported costs and bounds are always the true
/// ones.
enum class RematPolicy { None, Save, Recompute, PreferSave, PreferRecompute };

struct RematOp {
  std::string name;
  int64_t cost = 0;
  int64_t workspaceBytes = 0;
  std::vector<int> inputs;  ///< value indices, each once
  std::vector<int> outputs; ///< value indices, each made by one op only
  bool recomputable = true;
  int maxRuns = 0; ///< most runs, the first included; 0: no limit
  RematPolicy policy = RematPolicy::None;
  int64_t id = -1; ///< the id in the problem file; -1: the index
};

struct RematValue {
  std::string name;
  int64_t bytes = 0;
  int64_t id = -1; ///< the id in the problem file; -1: the index
};

struct RematView {
  int view, base;
};
struct RematInplace {
  int op, input, output;
};
struct RematAfter {
  int earlier, later;
};

struct RematProblem {
  std::string name;
  std::vector<RematOp> ops;
  std::vector<RematValue> values;
  std::vector<int> order; ///< op indices, topological
  int64_t residentBytes = 0;
  int64_t alignment = 1;
  std::vector<int> keep;
  std::vector<RematView> views;
  std::vector<RematInplace> inplace;
  std::vector<RematAfter> after;

  /// Adds a value and returns its index.
  int addValue(std::string valueName, int64_t bytes);
  /// Adds an op and returns its index; the caller fills `order`.
  int addOp(RematOp op);
  int64_t opId(int op) const { return ops[op].id < 0 ? op : ops[op].id; }
  int64_t valueId(int value) const {
    return values[value].id < 0 ? value : values[value].id;
  }
};

/// A schedule: op indices in the order they run.
using RematSchedule = std::vector<int>;

/// Success when the problem is well formed: indices in range, one producer
/// per value, no negative or overflowing sizes, `order` a topological order of
/// all ops that `after` agrees with. Otherwise the first defect, in words.
llvm::Error checkProblem(const RematProblem &problem);

/// A topological order of ops (data and `after` edges) that follows the index
/// where it can; an error that names an op on a cycle when there is none.
llvm::Expected<std::vector<int>> topologicalOrder(const RematProblem &problem);

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_REMAT_REMATPROBLEM_H
