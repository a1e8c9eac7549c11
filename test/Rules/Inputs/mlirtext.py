"""Reads functions of standard onnx ops in MLIR's generic text into ONNX models.

The text is what `lowtide-test-opt --mlir-print-op-generic` prints: one op a
line. This reader shares no code with the compiler, so that a mistake in the
compiler's own export can't hide one in a rule.
"""

import re

import numpy as np
from onnx import TensorProto, helper, numpy_helper

ELEMENTS = {
    "f16": (np.float16, TensorProto.FLOAT16),
    "f32": (np.float32, TensorProto.FLOAT),
    "f64": (np.float64, TensorProto.DOUBLE),
    "i1": (np.bool_, TensorProto.BOOL),
    "i32": (np.int32, TensorProto.INT32),
    "i64": (np.int64, TensorProto.INT64),
}
OPSET = 28


def parse_type(text):
    """(shape, element) of tensor<2x3xf32>; None for none."""
    if text.strip() == "none":
        return None
    inner = re.fullmatch(r"\s*tensor<(.*)>\s*", text).group(1)
    *dims, element = inner.split("x")
    return [int(d) for d in dims], element


def split_top(text, separator=","):
    """Splits at separators that are in no bracket and no string."""
    parts, depth, start, quoted = [], 0, 0, False
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif c in "<([{":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
        elif c == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [p.strip() for p in parts if p.strip()]


def parse_number(text, element):
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("0x"):
        bits = int(text, 16)
        return np.frombuffer(
            bits.to_bytes(ELEMENTS[element][0]().nbytes, "little"),
            ELEMENTS[element][0],
        )[0]
    return float(text) if element.startswith("f") else int(text)


def parse_dense(text, type_text):
    shape, element = parse_type(type_text)
    dtype = ELEMENTS[element][0]
    if text.startswith('"0x'):
        raw = bytes.fromhex(text[3:-1])
        return np.frombuffer(raw, dtype).reshape(shape).copy()
    tokens = re.findall(r"[^\[\],\s]+", text)
    values = np.array([parse_number(t, element) for t in tokens], dtype)
    if values.size == 1:
        return np.full(shape, values[0], dtype)
    return values.reshape(shape)


def parse_attribute(text):
    if text.startswith("dense<"):
        body, type_text = text[6:].rsplit(">", 2)[0], text.rsplit(" : ", 1)[1]
        return numpy_helper.from_array(parse_dense(body, type_text))
    if text.startswith("array<i64"):
        inner = text[len("array<i64") : -1].lstrip(":")
        return [int(v) for v in inner.split(",")] if inner.strip() else []
    if text.startswith('"'):
        return text[1:-1]
    if re.fullmatch(r"f16|f32|f64|i1|i32|i64", text):
        return ELEMENTS[text][1]
    value, type_text = text.rsplit(" : ", 1)
    return parse_number(value.strip(), type_text.strip())


OP = re.compile(
    r'\s*(?:(?P<results>%[^=]*) = )?"(?P<name>[\w.]+)"\((?P<operands>[^)]*)\)'
    r"(?: <\{(?P<properties>.*?)\}>)?(?: \{.*?\})? : "
    r"\((?P<from>.*?)\) -> (?P<to>.*)"
)


def parse_op(line):
    match = OP.match(line)
    if not match:
        return None
    results = []
    for item in split_top(match["results"] or ""):
        base, _, count = item.partition(":")
        results += [f"{base}#{i}" for i in range(int(count))] if count else [base]
    to = match["to"].strip()
    types = split_top(to[1:-1]) if to.startswith("(") else [to]
    attributes = {}
    for item in split_top(match["properties"] or ""):
        name, _, value = item.partition(" = ")
        attributes[name] = parse_attribute(value)
    return (
        match["name"],
        split_top(match["operands"]),
        results,
        types if results else [],
        attributes,
    )


def info(name, type_text):
    shape, element = parse_type(type_text)
    return helper.make_tensor_value_info(name, ELEMENTS[element][1], shape)


def to_model(text):
    """The only function of the module as an ONNX model."""
    inputs, nodes, outputs, absent, types = [], [], [], set(), {}
    for line in text.splitlines():
        if "^bb0(" in line:
            for item in split_top(line[line.index("(") + 1 : line.rindex(")")]):
                name, _, type_text = item.partition(": ")
                inputs.append(info(name, type_text))
                types[name] = type_text
            continue
        if "builtin.module" in line or "func.func" in line:
            continue
        op = parse_op(line)
        if not op:
            continue
        kind, operands, results, result_types, attributes = op
        if kind == "func.return":
            outputs = operands
        elif kind == "onnx.None":
            absent.update(results)
        else:
            assert kind.startswith("onnx."), f"{kind} has no standard form"
            given = [r for r, t in zip(results, result_types) if t != "none"]
            names = ["" if o in absent else o for o in operands]
            while names and not names[-1]:
                names.pop()
            nodes.append(
                helper.make_node(kind[5:], names, given, **attributes)
            )
            types.update(zip(results, result_types))
    # A graph output must be a node's, under a name of its own.
    finals = []
    for i, name in enumerate(outputs):
        nodes.append(helper.make_node("Identity", [name], [f"out{i}"]))
        finals.append(info(f"out{i}", types[name]))
    graph = helper.make_graph(nodes, "f", inputs, finals)
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=13
    )


def format_type(array):
    element = {np.dtype(d): name for name, (d, _) in ELEMENTS.items()}[array.dtype]
    return "tensor<" + "".join(f"{d}x" for d in array.shape) + element + ">"
