//===- Npz.h - Arrays in .npz files -----------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Reads and writes what numpy.savez makes: a zip archive of .npy members. The
// reader is told which arrays are wanted and takes no more memory than those
// need, whatever the file claims.
//
// Tested by test/Tools/npz.test.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_NPZ_H
#define LOWTIDE_TOOLS_LOWTIDE_NPZ_H

#include "lowtide/Runtime/Tensor.h"

#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace lowtide::cli {

using ArrayBytes = std::vector<std::byte>;
using ArrayTypes = std::map<std::string, runtime::TensorDesc>;

/// Reads every member of the file. Each must be wanted, have the wanted shape
/// and a type whose values the wanted type holds: any float or integer becomes
/// a float, an integer or boolean becomes an integer where it fits.
llvm::Expected<std::map<std::string, ArrayBytes>>
readNpz(llvm::StringRef path, const ArrayTypes &wanted);

struct NamedArray {
  std::string name;
  runtime::TensorDesc desc;
  ArrayBytes bytes;
};
/// Writes atomically; equal arrays give equal files.
llvm::Error writeNpz(llvm::StringRef path,
                     const std::vector<NamedArray> &arrays);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_NPZ_H
