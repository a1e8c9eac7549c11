//===- Npz.cpp - Arrays in .npz files -------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Archives are libzip's business. A member is read in two parts: its header,
// which says what it claims to be, and then, if that is what is wanted, exactly
// as many bytes as that takes.
//
//===----------------------------------------------------------------------===//

#include "Npz.h"
#include "Npy.h"

#include "lowtide/Support/Printable.h"

#include "llvm/ADT/Twine.h"

#include <zip.h>

#include <memory>

using namespace lowtide;
using namespace lowtide::cli;
using llvm::StringRef;
using runtime::TensorDesc;

static llvm::Error error(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

namespace {
struct CloseArchive {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t *member) const { zip_fclose(member); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;
using Member = std::unique_ptr<zip_file_t, CloseMember>;
} // namespace

static llvm::Expected<Archive> open(StringRef path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.str().c_str(), flags, &code));
  if (archive)
    return archive;
  zip_error_t reason;
  zip_error_init_with_code(&reason, code);
  std::string text = zip_error_strerror(&reason);
  zip_error_fini(&reason);
  return error("'" + path + "': " + text);
}

/// Reads exactly `bytes` bytes, fewer only at the member's end.
static llvm::Expected<size_t> readSome(zip_file_t *member, char *to,
                                       size_t bytes) {
  size_t got = 0;
  while (got < bytes) {
    zip_int64_t more = zip_fread(member, to + got, bytes - got);
    if (more < 0)
      return error("is damaged: " + llvm::Twine(zip_file_strerror(member)));
    if (more == 0)
      break;
    got += static_cast<size_t>(more);
  }
  return got;
}

static llvm::Expected<TensorDesc> readHeader(zip_file_t *member,
                                             std::string &dataStart) {
  std::string bytes(npyPrefixBytes, '\0');
  auto got = readSome(member, bytes.data(), bytes.size());
  if (!got)
    return got.takeError();
  bytes.resize(*got);
  auto prefix = parseNpyPrefix(bytes);
  if (!prefix)
    return prefix.takeError();
  size_t end = prefix->textBegin + prefix->textBytes;
  if (end > bytes.size()) {
    size_t have = bytes.size();
    bytes.resize(end);
    got = readSome(member, bytes.data() + have, end - have);
    if (!got)
      return got.takeError();
    if (*got != end - have)
      return error("is truncated");
  }
  dataStart = bytes.substr(end);
  return parseNpyText(
      StringRef(bytes).substr(prefix->textBegin, prefix->textBytes));
}

static llvm::Expected<ArrayBytes> readMember(zip_file_t *member,
                                             const TensorDesc &wanted) {
  std::string dataStart;
  auto found = readHeader(member, dataStart);
  if (!found)
    return found.takeError();
  if (found->shape != wanted.shape)
    return error("is " + runtime::toString(*found) + " but the input is " +
                 runtime::toString(wanted));
  ArrayBytes bytes(static_cast<size_t>(found->bytes()));
  if (dataStart.size() > bytes.size())
    return error("has more bytes than its shape needs");
  std::copy_n(reinterpret_cast<const std::byte *>(dataStart.data()),
              dataStart.size(), bytes.begin());
  size_t rest = bytes.size() - dataStart.size();
  auto got = readSome(
      member, reinterpret_cast<char *>(bytes.data()) + dataStart.size(), rest);
  if (!got)
    return got.takeError();
  if (*got != rest)
    return error("is truncated");
  // Reading past the end lets the library compare the checksum.
  char past;
  got = readSome(member, &past, 1);
  if (!got)
    return got.takeError();
  if (*got != 0)
    return error("has more bytes than its shape needs");
  return convertElements(std::move(bytes), found->type, wanted.type);
}

static std::string listNames(const ArrayTypes &wanted) {
  std::string names;
  constexpr size_t most = 20;
  size_t count = 0;
  for (const auto &[name, desc] : wanted) {
    if (count++ == most)
      return names + ", ...";
    names += (names.empty() ? "'" : ", '") + name + "'";
  }
  return names;
}

llvm::Expected<std::map<std::string, ArrayBytes>>
cli::readNpz(StringRef path, const ArrayTypes &wanted) {
  auto archive = open(path, ZIP_RDONLY);
  if (!archive)
    return archive.takeError();
  std::map<std::string, ArrayBytes> arrays;
  zip_int64_t count = zip_get_num_entries(archive->get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char *raw = zip_get_name(archive->get(), i, ZIP_FL_ENC_RAW);
    StringRef name = raw ? raw : "";
    name.consume_back(".npy");
    std::string where =
        printable(("'" + path + "': array '" + name + "' ").str());
    auto found = wanted.find(name.str());
    if (found == wanted.end())
      return error(where +
                   "is no input of the model; those are: " + listNames(wanted));
    Member member(zip_fopen_index(archive->get(), i, 0));
    if (!member)
      return error(where + "can't be opened: " + zip_strerror(archive->get()));
    auto bytes = readMember(member.get(), found->second);
    if (!bytes)
      return error(where + llvm::toString(bytes.takeError()));
    arrays[name.str()] = std::move(*bytes);
  }
  return arrays;
}

llvm::Error cli::writeNpz(StringRef path,
                          const std::vector<NamedArray> &arrays) {
  auto opened = open(path, ZIP_CREATE | ZIP_TRUNCATE);
  if (!opened)
    return opened.takeError();
  zip_t *archive = opened->get();
  auto failed = [&] {
    return error("'" + path + "': " + zip_strerror(archive));
  };
  std::vector<std::string> headers(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const NamedArray &array = arrays[i];
    headers[i] = makeNpyHeader(array.desc);
    zip_buffer_fragment_t parts[] = {
        {reinterpret_cast<zip_uint8_t *>(headers[i].data()), headers[i].size()},
        {const_cast<zip_uint8_t *>(
             reinterpret_cast<const zip_uint8_t *>(array.bytes.data())),
         array.bytes.size()}};
    zip_source_t *source = zip_source_buffer_fragment(archive, parts, 2, 0);
    if (!source)
      return failed();
    zip_int64_t index = zip_file_add(archive, (array.name + ".npy").c_str(),
                                     source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return failed();
    }
    // The first day that a zip file can tell, so that equal runs write equal
    // files.
    constexpr zip_uint16_t firstDay = 0x21;
    if (zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) ||
        zip_file_set_dostime(archive, index, 0, firstDay, 0))
      return failed();
  }
  // Writes a temporary file and renames it.
  if (zip_close(archive))
    return failed();
  opened->release();
  return llvm::Error::success();
}
