"""Gradient rules against central differences, in float64.

Each case of cases.py is an op with operands. The forward function is evaluated
by the onnx package's reference evaluator; the adjoint is what
`lowtide-test-opt --test-gradients --test-bodies` makes of it, evaluated by the
same evaluator. With a random adjoint k of the results, L(x) = sum(k * f(x)), and
for random directions u

    (L(x + h u) - L(x - h u)) / (2 h)  =  sum(dx * u)      to 1e-6.

Cases with known gradients (at kinks, or from published examples) are compared
with those instead. Function and adjoint are then run by our kernels (plain and
fast loops, float64 and float32, results over dying operands), the adjoint also by
ONNX Runtime (float32), and all must agree.

The tool runs once for each pipeline, over all cases.

Usage: gradcheck.py TOOL [PATTERN]
"""

import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

import cases
import evaluator
import mlirtext

STEP = 1e-5
TOLERANCE = 1e-6
DIRECTIONS = 6

BODIES = ("--test-bodies",)
ADJOINT = ("--test-gradients", "--test-bodies", "--cse")
KERNELS = ("--test-gradients", "--cse", "--test-run=")
GENERIC = ("--mlir-print-op-generic",
           "--mlir-elide-elementsattrs-if-larger=1000000")


class Tool:
    """Runs pipelines over many functions at once and keeps what came out."""

    def __init__(self, path):
        self.path = path
        self.made = {}

    def run(self, texts, passes):
        done = subprocess.run(
            [self.path, *passes, *GENERIC, "--split-input-file"],
            input="// -----\n".join(texts), capture_output=True, text=True)
        chunks = re.split(r"^// -----\n", done.stdout, flags=re.M)
        return chunks if len(chunks) == len(texts) else [""] * len(texts), done

    def prefetch(self, texts, passes):
        chunks, _ = self.run(texts, passes)
        for text, chunk in zip(texts, chunks):
            if chunk.strip():
                self.made[passes, text] = chunk

    def get(self, text, passes):
        if (passes, text) not in self.made:
            chunks, done = self.run([text], passes)
            if done.returncode or not chunks[0].strip():
                raise AssertionError(done.stderr.strip()[:900] + "\n" + text)
            self.made[passes, text] = chunks[0]
        return self.made[passes, text]


class Function:
    """A case as MLIR, its feeds, and the files that kernels read and write."""

    def __init__(self, tool, case, folder, number):
        self.tool, self.case = tool, case
        self.feeds = {f"%arg{i}": a for i, a in enumerate(case.arguments.values())}
        self.file = os.path.join(folder, str(number))
        rng = np.random.default_rng(7)
        self.weights = []
        for i in sorted(case.outputs):
            shape, element = mlirtext.parse_type(case.result_types[i])
            if case.adjoints is not None:
                self.weights.append(np.asarray(case.adjoints[len(self.weights)]))
            else:
                self.weights.append(
                    rng.standard_normal(shape) if element == "f64" else None)
        self.adjoint_feeds = dict(self.feeds)
        for w in self.weights:
            if w is not None:
                self.adjoint_feeds[f"%arg{len(self.adjoint_feeds)}"] = w
        self.wide = function_text(case, self.file)
        narrow = re.sub(r"f64(?!\w)", "f32", function_text(case, self.file + ".f32"))
        self.narrow = re.sub(r"((?:epsilon|ratio) = \S+ : )f32", r"\1f64", narrow)

    def narrow_feeds(self):
        return [f.astype(np.float32) if f.dtype == np.float64 else f
                for f in self.adjoint_feeds.values()]

    def write_inputs(self, wide, narrow):
        for name, arrays in [(self.file, wide), (self.file + ".f32", narrow)]:
            with open(name + ".in", "wb") as file:
                for array in arrays:
                    file.write(np.ascontiguousarray(array).tobytes())

    def model(self, text, passes):
        return mlirtext.to_model(self.tool.get(text, passes))

    def run_kernels(self, text, results, passes):
        """Results of our kernels, in the shapes and types of `results`."""
        self.tool.get(text, passes)
        suffix = re.search(r"suffix=(\S+)", passes[-1])[1]
        name = re.search(r'test.outputs = "([^"]*)"', text)[1] + suffix
        raw = open(name, "rb").read()
        arrays, at = [], 0
        for r in results:
            arrays.append(np.frombuffer(raw, r.dtype, r.size, at).reshape(r.shape))
            at += r.nbytes
        return arrays


def kernel_pipeline(name, options, before=("--test-gradients", "--cse")):
    return (*before, f"--test-run=suffix=.{name} {options}")


FORWARD_RUNS = [kernel_pipeline("forward", "", ()),
                kernel_pipeline("forward-fast", "fast=true donate=true", ())]
WIDE_RUNS = [kernel_pipeline("plain", ""),
             kernel_pipeline("fast", "fast=true donate=true")]
NARROW_RUNS = [kernel_pipeline("plain", "donate=true"),
               kernel_pipeline("fast", "fast=true")]


def function_text(case, file):
    arguments = ", ".join(
        f"%{n}: {mlirtext.format_type(a)}" for n, a in case.arguments.items())
    lines, operands, kinds = ["%none = onnx.None"], [], []
    for i, operand in enumerate(case.operands):
        if operand is None:
            operands.append("%none")
            kinds.append("none")
        elif isinstance(operand, str):
            operands.append("%" + operand)
            kinds.append(mlirtext.format_type(case.arguments[operand]))
        else:
            kind = mlirtext.format_type(operand)
            lines.append(
                f'%c{i} = "onnx.Constant"() <{{value = dense<'
                f"{dense_text(operand)}> : {kind}}}> : () -> {kind}")
            operands.append(f"%c{i}")
            kinds.append(kind)
    attributes = ", ".join(
        f"{k} = {attribute_text(v)}" for k, v in case.attributes.items())
    if attributes:
        attributes = f" <{{{attributes}}}>"
    types = case.result_types
    many = len(types) > 1
    lines.append(
        f'{f"%y:{len(types)}" if many else "%y"} = "{case.op}"({", ".join(operands)})'
        f"{attributes} : ({', '.join(kinds)}) -> ({', '.join(types)})")
    kept = sorted(case.outputs)
    returned = ", ".join(f"%y#{i}" if many else "%y" for i in kept)
    kept_types = ", ".join(types[i] for i in kept)
    body = "\n  ".join(lines)
    return (
        f"func.func @f({arguments}) -> ({kept_types}) attributes {{"
        f'test.inputs = "{file}.in", test.outputs = "{file}"}} {{\n  {body}\n'
        f"  return {returned} : {kept_types}\n}}\n")


def dense_text(array):
    if array.size == 0:
        return ""
    if array.dtype == np.bool_:
        return str(array.tolist()).lower()
    if array.dtype.kind == "f":
        return str(np.vectorize(lambda v: f"{v:.17e}")(array).tolist()).replace("'", "")
    return str(array.tolist())


def attribute_text(value):
    if isinstance(value, cases.F32):
        return f"{float(value.value):.9e} : f32"
    if isinstance(value, cases.F64):
        return f"{float(value.value):.17e} : f64"
    if isinstance(value, str):
        return f'"{value}"' if not value.startswith("type:") else value[5:]
    if isinstance(value, list):
        return "array<i64" + (": " if value else "") + ", ".join(map(str, value)) + ">"
    return f"{value} : i64"


def evaluate(model, feeds):
    return ReferenceEvaluator(model, new_ops=evaluator.OPS).run(None, feeds)


def run_stock(model, feeds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    # Inputs that no node reads stay inputs of the model, not of the session.
    named = {i.name: f for i, f in zip(model.graph.input, feeds)}
    return session.run(None, {i.name: named[i.name] for i in session.get_inputs()})


def compare(made, grads, tolerance, what):
    for i, (a, b) in enumerate(zip(made, grads)):
        finite = b[np.isfinite(b)]
        scale = max(float(np.sqrt(np.sum(finite * finite))), 1e-3)
        np.testing.assert_allclose(
            a, b, rtol=0, atol=tolerance * scale, err_msg=f"{what}: result {i}")


def check_differences(function, model, results, grads):
    feeds, weights = function.feeds, function.weights

    def loss(at):
        return sum(float(np.sum(w * r)) for w, r in zip(weights, evaluate(model, at))
                   if w is not None)

    rng = np.random.default_rng(5)
    float_names = [n for n, a in feeds.items() if a.dtype == np.float64]
    for name, grad in zip(float_names, grads):
        for _ in range(DIRECTIONS):
            u = rng.standard_normal(grad.shape)
            high, low = dict(feeds), dict(feeds)
            high[name] = feeds[name] + STEP * u
            low[name] = feeds[name] - STEP * u
            numeric = (loss(high) - loss(low)) / (2 * STEP)
            symbolic = float(np.sum(grad * u))
            scale = max(abs(numeric), abs(symbolic),
                        float(np.sqrt(np.sum(grad * grad))), 1e-3)
            assert abs(numeric - symbolic) <= TOLERANCE * scale, (
                f"argument {name}: {symbolic} by the rule, {numeric} by differences")


def check(function):
    case = function.case
    adjoint = function.model(function.wide, ADJOINT)
    onnx.checker.check_model(adjoint, full_check=True)
    grads = [np.asarray(g) for g in evaluate(adjoint, function.adjoint_feeds)]
    wanted = [a for a in function.feeds.values() if a.dtype == np.float64]
    assert [g.shape for g in grads] == [a.shape for a in wanted], "shapes of adjoints"
    if case.expected is not None:
        for i, (grad, expected) in enumerate(zip(grads, case.expected)):
            np.testing.assert_allclose(grad, expected, rtol=1e-5, atol=1e-6,
                                       err_msg=f"adjoint {i}")
    else:
        model = function.model(function.wide, BODIES)
        onnx.checker.check_model(model, full_check=True)
        results = evaluate(model, function.feeds)
        kept = [case.result_types[i] for i in sorted(case.outputs)]
        made = [mlirtext.format_type(np.asarray(r)) for r in results]
        assert made == kept, f"results {made}, not {kept}"
        check_differences(function, model, results, grads)
        check_forward(function, [np.asarray(r) for r in results])
    for run in WIDE_RUNS:
        compare(function.run_kernels(function.wide, grads, run), grads, 1e-9,
                f"float64 {run[-1]}")
    narrow = [g.astype(np.float32) for g in grads]
    for run in NARROW_RUNS:
        compare(function.run_kernels(function.narrow, narrow, run), grads, 2e-4,
                f"float32 {run[-1]}")
    stock = run_stock(function.model(function.narrow, ADJOINT), function.narrow_feeds())
    compare(stock, grads, 2e-4, "ONNX Runtime")


def check_forward(function, results):
    """Our kernels of the op itself."""
    narrow = [r.astype(np.float32) if r.dtype == np.float64 else r for r in results]
    for run in FORWARD_RUNS:
        compare(function.run_kernels(function.wide, results, run), results, 1e-9,
                f"float64 {run[-1]}")
        compare(function.run_kernels(function.narrow, narrow, run), results, 2e-5,
                f"float32 {run[-1]}")


def run_all(functions, checker):
    failed = passed = 0
    for function in functions:
        try:
            with np.errstate(all="ignore"):
                checker(function)
            passed += 1
        except Exception as error:  # each case reports, none stops the others
            failed += 1
            print(f"FAILED {function.case.name}: {type(error).__name__}: "
                  f"{str(error)[:1500]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def main():
    tool, pattern = Tool(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "."
    with tempfile.TemporaryDirectory() as folder:
        functions = [Function(tool, case, folder, i)
                     for i, case in enumerate(cases.all_cases())
                     if re.search(pattern, case.name)]
        for f in functions:
            f.write_inputs(f.adjoint_feeds.values(), f.narrow_feeds())
        wide, narrow = [f.wide for f in functions], [f.narrow for f in functions]
        for passes in [BODIES, ADJOINT, *FORWARD_RUNS, *WIDE_RUNS]:
            tool.prefetch(wide, passes)
        for passes in [ADJOINT, *FORWARD_RUNS, *NARROW_RUNS]:
            tool.prefetch(narrow, passes)
        return run_all(functions, check)


if __name__ == "__main__":
    sys.exit(main())
