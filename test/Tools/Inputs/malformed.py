"""malformed.py LOWTIDE: each file is refused within two seconds by every
command that reads a model, and leaves nothing behind."""
import os
import subprocess
import sys
import time

from onnx import TensorProto, helper

lowtide = sys.argv[1]
FLOAT = TensorProto.FLOAT


def model(nodes, shape=(2, 3), weights=()):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", FLOAT, list(shape))],
        [helper.make_tensor_value_info("y", FLOAT, None)], list(weights))
    return helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 20)])


def external(location, dims=(3,), length=None):
    weight = TensorProto(name="w", data_type=FLOAT, dims=list(dims))
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value=location)
    if length is not None:
        weight.external_data.add(key="length", value=str(length))
    return model([helper.make_node("Mul", ["x", "w"], ["y"], name="scale")], weights=[weight])


relu = model([helper.make_node("Relu", ["x"], ["y"], name="relu")])
cycle = model([helper.make_node("Add", ["x", "b"], ["a"], name="first"),
               helper.make_node("Relu", ["a"], ["b"], name="second"),
               helper.make_node("Relu", ["b"], ["y"], name="third")])
raw = TensorProto(name="w", data_type=FLOAT, dims=[1 << 29], raw_data=b"\0" * 16)
cases = {
    "truncated": (relu.SerializeToString()[:-7], 3),
    "noise": (os.urandom(999), 3),
    "empty": (b"", 3),
    "negative": (model(relu.graph.node, (-2, 3)).SerializeToString(), 3),
    "cycle": (cycle.SerializeToString(), 3),
    "missing-data": (external("nowhere.bin").SerializeToString(), None),
    "outside-data": (external("../../etc/passwd").SerializeToString(), None),
    "huge": (model([helper.make_node("Mul", ["x", "w"], ["y"])], weights=[raw]).SerializeToString(), 3),
}
commands = {
    "optimize": ["out.onnx", "--budget", "50%", "--loss", "mse"],
    "grad": ["out.onnx", "--loss", "mse"],
    "info": [],
    "run": ["--outputs", "out.npz"],
}


def check(name, code):
    said = ""
    for command, flags in commands.items():
        start = time.monotonic()
        ran = subprocess.run([lowtide, command, name + ".onnx", *flags], capture_output=True,
                             timeout=60, check=False)
        seconds = time.monotonic() - start
        wanted = (3, 7) if code is None else (code,)
        assert ran.returncode in wanted, (name, command, ran)
        # A machine under load gets some time more.
        assert seconds < 20, (name, command, seconds)
        said = said or ran.stderr.decode()
    left = [f for f in os.listdir(".") if f.startswith("out.") or f.endswith(".tmp")]
    assert not left, (name, left)
    print(f"{name}: {said}", end="")


for case, (data, code) in cases.items():
    with open(case + ".onnx", "wb") as file:
        file.write(data)
    check(case, code)
os.mkdir("folder.onnx")
check("folder", 7)
