# What the front end's tests share: running the driver, building small models.
import os
import resource
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TOOL = "lowtide-test-frontend"
OK, USAGE, BAD, UNSUPPORTED, IO = 0, 2, 3, 4, 7
failures = []
checks = 0


def expect(condition, what):
    global checks
    checks += 1
    if not condition:
        failures.append(what)
        print("FAIL:", what)


def finish():
    """Ends a test; a script that checked nothing has failed too."""
    print(f"{checks - len(failures)} checks passed, {len(failures)} failed")
    sys.exit(1 if failures or checks == 0 else 0)


def tool(*args, cwd=None, seconds=60):
    """(exit code, output, standard error) of the driver, which is ended when it
    uses more processor time."""
    limits = f"ulimit -t {seconds}; ulimit -v {4 << 20}; "
    if "ASAN_OPTIONS" in os.environ:
        limits = "ulimit -t 120; "
    # The shell sets the limits: a fork of this process would cost more than the
    # tool takes.
    run = subprocess.run(
        ["sh", "-c", limits + 'exec "$0" "$@"', TOOL, *args],
        capture_output=True, text=True, errors="replace", cwd=cwd,
    )
    return run.returncode, run.stdout, run.stderr


def rejects(path, code, *words, out=None):
    """The file is refused with this code; the message has the words; nothing is
    written."""
    out = out or path + ".out.onnx"
    before = set(os.listdir(os.path.dirname(path)))
    got, _, err = tool(path, "-o", out, seconds=2)
    expect(got == code, f"{os.path.basename(path)}: exit {got}, not {code}: {err[:300]}")
    for word in words:
        expect(word in err, f"{os.path.basename(path)}: no '{word}' in: {err[:300]}")
    after = set(os.listdir(os.path.dirname(path)))
    expect(before == after, f"{os.path.basename(path)}: left {after - before}")


def accepts(path, *flags):
    """Imports and exports; the result passes the checker. Returns it and what
    was said on the way."""
    out = path + ".out.onnx"
    code, _, err = tool(path, "-o", out, *flags)
    expect(code == OK, f"{os.path.basename(path)} {flags}: exit {code}: {err[:400]}")
    if code != OK:
        return None, err
    onnx.checker.check_model(out, full_check=True)
    return onnx.load(out), err


def prints(path):
    code, text, err = tool(path, "--print")
    expect(code == OK, f"{os.path.basename(path)}: exit {code}: {err[:400]}")
    return text


def tensor(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, initializers=(), opset=17, ir=8, **rest):
    graph = helper.make_graph(
        nodes, "g", inputs, outputs, list(initializers),
        value_info=rest.pop("value_info", []),
    )
    imports = [helper.make_opsetid("", opset)]
    imports += rest.pop("imports", [])
    return helper.make_model(graph, opset_imports=imports, ir_version=ir, **rest)


def save(m, folder, name):
    path = os.path.join(folder, name + ".onnx")
    data = m if isinstance(m, bytes) else m.SerializeToString()
    with open(path, "wb") as f:
        f.write(data)
    return path


def run(m, feeds):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    data = m if isinstance(m, str) else m.SerializeToString()
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def same_results(before, after, feeds, what, tolerance=0):
    for a, b in zip(run(before, feeds), run(after, feeds)):
        expect(a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance,
                                                   equal_nan=True), what)


def folder():
    path = sys.argv[1]
    os.makedirs(path, exist_ok=True)
    return path
