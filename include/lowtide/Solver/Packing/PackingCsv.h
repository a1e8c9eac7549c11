//===- PackingCsv.h - Packing problems as tables ----------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// One buffer a line under a header that names the columns. Required: `id`,
// `lower`, `upper` (half-open) and `size`. Optional: `alignment`, `pinned`
// (an offset), `group`, `alias`, `space`, and `gaps` ("5-7 9-12": half-open
// stretches in which the buffer is not needed). A `start,end` header means
// inclusive ends. An answer repeats the columns and adds `offset`.
//
// Tested by test/unit/Solver/Packing/PackingCsvTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_SOLVER_PACKING_PACKINGCSV_H
#define LOWTIDE_SOLVER_PACKING_PACKINGCSV_H

#include "lowtide/Solver/Packing/PackingProblem.h"

namespace lowtide::solver {

/// Reads a table. Errors name the line. A column `offset` is read into
/// `offsetsBytes` where that is given, and ignored otherwise.
llvm::Expected<PackingProblem>
readPackingCsv(llvm::StringRef text,
               std::vector<int64_t> *offsetsBytes = nullptr);

/// Writes the problem, with the column `offset` when offsets are given.
std::string writePackingCsv(const PackingProblem &problem,
                            llvm::ArrayRef<int64_t> offsetsBytes = {});

} // namespace lowtide::solver

#endif // LOWTIDE_SOLVER_PACKING_PACKINGCSV_H
