"""A matrix product whose weight is a ConstantOfShape node, and a check of what
training made of it.

    filled.py make MODEL
    filled.py check MODEL OUTPUTS.npz
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def make(path):
    fill = numpy_helper.from_array(np.array([0.5], np.float32))
    shape = numpy_helper.from_array(np.array([3, 2], np.int64), "shape")
    graph = helper.make_graph(
        [helper.make_node("ConstantOfShape", ["shape"], ["weight"], value=fill),
         helper.make_node("MatMul", ["x", "weight"], ["y"])],
        "filled",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 2])],
        [shape])
    model = helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 17)])
    onnx.save(model, path)


def check(path, outputs):
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    trained = np.load(outputs)["weight.new"]
    assert np.array_equal(values["weight"], trained)
    assert not np.allclose(trained, 0.5)
    assert all(n.op_type != "ConstantOfShape" for n in model.graph.node)


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
