//===- SortNodes.cpp - Producers first ------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem. The specification wants nodes sorted, some tools write them as they
// come, and runtimes accept that.
// Idea. Walk the nodes in file order; before a node is put out, put out the
// producers that it still waits for, with a stack instead of recursion. What a
// subgraph captures counts as read by its node. A node met again while it is on
// the stack closes a cycle, and the stack names its nodes.
// Example: c(b), b(a), a -> a, b, c.
// Complexity: linear in nodes and reads. A sorted graph isn't touched.
// Tested by test/Frontend/malformed.py.
//
//===----------------------------------------------------------------------===//

#include "GraphCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace lowtide::frontend {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

using Nodes = ::google::protobuf::RepeatedPtrField<NodeProto>;

namespace {

class NodeSorter {
public:
  explicit NodeSorter(const Nodes &nodes) : nodes(nodes) {
    for (auto [i, node] : llvm::enumerate(nodes))
      for (const std::string &output : node.output())
        if (!output.empty())
          producers[output] = static_cast<int>(i);
    for (const NodeProto &node : nodes)
      reads.push_back(producersOf(node));
  }

  bool isSorted() const {
    for (auto [i, list] : llvm::enumerate(reads))
      for (int producer : list)
        if (producer >= static_cast<int>(i))
          return false;
    return true;
  }

  /// Fills `order`, or `cycle` with the nodes of one.
  bool sort() {
    enum State : char { New, Open, Done };
    std::vector<State> states(nodes.size(), New);
    for (int root = 0; root < nodes.size(); ++root) {
      std::vector<std::pair<int, size_t>> stack;
      if (states[root] == New) {
        stack.emplace_back(root, 0);
        states[root] = Open;
      }
      while (!stack.empty()) {
        auto &[node, next] = stack.back();
        if (next == reads[node].size()) {
          states[node] = Done;
          order.push_back(node);
          stack.pop_back();
          continue;
        }
        int producer = reads[node][next++];
        if (states[producer] == Open) {
          bool inside = false;
          for (auto &[open, unused] : stack) {
            inside |= open == producer;
            if (inside)
              cycle.push_back(open);
          }
          return false;
        }
        if (states[producer] == New) {
          states[producer] = Open;
          stack.emplace_back(producer, 0);
        }
      }
    }
    return true;
  }

  std::vector<int> order;
  std::vector<int> cycle;

private:
  std::vector<int> producersOf(const NodeProto &node) const {
    std::vector<int> list;
    auto read = [&](const std::string &name) {
      auto it = producers.find(name);
      if (it != producers.end())
        list.push_back(it->second);
    };
    for (const std::string &input : node.input())
      read(input);
    if (hasSubgraph(node))
      for (const std::string &name : capturedNames(node))
        read(name);
    return list;
  }

  const Nodes &nodes;
  llvm::StringMap<int> producers;
  std::vector<std::vector<int>> reads;
};

FileStatus sortList(Nodes &nodes, const FileDiagnostics &diagnostics,
                    bool &changed) {
  NodeSorter sorter(nodes);
  if (sorter.isSorted())
    return FileStatus::Ok;
  if (!sorter.sort()) {
    std::string names;
    for (auto [i, index] : llvm::enumerate(sorter.cycle)) {
      if (i == 8) {
        names += ", ...";
        break;
      }
      names += (i ? ", " : "") + describeNode(nodes.Get(index), index);
    }
    return diagnostics.badModel("the graph has a cycle: " + names);
  }
  std::vector<NodeProto *> old(nodes.pointer_begin(), nodes.pointer_end());
  while (!nodes.empty())
    nodes.UnsafeArenaReleaseLast();
  for (int index : sorter.order)
    nodes.UnsafeArenaAddAllocated(old[index]);
  changed = true;
  return FileStatus::Ok;
}

} // namespace

FileStatus sortNodes(::onnx::ModelProto &model,
                     const FileDiagnostics &diagnostics) {
  bool changed = false;
  llvm::SmallVector<Nodes *> pending;
  pending.push_back(model.mutable_graph()->mutable_node());
  for (auto &function : *model.mutable_functions())
    pending.push_back(function.mutable_node());
  while (!pending.empty()) {
    Nodes *nodes = pending.pop_back_val();
    if (FileStatus s = sortList(*nodes, diagnostics, changed);
        s != FileStatus::Ok)
      return s;
    for (NodeProto &node : *nodes)
      for (AttributeProto &attribute : *node.mutable_attribute()) {
        if (attribute.has_g())
          pending.push_back(attribute.mutable_g()->mutable_node());
        for (GraphProto &graph : *attribute.mutable_graphs())
          pending.push_back(graph.mutable_node());
      }
  }
  if (changed)
    diagnostics.warn("nodes are not sorted; they are read in an order in which "
                     "producers come first");
  return FileStatus::Ok;
}

} // namespace lowtide::frontend
