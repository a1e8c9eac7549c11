"""Train ops that no gradient check reaches: updates, statistics, random draws.

Each op's body (run by the onnx package's reference evaluator) and its kernel
must agree with a formula written here in numpy.

Usage: bodycheck.py TOOL
"""

import sys
import tempfile

import numpy as np

import gradcheck
from cases import F64, Case, f64_type

rng = np.random.default_rng(11)
LR, DECAY, MOMENTUM, BETA1, BETA2, EPSILON = 0.1, 0.01, 0.9, 0.8, 0.95, 1e-3


def philox(counter, key):
    """One block of Philox4x32-10 in plain integers."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & 0xFFFFFFFF,
             (a >> 32) ^ c[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def dropout(x, seed, step, op_id, ratio):
    low = lambda v: int(v) & 0xFFFFFFFF
    high = lambda v: (int(v) >> 32) & 0xFFFFFFFF
    flat, out = x.reshape(-1), np.zeros(x.size)
    for i in range(x.size):
        block = i // 4
        words = philox([low(block), op_id, low(step), high(block) ^ high(step)],
                       [low(seed), high(seed)])
        if words[i % 4] >= ratio * 2.0**32:
            out[i] = flat[i] / (1 - ratio)
    return out.reshape(x.shape)


def adamw(p, g, m, v, step):
    t = int(step) + 1
    p = p * (1 - LR * DECAY)
    m = BETA1 * m + (1 - BETA1) * g
    v = BETA2 * v + (1 - BETA2) * g * g
    denominator = np.sqrt(v) / np.sqrt(1 - BETA2**t) + EPSILON
    return [p - LR / (1 - BETA1**t) * m / denominator, m, v]


def momentum(p, g, b):
    b = MOMENTUM * b + (g + DECAY * p)
    return [p - LR * b, b]


def table():
    shape = (3, 5)
    p, g, m = (rng.standard_normal(shape) for _ in range(3))
    v = rng.uniform(0.1, 1.0, shape)
    rates = {"lr": F64(LR), "weight_decay": F64(DECAY)}
    yield ("train.sgd_update", [p, g], rates, [p - LR * (g + DECAY * p)])
    yield ("train.sgd_momentum_update", [p, g, m],
           {**rates, "momentum": F64(MOMENTUM)}, momentum(p, g, m))
    for step in [0, 1, 1000]:
        at = np.array(step, np.int64)
        yield ("train.adamw_update", [p, g, m, v, at],
               {**rates, "beta1": F64(BETA1), "beta2": F64(BETA2),
                "epsilon": F64(EPSILON)}, adamw(p, g, m, v, at))
    mean, inv = rng.standard_normal(5), rng.uniform(0.5, 2, 5)
    running = rng.standard_normal(5)
    keep = {"momentum": F64(MOMENTUM)}
    yield ("train.running_update", [running, mean], keep,
           [MOMENTUM * running + (1 - MOMENTUM) * mean])
    yield ("train.running_variance_update", [running, inv],
           {**keep, "epsilon": F64(EPSILON)},
           [MOMENTUM * running + (1 - MOMENTUM) * (1 / inv**2 - EPSILON)])
    for seed, step, op_id, ratio in [(0, 0, 0, 0.5), (-7, 3, 9, 0.25),
                                     (2**40 + 5, 2**33 + 1, 2, 0.1)]:
        for x in [rng.standard_normal((3, 7)), rng.standard_normal(())]:
            for op in ["train.dropout", "train.dropout_grad"]:
                yield (op, [x, np.array(seed, np.int64), np.array(step, np.int64)],
                       {"ratio": F64(ratio), "op_id": op_id},
                       [dropout(x, seed, step, op_id, ratio)])


def check(function):
    case = function.case
    model = function.model(function.wide, BODIES)
    compare = gradcheck.compare
    compare(gradcheck.evaluate(model, function.feeds), case.expected, 1e-9, "body")
    stock = gradcheck.run_stock(model, list(function.feeds.values()))
    compare(stock, case.expected, 1e-9, "ONNX Runtime")
    for run in RUNS:
        made = function.run_kernels(function.wide, case.expected, run)
        compare(made, case.expected, 1e-9, run[-1])


BODIES = ("--test-bodies", "--cse")
RUNS = [gradcheck.kernel_pipeline("plain", "", ()),
        gradcheck.kernel_pipeline("fast", "fast=true donate=true", ())]


def main():
    tool = gradcheck.Tool(sys.argv[1])
    assert philox([0] * 4, [0] * 2)[0] == 0x6627E8D5, "the published test vector"
    with tempfile.TemporaryDirectory() as folder:
        functions = []
        for i, (op, operands, attributes, expected) in enumerate(table()):
            arguments = {f"a{k}": a for k, a in enumerate(operands)}
            types = [f64_type(*e.shape) for e in expected]
            case = Case(f"{op}#{i}", op, list(arguments), arguments, attributes, types,
                        set(range(len(types))), expected)
            function = gradcheck.Function(tool, case, folder, i)
            function.write_inputs(operands, [])
            functions.append(function)
        return gradcheck.run_all(functions, check)


if __name__ == "__main__":
    sys.exit(main())
