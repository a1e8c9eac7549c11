//===- ExternalData.cpp - Tensors stored beside the model file ------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// A model file may come from a stranger, so a location is followed only inside
// the folder that the model is in: the folder as named, or the folder that the
// model's path resolves to. A symbolic link is fine when its target lies in one
// of them (download caches are built of such links), else it is refused.
//
// Tested by test/Frontend/external_data.py.
//
//===----------------------------------------------------------------------===//

#include "TensorData.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace lowtide::frontend {

using llvm::StringRef;
using llvm::Twine;

namespace {

bool isInside(StringRef file, StringRef directory) {
  if (directory.empty() || !file.consume_front(directory))
    return false;
  return directory.ends_with("/") || file.starts_with("/");
}

std::string realPath(StringRef name) {
  llvm::SmallString<256> real;
  if (fs::real_path(name, real))
    return "";
  return real.str().str();
}

/// A decimal number below 2^63; nothing otherwise.
std::optional<int64_t> parseSize(StringRef text) {
  int64_t value = 0;
  if (text.empty() || text.getAsInteger(10, value) || value < 0)
    return std::nullopt;
  return value;
}

struct ExternalRange {
  std::string location;
  int64_t offset = 0;
  std::optional<int64_t> length;
};

} // namespace

ExternalFiles::ExternalFiles(StringRef modelPath) {
  directory = path::parent_path(modelPath).str();
  if (directory.empty())
    directory = ".";
  // A model that is itself a link lives where the link points.
  resolvedDirectory = path::parent_path(realPath(modelPath)).str();
}

FileStatus ExternalFiles::open(StringRef location, StringRef what,
                               const FileDiagnostics &diagnostics, File &file) {
  auto known = files.find(location);
  if (known != files.end()) {
    file = known->second;
    return FileStatus::Ok;
  }
  if (location.empty() || location.contains('\0'))
    return diagnostics.badModel(what + ": external data without a location");
  if (path::is_absolute(location))
    return diagnostics.badModel(what + ": external data at '" + location +
                                "', which is not relative to the model");
  for (StringRef part :
       llvm::make_range(path::begin(location), path::end(location)))
    if (part == "..")
      return diagnostics.badModel(what + ": external data at '" + location +
                                  "' leaves the model's folder");
  llvm::SmallString<256> name(directory);
  path::append(name, location);
  std::string real = realPath(name);
  if (real.empty() && !resolvedDirectory.empty()) {
    llvm::SmallString<256> beside(resolvedDirectory);
    path::append(beside, location);
    real = realPath(beside);
  }
  if (real.empty())
    return diagnostics.inputOutput(what + ": cannot open external data '" +
                                   name + "'");
  if (!isInside(real, realPath(directory)) &&
      !isInside(real, resolvedDirectory))
    return diagnostics.badModel(what + ": external data at '" + location +
                                "' leaves the model's folder");
  if (!fs::is_regular_file(real))
    return diagnostics.inputOutput(what + ": external data '" + name +
                                   "' is not a file");
  llvm::Expected<fs::file_t> handle = fs::openNativeFileForRead(real);
  if (!handle) {
    llvm::consumeError(handle.takeError());
    return diagnostics.inputOutput(what + ": cannot open external data '" +
                                   name + "'");
  }
  uint64_t size = 0;
  std::error_code error = fs::file_size(real, size);
  if (!error && size > 0) {
    auto region = std::make_shared<fs::mapped_file_region>(
        *handle, fs::mapped_file_region::readonly, size, 0, error);
    if (!error) {
      file.bytes = llvm::ArrayRef<char>(region->const_data(), size);
      file.owner = region;
    }
  }
  fs::closeFile(*handle);
  if (error)
    return diagnostics.inputOutput(what + ": cannot map external data '" +
                                   name + "': " + error.message());
  files[location] = file;
  return FileStatus::Ok;
}

FileStatus ExternalFiles::find(const ::onnx::TensorProto &tensor,
                               StringRef what, int64_t bytes,
                               const FileDiagnostics &diagnostics,
                               WeightStore::Entry &entry) {
  ExternalRange range;
  for (const auto &pair : tensor.external_data()) {
    StringRef key = pair.key();
    std::optional<int64_t> number = parseSize(pair.value());
    if (key == "location") {
      range.location = pair.value();
    } else if (key == "offset" || key == "length") {
      if (!number)
        return diagnostics.badModel(what + ": external data with " + key +
                                    " '" + pair.value() +
                                    "', which is no size");
      if (key == "offset")
        range.offset = *number;
      else
        range.length = number;
    } else if (key != "checksum" && !warnedOfKeys) {
      warnedOfKeys = true;
      diagnostics.warn(what + ": external data with unknown key '" + key +
                       "', which is ignored");
    }
  }
  if (range.length && *range.length != bytes)
    return diagnostics.badModel(what + ": expected " + Twine(bytes) +
                                " bytes of external data but got " +
                                Twine(*range.length));
  File file;
  if (FileStatus s = open(range.location, what, diagnostics, file);
      s != FileStatus::Ok)
    return s;
  int64_t size = static_cast<int64_t>(file.bytes.size());
  if (range.offset > size || bytes > size - range.offset)
    return diagnostics.badModel(what + ": external data of " + Twine(bytes) +
                                " bytes at offset " + Twine(range.offset) +
                                " passes the end of '" + range.location +
                                "', which has " + Twine(size) + " bytes");
  entry.bytes = file.bytes.slice(range.offset, bytes);
  entry.owner = file.owner;
  return FileStatus::Ok;
}

} // namespace lowtide::frontend
