//===- PackingCsv.cpp - Read and write packing tables ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Packing/PackingCsv.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

using namespace lowtide::solver;

namespace {
/// Which column holds what; -1 where the table has no such column.
struct Columns {
  int id = -1, lower = -1, upper = -1, size = -1, alignment = -1, pinned = -1,
      group = -1, alias = -1, space = -1, gaps = -1, offset = -1;
  bool inclusive = false;
  size_t count = 0;
};
} // namespace

static llvm::Error fail(size_t line, const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "line " + llvm::Twine(line) + ": " + message);
}

static llvm::SmallVector<llvm::StringRef, 8> split(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef, 8> cells;
  line.split(cells, ',');
  for (llvm::StringRef &cell : cells)
    cell = cell.trim();
  return cells;
}

static llvm::Expected<Columns> readHeader(llvm::StringRef line) {
  Columns columns;
  llvm::StringMap<int *> known = {
      {"id", &columns.id},         {"lower", &columns.lower},
      {"upper", &columns.upper},   {"start", &columns.lower},
      {"end", &columns.upper},     {"size", &columns.size},
      {"pinned", &columns.pinned}, {"alignment", &columns.alignment},
      {"group", &columns.group},   {"alias", &columns.alias},
      {"space", &columns.space},   {"gaps", &columns.gaps},
      {"offset", &columns.offset},
  };
  auto cells = split(line);
  columns.count = cells.size();
  for (size_t i = 0; i < cells.size(); ++i) {
    auto it = known.find(cells[i].lower());
    if (it == known.end())
      continue;
    if (*it->second >= 0)
      return fail(1, "column '" + cells[i] + "' is there twice");
    *it->second = int(i);
    columns.inclusive |= cells[i].equals_insensitive("end");
  }
  if (columns.id < 0 || columns.lower < 0 || columns.upper < 0 ||
      columns.size < 0)
    return fail(1, "a header with id, lower, upper and size is expected");
  return columns;
}

static llvm::Error readInteger(llvm::StringRef cell, size_t line,
                               llvm::StringRef what, int64_t &value) {
  if (cell.getAsInteger(10, value))
    return fail(line, what + " '" + cell + "' is not an integer");
  return llvm::Error::success();
}

static llvm::Error readGaps(llvm::StringRef cell, size_t line,
                            PackingBuffer &buffer) {
  llvm::SmallVector<llvm::StringRef, 4> gaps;
  cell.split(gaps, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef gap : gaps) {
    auto [from, to] = gap.split('-');
    int64_t lower = 0, upper = 0;
    // A third part, "@bytes kept", narrows the gap; the gap is then ignored.
    if (to.contains('@'))
      continue;
    if (llvm::Error error = readInteger(from, line, "gap", lower))
      return error;
    if (llvm::Error error = readInteger(to, line, "gap", upper))
      return error;
    LifeInterval &last = buffer.lifetime.back();
    if (lower >= upper || lower <= last.lower || upper >= last.upper)
      return fail(line, "gap '" + gap + "' does not lie within the lifetime");
    int64_t end = last.upper;
    last.upper = lower;
    buffer.lifetime.push_back({upper, end});
  }
  return llvm::Error::success();
}

static llvm::Error readRow(llvm::StringRef text, size_t line,
                           const Columns &columns, PackingBuffer &buffer,
                           int64_t &offset) {
  auto cells = split(text);
  if (cells.size() != columns.count)
    return fail(line, llvm::Twine(cells.size()) +
                          " cells where the header has " +
                          llvm::Twine(columns.count));
  int64_t lower = 0, upper = 0, group = -1, alias = -1, space = 0, pinned = -1;
  struct Field {
    int column;
    llvm::StringRef what;
    int64_t *value;
  } fields[] = {{columns.lower, "lower", &lower},
                {columns.upper, "upper", &upper},
                {columns.size, "size", &buffer.sizeBytes},
                {columns.alignment, "alignment", &buffer.alignment},
                {columns.group, "group", &group},
                {columns.alias, "alias", &alias},
                {columns.space, "space", &space},
                {columns.pinned, "pinned", &pinned},
                {columns.offset, "offset", &offset}};
  for (const Field &field : fields) {
    if (field.column < 0 || cells[field.column].empty())
      continue;
    if (llvm::Error error =
            readInteger(cells[field.column], line, field.what, *field.value))
      return error;
  }
  for (int64_t small : {group, alias, space})
    if (small < -1 || small > INT32_MAX)
      return fail(line, "group, alias and space must lie within 0..2^31");
  buffer.name = cells[columns.id].str();
  if (columns.inclusive && upper == INT64_MAX)
    return fail(line, "end is past 2^63");
  buffer.lifetime.push_back({lower, columns.inclusive ? upper + 1 : upper});
  buffer.group = int32_t(group);
  buffer.aliasSet = int32_t(alias);
  buffer.space = int32_t(space);
  if (pinned >= 0)
    buffer.pinnedOffsetBytes = pinned;
  if (columns.gaps >= 0)
    return readGaps(cells[columns.gaps], line, buffer);
  return llvm::Error::success();
}

llvm::Expected<PackingProblem>
lowtide::solver::readPackingCsv(llvm::StringRef text,
                                std::vector<int64_t> *offsetsBytes) {
  PackingProblem problem;
  Columns columns;
  for (size_t line = 1; !text.empty(); ++line) {
    llvm::StringRef row;
    std::tie(row, text) = text.split('\n');
    row = row.trim();
    if (line == 1) {
      llvm::Expected<Columns> header = readHeader(row);
      if (!header)
        return header.takeError();
      columns = *header;
      continue;
    }
    if (row.empty())
      continue;
    int64_t offset = 0;
    PackingBuffer buffer;
    if (llvm::Error error = readRow(row, line, columns, buffer, offset))
      return std::move(error);
    problem.buffers.push_back(std::move(buffer));
    if (offsetsBytes)
      offsetsBytes->push_back(offset);
  }
  if (columns.count == 0)
    return fail(1, "a header with id, lower, upper and size is expected");
  if (llvm::Error error = checkPackingProblem(problem))
    return std::move(error);
  return problem;
}

static std::string gapsOf(const PackingBuffer &buffer) {
  std::string gaps;
  for (size_t i = 1; i < buffer.lifetime.size(); ++i)
    gaps += (i > 1 ? " " : "") + std::to_string(buffer.lifetime[i - 1].upper) +
            "-" + std::to_string(buffer.lifetime[i].lower);
  return gaps;
}

std::string lowtide::solver::writePackingCsv(const PackingProblem &problem,
                                             llvm::ArrayRef<int64_t> offsets) {
  bool alignment = false, pinned = false, group = false, alias = false,
       space = false, gaps = false;
  for (const PackingBuffer &b : problem.buffers) {
    alignment |= b.alignment != 1;
    pinned |= b.pinnedOffsetBytes.has_value();
    group |= b.group >= 0;
    alias |= b.aliasSet >= 0;
    space |= b.space != 0;
    gaps |= b.lifetime.size() > 1;
  }
  std::string out = "id,lower,upper,size";
  for (auto [wanted, name] :
       {std::pair(alignment, ",alignment"), std::pair(pinned, ",pinned"),
        std::pair(group, ",group"), std::pair(alias, ",alias"),
        std::pair(space, ",space"), std::pair(gaps, ",gaps"),
        std::pair(!offsets.empty(), ",offset")})
    if (wanted)
      out += name;
  out += '\n';
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const PackingBuffer &b = problem.buffers[i];
    out += b.name + "," + std::to_string(b.lifetime.front().lower) + "," +
           std::to_string(b.lifetime.back().upper) + "," +
           std::to_string(b.sizeBytes);
    auto cell = [&](bool wanted, bool there, int64_t value) {
      if (wanted)
        out += "," + (there ? std::to_string(value) : std::string());
    };
    cell(alignment, true, b.alignment);
    cell(pinned, b.pinnedOffsetBytes.has_value(),
         b.pinnedOffsetBytes.value_or(0));
    cell(group, b.group >= 0, b.group);
    cell(alias, b.aliasSet >= 0, b.aliasSet);
    cell(space, true, b.space);
    if (gaps)
      out += "," + gapsOf(b);
    if (!offsets.empty())
      out += "," + std::to_string(offsets[i]);
    out += '\n';
  }
  return out;
}
