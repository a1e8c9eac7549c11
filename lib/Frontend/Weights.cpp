//===- Weights.cpp - Bytes of initializers, by name -----------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Frontend/Weights.h"

#include <vector>

namespace lowtide {

const WeightStore::Entry *WeightStore::find(llvm::StringRef name) const {
  auto it = entriesByName.find(name.str());
  return it == entriesByName.end() ? nullptr : &it->second;
}

void WeightStore::set(llvm::StringRef name, Entry entry) {
  entriesByName[name.str()] = std::move(entry);
}

void WeightStore::set(llvm::StringRef name, mlir::RankedTensorType type,
                      std::vector<char> bytes) {
  auto owned = std::make_shared<const std::vector<char>>(std::move(bytes));
  llvm::ArrayRef<char> view(owned->data(), owned->size());
  set(name, Entry{type, view, owned});
}

} // namespace lowtide
