"""chain.py OUT: a classifier of eight narrow layers on a wide batch, so that
activations weigh more than parameters and recomputation pays."""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, LAYERS = 32, 8

rng = np.random.default_rng(1)
nodes, weights = [], []
value = "x"
for layer in range(LAYERS):
    name = f"w{layer}"
    drawn = rng.standard_normal((WIDTH, WIDTH)).astype(np.float32)
    weights.append(numpy_helper.from_array(drawn / WIDTH**0.5, name))
    nodes.append(helper.make_node("MatMul", [value, name], [f"h{layer}"], name=f"matmul{layer}"))
    nodes.append(helper.make_node("Tanh", [f"h{layer}"], [f"a{layer}"], name=f"tanh{layer}"))
    value = f"a{layer}"
nodes[-1].output[0] = "logits"
shape = ["N", WIDTH]
graph = helper.make_graph(
    nodes, "chain",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
onnx.checker.check_model(model, full_check=True)
onnx.save(model, sys.argv[1])
