//===- RematFile.cpp - Problem and plan files in JSON ---------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Ids in files are any integers; in memory ops and values are dense indices in
// file order. All defects of a file become one llvm::Error.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Remat/RematFile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <unordered_map>

using namespace lowtide;
using namespace lowtide::solver;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static llvm::Error bad(const Twine &text) {
  return llvm::createStringError(text);
}

static const std::pair<StringRef, RematPolicy> policyNames[] = {
    {"save", RematPolicy::Save},
    {"recompute", RematPolicy::Recompute},
    {"prefer-save", RematPolicy::PreferSave},
    {"prefer-recompute", RematPolicy::PreferRecompute},
};

namespace {
/// Reads one problem; the first error ends it.
class Reader {
public:
  llvm::Expected<RematProblem> read(const json::Object &root);

private:
  llvm::Error readValues(const json::Object &root);
  llvm::Error readOps(const json::Object &root);
  llvm::Error readExtras(const json::Object &root);
  llvm::Error readPerOp(const json::Object &root);

  llvm::Expected<int64_t> integer(const json::Object &object, StringRef key,
                                  std::optional<int64_t> standard,
                                  const Twine &where);
  llvm::Expected<int> index(const json::Value &id, bool isOp,
                            const Twine &where);
  llvm::Error indices(const json::Value *list, bool isOp, const Twine &where,
                      std::vector<int> &out);
  template <typename Add>
  llvm::Error tuples(const json::Object &root, StringRef key,
                     llvm::ArrayRef<bool> isOp, Add add);

  RematProblem problem;
  std::unordered_map<int64_t, int> opOf, valueOf;
};
} // namespace

llvm::Expected<int64_t> Reader::integer(const json::Object &object,
                                        StringRef key,
                                        std::optional<int64_t> standard,
                                        const Twine &where) {
  const json::Value *value = object.get(key);
  if (!value) {
    if (standard)
      return *standard;
    return bad(where + " has no '" + key + "'");
  }
  if (auto number = value->getAsInteger())
    return *number;
  return bad("'" + key + "' of " + where + " is not a 64-bit integer");
}

llvm::Expected<int> Reader::index(const json::Value &id, bool isOp,
                                  const Twine &where) {
  auto number = id.getAsInteger();
  if (!number)
    return bad(where + " holds an id that is not an integer");
  const auto &map = isOp ? opOf : valueOf;
  auto found = map.find(*number);
  if (found == map.end())
    return bad(where + " names " + (isOp ? "op " : "value ") + Twine(*number) +
               ", which doesn't exist");
  return found->second;
}

llvm::Error Reader::indices(const json::Value *list, bool isOp,
                            const Twine &where, std::vector<int> &out) {
  if (!list)
    return llvm::Error::success();
  const json::Array *array = list->getAsArray();
  if (!array)
    return bad(where + " is not a list");
  for (const json::Value &id : *array) {
    auto found = index(id, isOp, where);
    if (!found)
      return found.takeError();
    out.push_back(*found);
  }
  return llvm::Error::success();
}

template <typename Add>
llvm::Error Reader::tuples(const json::Object &root, StringRef key,
                           llvm::ArrayRef<bool> isOp, Add add) {
  const json::Value *list = root.get(key);
  if (!list)
    return llvm::Error::success();
  const json::Array *array = list->getAsArray();
  if (!array)
    return bad("'" + key + "' is not a list");
  for (const json::Value &entry : *array) {
    const json::Array *tuple = entry.getAsArray();
    if (!tuple || tuple->size() != isOp.size())
      return bad("an entry of '" + key + "' is not a list of " +
                 Twine(isOp.size()) + " ids");
    int found[3] = {0, 0, 0};
    for (size_t k = 0; k < isOp.size(); ++k) {
      auto one = index((*tuple)[k], isOp[k], "'" + key + "'");
      if (!one)
        return one.takeError();
      found[k] = *one;
    }
    add(found);
  }
  return llvm::Error::success();
}

llvm::Error Reader::readValues(const json::Object &root) {
  const json::Array *values = root.getArray("values");
  if (!values)
    return bad("the problem has no list 'values'");
  for (const json::Value &entry : *values) {
    const json::Object *object = entry.getAsObject();
    if (!object)
      return bad("an entry of 'values' is not an object");
    RematValue value;
    auto id = integer(*object, "id", std::nullopt, "a value");
    if (!id)
      return id.takeError();
    value.id = *id;
    auto bytes =
        integer(*object, "bytes", std::nullopt, "value " + Twine(value.id));
    if (!bytes)
      return bytes.takeError();
    value.bytes = *bytes;
    value.name = object->getString("name").value_or("").str();
    if (value.id < 0 ||
        !valueOf.try_emplace(value.id, problem.values.size()).second)
      return bad("value id " + Twine(value.id) + " is negative or not unique");
    problem.values.push_back(std::move(value));
  }
  return llvm::Error::success();
}

llvm::Error Reader::readOps(const json::Object &root) {
  const json::Array *ops = root.getArray("ops");
  if (!ops)
    return bad("the problem has no list 'ops'");
  for (const json::Value &entry : *ops) {
    const json::Object *object = entry.getAsObject();
    if (!object)
      return bad("an entry of 'ops' is not an object");
    RematOp op;
    auto id = integer(*object, "id", std::nullopt, "an op");
    if (!id)
      return id.takeError();
    op.id = *id;
    std::string where = ("op " + Twine(op.id)).str();
    auto cost = integer(*object, "cost", std::nullopt, where);
    if (!cost)
      return cost.takeError();
    auto workspace = integer(*object, "workspace", 0, where);
    if (!workspace)
      return workspace.takeError();
    op.cost = *cost;
    op.workspaceBytes = *workspace;
    op.name = object->getString("name").value_or("").str();
    if (const json::Value *flag = object->get("recomputable")) {
      if (!flag->getAsBoolean())
        return bad("'recomputable' of " + where + " is not true or false");
      op.recomputable = *flag->getAsBoolean();
    }
    if (llvm::Error error =
            indices(object->get("inputs"), false, where, op.inputs))
      return error;
    if (llvm::Error error =
            indices(object->get("outputs"), false, where, op.outputs))
      return error;
    // Reading a value twice is the same as reading it once.
    std::vector<int> once;
    for (int v : op.inputs)
      if (std::find(once.begin(), once.end(), v) == once.end())
        once.push_back(v);
    op.inputs = std::move(once);
    if (op.id < 0 || !opOf.try_emplace(op.id, problem.ops.size()).second)
      return bad("op id " + Twine(op.id) + " is negative or not unique");
    problem.ops.push_back(std::move(op));
  }
  return llvm::Error::success();
}

llvm::Error Reader::readPerOp(const json::Object &root) {
  auto opOfKey = [&](StringRef key, StringRef where) -> llvm::Expected<int> {
    int64_t id;
    if (key.getAsInteger(10, id))
      return bad("'" + where + "' has the key '" + key + "', not an op id");
    return index(json::Value(id), true, "'" + where + "'");
  };
  if (const json::Value *value = root.get("policy")) {
    const json::Object *policies = value->getAsObject();
    if (!policies)
      return bad("'policy' is not an object");
    for (const auto &[key, word] : *policies) {
      auto op = opOfKey(key, "policy");
      if (!op)
        return op.takeError();
      StringRef name = word.getAsString().value_or("");
      const auto *found =
          llvm::find_if(policyNames, [&](auto &p) { return p.first == name; });
      if (found == std::end(policyNames))
        return bad("'policy' of op " + StringRef(key) + " is '" + name +
                   "'; known: save, recompute, prefer-save, prefer-recompute");
      problem.ops[*op].policy = found->second;
    }
  }
  if (const json::Value *value = root.get("max_runs")) {
    const json::Object *limits = value->getAsObject();
    if (!limits)
      return bad("'max_runs' is not an object");
    for (const auto &[key, number] : *limits) {
      auto op = opOfKey(key, "max_runs");
      if (!op)
        return op.takeError();
      auto limit = number.getAsInteger();
      if (!limit || *limit < 1 || *limit > (1 << 30))
        return bad("'max_runs' of op " + StringRef(key) +
                   " is not a positive integer");
      problem.ops[*op].maxRuns = int(*limit);
    }
  }
  return llvm::Error::success();
}

llvm::Error Reader::readExtras(const json::Object &root) {
  auto resident = integer(root, "resident_bytes", 0, "the problem");
  if (!resident)
    return resident.takeError();
  auto alignment = integer(root, "alignment", 1, "the problem");
  if (!alignment)
    return alignment.takeError();
  problem.residentBytes = *resident;
  problem.alignment = *alignment;
  if (llvm::Error error =
          indices(root.get("keep"), false, "'keep'", problem.keep))
    return error;
  if (llvm::Error error = tuples(root, "views", {false, false}, [&](int *id) {
        problem.views.push_back({id[0], id[1]});
      }))
    return error;
  if (llvm::Error error =
          tuples(root, "inplace", {true, false, false}, [&](int *id) {
            problem.inplace.push_back({id[0], id[1], id[2]});
          }))
    return error;
  if (llvm::Error error = tuples(root, "after", {true, true}, [&](int *id) {
        problem.after.push_back({id[0], id[1]});
      }))
    return error;
  return readPerOp(root);
}

llvm::Expected<RematProblem> Reader::read(const json::Object &root) {
  StringRef schema = root.getString("schema").value_or("");
  bool isTwo = schema == "lowtide.remat-problem/2";
  if (schema != "lowtide.remat-problem/1" && !isTwo)
    return bad("the schema is '" + schema +
               "' but should be 'lowtide.remat-problem/1' or '/2'");
  problem.name = root.getString("name").value_or("").str();
  if (llvm::Error error = readValues(root))
    return error;
  if (llvm::Error error = readOps(root))
    return error;
  if (isTwo)
    if (llvm::Error error = readExtras(root))
      return error;
  // A cycle has no order at all; say that rather than "the order is wrong".
  auto order = topologicalOrder(problem);
  if (!order)
    return order.takeError();
  if (root.get("order")) {
    if (llvm::Error error =
            indices(root.get("order"), true, "'order'", problem.order))
      return error;
  } else {
    problem.order = std::move(*order);
  }
  if (llvm::Error error = checkProblem(problem))
    return error;
  return std::move(problem);
}

llvm::Expected<RematProblem> solver::parseProblem(StringRef text) {
  auto value = json::parse(text);
  if (!value)
    return bad("not JSON: " + llvm::toString(value.takeError()));
  const json::Object *root = value->getAsObject();
  if (!root)
    return bad("the file doesn't hold a JSON object");
  return Reader().read(*root);
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return bad("cannot read '" + path + "': " + buffer.getError().message());
  return std::move(*buffer);
}

llvm::Expected<RematProblem> solver::readProblemFile(StringRef path) {
  auto buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  auto problem = parseProblem((*buffer)->getBuffer());
  if (!problem)
    return bad(path + ": " + llvm::toString(problem.takeError()));
  return problem;
}

llvm::Expected<RematSchedule> solver::parsePlan(const RematProblem &problem,
                                                StringRef text) {
  auto value = json::parse(text);
  if (!value)
    return bad("not JSON: " + llvm::toString(value.takeError()));
  const json::Object *root = value->getAsObject();
  const json::Array *steps = root ? root->getArray("schedule") : nullptr;
  if (!steps)
    return bad("the plan has no list 'schedule'");
  std::unordered_map<int64_t, int> opOf;
  for (size_t i = 0; i < problem.ops.size(); ++i)
    opOf.emplace(problem.opId(int(i)), int(i));
  RematSchedule schedule;
  for (const json::Value &step : *steps) {
    auto id = step.getAsInteger();
    auto found = id ? opOf.find(*id) : opOf.end();
    if (found == opOf.end())
      return bad("step " + Twine(schedule.size()) +
                 " of the plan is not an op of the problem");
    schedule.push_back(found->second);
  }
  return schedule;
}

llvm::Expected<RematSchedule> solver::readPlanFile(const RematProblem &problem,
                                                   StringRef path) {
  auto buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  auto plan = parsePlan(problem, (*buffer)->getBuffer());
  if (!plan)
    return bad(path + ": " + llvm::toString(plan.takeError()));
  return plan;
}

static void writeIds(json::OStream &out, StringRef key,
                     const std::vector<int> &list,
                     llvm::function_ref<int64_t(int)> id) {
  out.attributeArray(key, [&] {
    for (int item : list)
      out.value(id(item));
  });
}

static void writeExtras(const RematProblem &problem, json::OStream &out) {
  auto op = [&](int i) { return problem.opId(i); };
  auto value = [&](int v) { return problem.valueId(v); };
  auto tuple = [&](std::initializer_list<int64_t> ids) {
    out.array([&] {
      for (int64_t id : ids)
        out.value(id);
    });
  };
  out.attribute("resident_bytes", problem.residentBytes);
  out.attribute("alignment", problem.alignment);
  writeIds(out, "keep", problem.keep, value);
  out.attributeArray("views", [&] {
    for (const RematView &v : problem.views)
      tuple({value(v.view), value(v.base)});
  });
  out.attributeArray("inplace", [&] {
    for (const RematInplace &p : problem.inplace)
      tuple({op(p.op), value(p.input), value(p.output)});
  });
  out.attributeArray("after", [&] {
    for (const RematAfter &e : problem.after)
      tuple({op(e.earlier), op(e.later)});
  });
  out.attributeObject("policy", [&] {
    for (size_t i = 0; i < problem.ops.size(); ++i)
      for (auto &[word, policy] : policyNames)
        if (problem.ops[i].policy == policy)
          out.attribute(std::to_string(op(int(i))), word);
  });
  out.attributeObject("max_runs", [&] {
    for (size_t i = 0; i < problem.ops.size(); ++i)
      if (problem.ops[i].maxRuns > 0)
        out.attribute(std::to_string(op(int(i))), problem.ops[i].maxRuns);
  });
}

static bool needsSchemaTwo(const RematProblem &problem) {
  if (problem.residentBytes != 0 || problem.alignment != 1 ||
      !problem.keep.empty() || !problem.views.empty() ||
      !problem.inplace.empty() || !problem.after.empty())
    return true;
  return llvm::any_of(problem.ops, [](const RematOp &op) {
    return op.maxRuns > 0 || op.policy != RematPolicy::None;
  });
}

void solver::writeProblem(const RematProblem &problem, llvm::raw_ostream &os) {
  json::OStream out(os);
  bool isTwo = needsSchemaTwo(problem);
  auto value = [&](int v) { return problem.valueId(v); };
  out.object([&] {
    out.attribute("schema", isTwo ? "lowtide.remat-problem/2"
                                  : "lowtide.remat-problem/1");
    out.attribute("name", json::fixUTF8(problem.name));
    out.attributeArray("values", [&] {
      for (size_t v = 0; v < problem.values.size(); ++v)
        out.object([&] {
          out.attribute("id", problem.valueId(int(v)));
          out.attribute("name", json::fixUTF8(problem.values[v].name));
          out.attribute("bytes", problem.values[v].bytes);
        });
    });
    out.attributeArray("ops", [&] {
      for (size_t i = 0; i < problem.ops.size(); ++i)
        out.object([&] {
          const RematOp &op = problem.ops[i];
          out.attribute("id", problem.opId(int(i)));
          out.attribute("name", json::fixUTF8(op.name));
          out.attribute("cost", op.cost);
          out.attribute("workspace", op.workspaceBytes);
          writeIds(out, "inputs", op.inputs, value);
          writeIds(out, "outputs", op.outputs, value);
          out.attribute("recomputable", op.recomputable);
        });
    });
    writeIds(out, "order", problem.order,
             [&](int i) { return problem.opId(i); });
    if (isTwo)
      writeExtras(problem, out);
  });
  os << "\n";
}

void solver::writePlan(const RematProblem &problem,
                       const RematSchedule &schedule, llvm::raw_ostream &os) {
  json::OStream out(os);
  out.object([&] {
    out.attribute("schema", "lowtide.remat-plan/1");
    writeIds(out, "schedule", schedule, [&](int i) { return problem.opId(i); });
  });
  os << "\n";
}
