"""An independent reading of a planned step: from the file's node order and the
addresses in its metadata alone, with the onnx package, it counts what is live
when, and looks for two live ranges that share bytes.

Rules it knows, and no others: arguments and constants live through the whole
step; a value from the node that makes it to its last reader, an output to the end; a view has
the place of what it views; the new value of a parameter or state has the place
of the old one, which nothing reads any more; a result may take exactly the place
of an operand that dies at its node; workspace lives at its node.
"""
import dataclasses
import json
import math

import numpy
import onnx

VIEWS = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout"}


@dataclasses.dataclass
class Range:
    """Bytes [offset, offset + bytes) from step first to step last."""
    name: str
    offset: int
    bytes: int
    first: int
    last: int


@dataclasses.dataclass
class Audit:
    height: int = 0        # the highest byte that is ever live
    max_live: int = 0      # the most bytes that are live at once
    resident: int = 0      # of arguments and constants
    recomputed: int = 0    # nodes marked as clones, without views
    problems: list = dataclasses.field(default_factory=list)


class Reader:
    def __init__(self, path):
        model = onnx.load(path, load_external_data=False)
        self.graph = model.graph
        texts = {entry.key: entry.value for entry in model.metadata_props}
        self.plan = json.loads(texts["lowtide.plan"])
        self.step = json.loads(texts["lowtide.step"])
        self.alignment = self.plan["arena"]["alignment"]
        self.offsets = self.plan["offsets"]
        self.sizes = self.value_sizes()
        self.end = len(self.graph.node)
        self.constants = {name for node in self.graph.node
                          if node.op_type == "Constant" for name in node.output}
        self.constants |= {tensor.name for tensor in self.graph.initializer}

    def value_sizes(self):
        """Bytes by value name, rounded up; what the plan itself says wins."""
        sizes = {}
        for value in (*self.graph.input, *self.graph.output, *self.graph.value_info):
            tensor = value.type.tensor_type
            dims = [dim.dim_value for dim in tensor.shape.dim]
            item = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type).itemsize
            sizes[value.name] = math.prod(dims) * item
        for tensor in self.graph.initializer:
            item = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
            sizes[tensor.name] = math.prod(tensor.dims) * item
        sizes.update(self.plan.get("bytes", {}))
        step = self.alignment
        return {name: -(-size // step) * step for name, size in sizes.items()}

    def lives(self):
        """First and last step of every value by name."""
        whole = self.constants | {value.name for value in self.graph.input}
        first = dict.fromkeys(sorted(whole), 0)
        last = dict.fromkeys(sorted(whole), self.end)
        for at, node in enumerate(self.graph.node):
            for name in filter(None, node.output):
                if name not in whole:
                    first[name] = last[name] = at
            for name in filter(None, node.input):
                last[name] = max(last[name], at)
        for value in self.graph.output:
            last[value.name] = self.end
        return first, last


def audit(path):
    reader = Reader(path)
    result = Audit()
    result.recomputed = sum(
        entry.key == "lowtide.recompute_of" for node in reader.graph.node
        if node.op_type not in VIEWS for entry in node.metadata_props)
    ranges = storage_ranges(reader, result)
    ranges += workspace_ranges(reader, result)
    residents = {value.name for value in reader.graph.input} | reader.constants
    result.resident = sum(r.bytes for r in ranges if r.name in residents)
    result.height = max(r.offset + r.bytes for r in ranges)
    find_overlaps(reader, ranges, result)
    result.max_live = most_live(reader, ranges)
    return result


def storage_ranges(reader, result):
    """One range for each value that has bytes of its own."""
    first, last = reader.lives()
    updates = reader.plan["updates"]
    if updates != reader.step["updates"]:
        result.problems.append("plan and step disagree about the updates")
    home = {}    # value -> the value whose bytes it has
    ranges = {}
    for name in first:
        size, offset = reader.sizes.get(name), reader.offsets.get(name)
        if size == 0:
            continue
        if size is None or offset is None:
            result.problems.append(f"{name} has no size or no place")
        elif offset % reader.alignment:
            result.problems.append(f"{name} is not aligned")
        else:
            ranges[name] = Range(name, offset, size, first[name], last[name])
    for node in reader.graph.node:
        source = node.input[0] if node.input else ""
        target = node.output[0]
        if node.op_type in VIEWS and same_place(ranges, source, target):
            home[target] = home.get(source, source)
    for new, old in updates.items():
        if not same_place(ranges, new, old):
            result.problems.append(f"{new} is not where {old} is")
        elif last_reader(reader, old) > first[new]:
            result.problems.append(f"{old} is read after {new} replaced it")
        home[new] = old
    for name, base in home.items():
        ranges[base].last = max(ranges[base].last, ranges[name].last)
    return [r for name, r in ranges.items() if name not in home]


def last_reader(reader, name):
    return max((at for at, node in enumerate(reader.graph.node)
                if name in node.input), default=-1)


def same_place(ranges, one, other):
    a, b = ranges.get(one), ranges.get(other)
    return bool(a and b and (a.offset, a.bytes) == (b.offset, b.bytes))


def workspace_ranges(reader, result):
    at = {node.name: index for index, node in enumerate(reader.graph.node)}
    if len(at) != reader.end:
        result.problems.append("two nodes have one name")
    return [Range(f"workspace of {name}", offset, size, at[name], at[name])
            for name, (offset, size) in reader.plan["workspaces"].items()]


def find_overlaps(reader, ranges, result):
    begin = numpy.array([r.offset for r in ranges])
    end = begin + numpy.array([r.bytes for r in ranges])
    first = numpy.array([r.first for r in ranges])
    last = numpy.array([r.last for r in ranges])
    for index, one in enumerate(ranges):
        hits = ((begin[index + 1:] < end[index]) & (end[index + 1:] > begin[index])
                & (first[index + 1:] <= last[index])
                & (last[index + 1:] >= first[index]))
        for hit in numpy.flatnonzero(hits) + index + 1:
            if not donated(one, ranges[hit]):
                result.problems.append(
                    f"share bytes while both live: {one} and {ranges[hit]}")


def donated(one, other):
    """One dies at the node that makes the other, in the same place. Workspace
    never takes a place."""
    early, late = sorted((one, other), key=lambda r: r.first)
    return (early.last == late.first and early.first < early.last
            and not one.name.startswith("workspace of ")
            and not other.name.startswith("workspace of ")
            and (one.offset, one.bytes) == (other.offset, other.bytes))


def most_live(reader, ranges):
    """Bytes that some live range covers, at the step where they are the most: a
    donated place counts once."""
    always = [r for r in ranges if r.first == 0 and r.last == reader.end]
    at = [[] for _ in range(reader.end)]
    for r in ranges:
        if r.first == 0 and r.last == reader.end:
            continue
        for step in range(r.first, min(r.last + 1, reader.end)):
            at[step].append((r.offset, r.offset + r.bytes))
    return sum(r.bytes for r in always) + max(covered(places) for places in at)


def covered(places):
    total = reach = 0
    for begin, end in sorted(places):
        begin = max(begin, reach)
        if end > begin:
            total += end - begin
            reach = end
    return total
