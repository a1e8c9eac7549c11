"""Gradient rules against central differences, in float64.

Each case of cases.py is an op with operands. The forward function is evaluated
by the onnx package's reference evaluator; the adjoint is what
`lowtide-test-opt --test-gradients --test-bodies` makes of it, evaluated by the
same evaluator. With a random adjoint k of the results, L(x) = sum(k * f(x)), and
for random directions u

    (L(x + h u) - L(x - h u)) / (2 h)  =  sum(dx * u)      to 1e-6.

The same adjoint is then run by our kernels (plain and fast loops, float64 and
float32, results over dying operands), which must agree with its bodies.

Usage: gradcheck.py TOOL [PATTERN]
"""

import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

import cases
import evaluator
import mlirtext

STEP = 1e-5
TOLERANCE = 1e-6
DIRECTIONS = 6


class Function:
    """A case as MLIR, and what the tool makes of it."""

    def __init__(self, tool, case):
        self.tool, self.case = tool, case
        self.names = [name for name in case.arguments]

    def text(self, result_types):
        arguments = ", ".join(
            f"%{n}: {mlirtext.format_type(a)}" for n, a in self.case.arguments.items()
        )
        lines = ["%none = onnx.None"]
        operands, operand_types = [], []
        for i, operand in enumerate(self.case.operands):
            if operand is None:
                operands.append("%none")
                operand_types.append("none")
            elif isinstance(operand, str):
                operands.append("%" + operand)
                array = self.case.arguments[operand]
                operand_types.append(mlirtext.format_type(array))
            else:
                kind = mlirtext.format_type(operand)
                lines.append(
                    f'%c{i} = "onnx.Constant"() <{{value = dense<'
                    f"{dense_text(operand)}> : {kind}}}> : () -> {kind}"
                )
                operands.append(f"%c{i}")
                operand_types.append(kind)
        attributes = ", ".join(
            f"{k} = {attribute_text(v)}" for k, v in self.case.attributes.items()
        )
        if attributes:
            attributes = f" <{{{attributes}}}>"
        count = len(result_types)
        results = f"%y:{count}" if count > 1 else "%y"
        lines.append(
            f'{results} = "{self.case.op}"({", ".join(operands)}) '
            f"{attributes} : ({', '.join(operand_types)}) -> "
            f"({', '.join(result_types)})"
        )
        kept = [i for i in range(count) if i in self.case.outputs]
        returned = [f"%y#{i}" if count > 1 else "%y" for i in kept]
        kept_types = ", ".join(result_types[i] for i in kept)
        body = "\n  ".join(lines)
        return (
            f"func.func @f({arguments}) -> ({kept_types}) {{\n  {body}\n"
            f"  return {', '.join(returned)} : {kept_types}\n}}\n"
        )

    def run_tool(self, text, *passes):
        done = subprocess.run(
            [self.tool, *passes, "--mlir-print-op-generic",
             "--mlir-elide-elementsattrs-if-larger=1000000"],
            input=text, capture_output=True, text=True,
        )
        if done.returncode:
            raise AssertionError(done.stderr.strip() + "\n" + text)
        return mlirtext.to_model(done.stdout)


    def run_kernels(self, text, feeds, results, options=""):
        """Results of our kernels, in the shapes and types of `results`."""
        with tempfile.TemporaryDirectory() as folder:
            given, made = os.path.join(folder, "in"), os.path.join(folder, "out")
            with open(given, "wb") as file:
                for array in feeds:
                    file.write(np.ascontiguousarray(array).tobytes())
            done = subprocess.run(
                [self.tool, "--test-gradients", "--cse",
                 f"--test-run=inputs={given} outputs={made} {options}"],
                input=text, capture_output=True, text=True,
            )
            if done.returncode:
                raise AssertionError(f"{options}: {done.stderr.strip()[:400]}")
            raw = open(made, "rb").read()
        arrays, at = [], 0
        for r in results:
            arrays.append(np.frombuffer(raw, r.dtype, r.size, at).reshape(r.shape))
            at += r.nbytes
        return arrays


def dense_text(array):
    if array.size == 0:
        return ""
    if array.dtype == np.bool_:
        return str(array.tolist()).lower()
    if array.dtype.kind == "f":
        return re.sub(r"'", "", str(np.vectorize(lambda v: f"{v:.17e}")(array).tolist()))
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


def check(tool, case):
    function = Function(tool, case)
    model = function.run_tool(function.text(case.result_types), "--test-bodies")
    onnx.checker.check_model(model, full_check=True)
    feeds = {f"%{'arg'}{i}": a for i, a in enumerate(case.arguments.values())}
    results = evaluate(model, feeds)
    for result, kind in zip(results, [case.result_types[i] for i in sorted(case.outputs)]):
        assert mlirtext.format_type(np.asarray(result)) == kind, (
            f"the result is {mlirtext.format_type(np.asarray(result))}, not {kind}"
        )
    adjoint = function.run_tool(
        function.text(case.result_types), "--test-gradients", "--test-bodies", "--cse"
    )
    onnx.checker.check_model(adjoint, full_check=True)
    rng = np.random.default_rng(7)
    weights = [rng.standard_normal(np.shape(r)) if np.asarray(r).dtype == np.float64
               else None for r in results]
    adjoint_feeds = dict(feeds)
    for w in weights:
        if w is not None:
            adjoint_feeds[f"%arg{len(adjoint_feeds)}"] = w
    grads = evaluate(adjoint, adjoint_feeds)

    def loss(at):
        return sum(float(np.sum(w * r)) for w, r in zip(weights, evaluate(model, at))
                   if w is not None)

    float_names = [n for n, a in feeds.items() if a.dtype == np.float64]
    worst = 0.0
    for name, grad in zip(float_names, grads):
        assert grad.shape == feeds[name].shape, f"{name}: shape {grad.shape}"
        for _ in range(DIRECTIONS):
            u = rng.standard_normal(grad.shape)
            high, low = dict(feeds), dict(feeds)
            high[name] = feeds[name] + STEP * u
            low[name] = feeds[name] - STEP * u
            numeric = (loss(high) - loss(low)) / (2 * STEP)
            symbolic = float(np.sum(grad * u))
            scale = max(abs(numeric), abs(symbolic),
                        float(np.sqrt(np.sum(grad * grad))), 1e-3)
            worst = max(worst, abs(numeric - symbolic) / scale)
            assert abs(numeric - symbolic) <= TOLERANCE * scale, (
                f"argument {name}: {symbolic} by the rule, {numeric} by differences"
            )
    for expected, grad in zip(case.expected or [], grads):
        np.testing.assert_allclose(grad, expected, rtol=1e-5, atol=1e-6)
    check_kernels(function, list(adjoint_feeds.values()), grads)
    return worst


def check_kernels(function, feeds, grads):
    text = function.text(function.case.result_types)
    for options in ["", "fast=true donate=true"]:
        compare(function.run_kernels(text, feeds, grads, options), grads, 1e-9,
                f"float64 {options}")
    narrow_text = re.sub(r"f64(?!\w)", "f32", text)
    narrow_text = re.sub(r"(epsilon = \S+ : )f32", r"\1f64", narrow_text)
    narrow = lambda a: a.astype(np.float32) if a.dtype == np.float64 else a
    for options in ["donate=true", "fast=true"]:
        made = function.run_kernels(
            narrow_text, [narrow(a) for a in feeds], [narrow(g) for g in grads], options)
        compare(made, grads, 2e-4, f"float32 {options}")


def compare(made, grads, tolerance, what):
    for i, (a, b) in enumerate(zip(made, grads)):
        scale = max(float(np.sqrt(np.sum(b * b))), 1e-3)
        worst = float(np.max(np.abs(a - b), initial=0.0))
        assert worst <= tolerance * scale, (
            f"kernels, {what}: result {i} is off by {worst / scale:.2e}\n{a}\n{b}")


def main():
    tool, pattern = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "."
    failed = passed = 0
    for case in cases.all_cases():
        if not re.search(pattern, case.name):
            continue
        try:
            check(tool, case)
            passed += 1
        except Exception as error:  # each case reports, none stops the others
            failed += 1
            print(f"FAILED {case.name}: {type(error).__name__}: {str(error)[:1500]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
