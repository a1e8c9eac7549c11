//===- Weights.h - Bytes of initializers, by name ---------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Weights are never copied into the IR. The store keeps, for each name, a view
// of bytes that live in a memory-mapped file or in a buffer that the store
// owns. Tensors are dense, little-endian, row-major.
//
// Tested by test/unit/Frontend/WeightsTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_FRONTEND_WEIGHTS_H
#define LOWTIDE_FRONTEND_WEIGHTS_H

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lowtide {

class WeightStore {
public:
  struct Entry {
    mlir::RankedTensorType type;
    llvm::ArrayRef<char> bytes;
    /// Keeps the mapping or buffer alive that `bytes` points into.
    std::shared_ptr<const void> owner;
  };

  /// Null when there is no such weight.
  const Entry *find(llvm::StringRef name) const;
  /// Adds or replaces.
  void set(llvm::StringRef name, Entry entry);
  void set(llvm::StringRef name, mlir::RankedTensorType type,
           std::vector<char> bytes);
  using Entries =
      llvm::MapVector<std::string, Entry, std::map<std::string, unsigned>>;
  /// In the order in which they were added.
  const Entries &entries() const { return entriesByName; }

private:
  Entries entriesByName;
};

} // namespace lowtide

#endif // LOWTIDE_FRONTEND_WEIGHTS_H
