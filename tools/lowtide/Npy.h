//===- Npy.h - The header of a .npy member ----------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A .npy file begins with a magic string, a version, the length of a text and
// that text: a Python dictionary with the keys 'descr', 'fortran_order' and
// 'shape'. Versions 1 to 3 differ in the width of the length and in encoding.
//
// Tested by test/Tools/npz.test.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_NPY_H
#define LOWTIDE_TOOLS_LOWTIDE_NPY_H

#include "Npz.h"

namespace lowtide::cli {

/// Bytes before the length of the text is known.
inline constexpr size_t npyPrefixBytes = 12;
/// Longest text that we read.
inline constexpr size_t longestNpyText = 1 << 16;

struct NpyPrefix {
  size_t textBegin = 0;
  size_t textBytes = 0;
};
llvm::Expected<NpyPrefix> parseNpyPrefix(llvm::StringRef bytes);
llvm::Expected<runtime::TensorDesc> parseNpyText(llvm::StringRef text);
/// Prefix and text for an array of this type.
std::string makeNpyHeader(const runtime::TensorDesc &desc);

/// The elements of `bytes` in another type; the shapes are equal.
llvm::Expected<ArrayBytes>
convertElements(ArrayBytes bytes, runtime::DataType from, runtime::DataType to);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_NPY_H
