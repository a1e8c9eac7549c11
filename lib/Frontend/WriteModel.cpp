//===- WriteModel.cpp - Model files, whole or not at all ------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Files are made in a hidden folder beside the target, under their final names,
// so that the checker finds the data file by the model's own reference. Then
// they are renamed into place, the data first. A model that is written over
// itself is safe: the old data file stays mapped until nobody reads it.
//
// Tested by test/Frontend/external_data.py.
//
//===----------------------------------------------------------------------===//

#include "WriteModel.h"

#include "TensorData.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "onnx/checker.h"

#include <map>

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace lowtide::frontend {

using llvm::StringRef;
using llvm::Twine;
using ::onnx::ModelProto;
using ::onnx::TensorProto;

namespace {

constexpr int64_t maximumFileBytes = 1'500'000'000;
constexpr int64_t smallTensorBytes = 1024;
constexpr int64_t dataAlignment = 64;

/// A folder that vanishes with what is still in it.
class WorkFolder {
public:
  explicit WorkFolder(StringRef target) {
    llvm::SmallString<256> parent(path::parent_path(target));
    if (parent.empty())
      parent = ".";
    llvm::SmallString<256> model(parent);
    path::append(model, "." + path::filename(target) + ".lowtide-%%%%%%%%");
    for (int tries = 0; tries < 16; ++tries) {
      llvm::SmallString<256> name;
      fs::createUniquePath(model, name, /*MakeAbsolute=*/false);
      error = fs::create_directory(name, /*IgnoreExisting=*/false);
      if (error == std::errc::file_exists)
        continue;
      if (!error)
        folder = name.str().str();
      return;
    }
  }
  ~WorkFolder() {
    for (const std::string &file : files) {
      fs::remove(file);
      llvm::sys::DontRemoveFileOnSignal(file);
    }
    if (!folder.empty())
      fs::remove(folder);
  }
  WorkFolder(const WorkFolder &) = delete;
  WorkFolder &operator=(const WorkFolder &) = delete;

  bool isOpen() const { return !folder.empty(); }
  std::string file(StringRef name) {
    llvm::SmallString<256> full(folder);
    path::append(full, name);
    files.push_back(full.str().str());
    llvm::sys::RemoveFileOnSignal(full);
    return files.back();
  }

  std::error_code error;

private:
  std::string folder;
  std::vector<std::string> files;
};

/// Writes tensors one after the other; the same range twice is written once.
class DataFile {
public:
  DataFile(StringRef path, std::error_code &error) : stream(path, error) {}

  int64_t append(llvm::ArrayRef<char> bytes) {
    auto [it, isNew] =
        offsets.try_emplace({bytes.data(), bytes.size()}, position);
    if (!isNew)
      return it->second;
    int64_t padding =
        (dataAlignment - position % dataAlignment) % dataAlignment;
    stream.write_zeros(static_cast<unsigned>(padding));
    position += padding;
    it->second = position;
    stream.write(bytes.data(), bytes.size());
    position += static_cast<int64_t>(bytes.size());
    return it->second;
  }

  std::error_code finish() {
    stream.close();
    std::error_code error = stream.error();
    stream.clear_error();
    return error;
  }

private:
  llvm::raw_fd_ostream stream;
  std::map<std::pair<const char *, size_t>, int64_t> offsets;
  int64_t position = 0;
};

void makeExternal(TensorProto &tensor, StringRef location, int64_t offset,
                  int64_t length) {
  tensor.clear_external_data();
  auto add = [&](const char *key, std::string value) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(std::move(value));
  };
  add("location", location.str());
  add("offset", std::to_string(offset));
  add("length", std::to_string(length));
}

FileStatus resolveReferences(ModelProto &proto, const WeightStore &weights,
                             DataFile *data, StringRef location,
                             const FileDiagnostics &diagnostics) {
  return forEachTensor(proto, [&](TensorProto &tensor, const TensorSite &site) {
    if (!isReference(tensor))
      return FileStatus::Ok;
    const WeightStore::Entry *entry = weights.find(referenceName(tensor));
    if (!entry)
      return diagnostics.unsupported(site.what +
                                     ": nothing holds the bytes of '" +
                                     referenceName(tensor) + "'");
    int64_t size = static_cast<int64_t>(entry->bytes.size());
    if (data && size > smallTensorBytes) {
      makeExternal(tensor, location, data->append(entry->bytes), size);
      return FileStatus::Ok;
    }
    tensor.clear_external_data();
    tensor.clear_data_location();
    tensor.set_raw_data(entry->bytes.data(), entry->bytes.size());
    return FileStatus::Ok;
  });
}

int64_t referencedBytes(ModelProto &proto, const WeightStore &weights) {
  int64_t total = 0;
  forEachTensor(proto, [&](TensorProto &tensor, const TensorSite &) {
    if (isReference(tensor))
      if (const auto *entry = weights.find(referenceName(tensor)))
        total += static_cast<int64_t>(entry->bytes.size());
    return FileStatus::Ok;
  });
  return total;
}

/// Deterministic, and reports a full disk.
std::error_code writeProto(const ModelProto &proto, StringRef path) {
  int descriptor = -1;
  if (std::error_code error = fs::openFileForWrite(path, descriptor))
    return error;
  ::google::protobuf::io::FileOutputStream file(descriptor);
  bool good = false;
  {
    ::google::protobuf::io::CodedOutputStream stream(&file);
    stream.SetSerializationDeterministic(true);
    good = proto.SerializeToCodedStream(&stream);
  }
  good &= file.Flush();
  int systemError = file.GetErrno();
  good &= file.Close();
  if (good)
    return {};
  return std::error_code(systemError ? systemError : EIO,
                         std::generic_category());
}

} // namespace

FileStatus writeModel(ModelProto &proto, const WeightStore &weights,
                      bool external, StringRef target,
                      const FileDiagnostics &diagnostics) {
  auto failed = [&](const Twine &what, std::error_code error) {
    return diagnostics.inputOutput("cannot " + what + ": " + error.message());
  };
  int64_t bytes = referencedBytes(proto, weights);
  external |=
      bytes + static_cast<int64_t>(proto.ByteSizeLong()) > maximumFileBytes;
  bool hasData = external && bytes > 0;
  WorkFolder folder(target);
  if (!folder.isOpen())
    return failed("write into the folder of the model", folder.error);
  StringRef name = path::filename(target);
  std::string modelFile = folder.file(name), dataFile;
  if (hasData) {
    dataFile = folder.file((name + ".data").str());
    std::error_code error;
    DataFile data(dataFile, error);
    if (error)
      return failed("write the data file", error);
    FileStatus status = resolveReferences(proto, weights, &data,
                                          (name + ".data").str(), diagnostics);
    if (std::error_code lost = data.finish())
      return failed("write the data file", lost);
    if (status != FileStatus::Ok)
      return status;
  } else if (FileStatus s =
                 resolveReferences(proto, weights, nullptr, "", diagnostics);
             s != FileStatus::Ok) {
    return s;
  }
  if (std::error_code error = writeProto(proto, modelFile))
    return failed("write the model", error);
  try {
    ::onnx::checker::check_model(modelFile, /*full_check=*/true);
  } catch (const std::exception &error) {
    return diagnostics.unsupported("the written model does not pass the ONNX "
                                   "checker: " +
                                   Twine(error.what()));
  }
  if (fs::is_directory(target))
    return diagnostics.inputOutput("cannot write the model: it is a folder");
  if (hasData)
    if (std::error_code error = fs::rename(dataFile, (target + ".data").str()))
      return failed("put the data file into place", error);
  if (std::error_code error = fs::rename(modelFile, target))
    return failed("put the model into place", error);
  return FileStatus::Ok;
}

} // namespace lowtide::frontend
