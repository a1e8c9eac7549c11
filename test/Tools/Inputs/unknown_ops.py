"""unknown_ops.py OUT: two ops that nobody knows on the way to the loss."""
import sys

import onnx
from onnx import TensorProto, helper

nodes = [
    helper.make_node("Mul", ["x", "w"], ["a"], name="scale"),
    helper.make_node("Foo", ["a"], ["b"], name="first", domain="custom"),
    helper.make_node("Bar", ["b"], ["c"], name="second", domain="custom"),
    helper.make_node("ReduceSum", ["c"], ["y"], name="sum", keepdims=0)]
weight = helper.make_tensor("w", TensorProto.FLOAT, [3], [1, 2, 3])
graph = helper.make_graph(
    nodes, "unknown",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [])], [weight],
    value_info=[helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in "bc"])
onnx.save(helper.make_model(graph, ir_version=9, opset_imports=[
    helper.make_opsetid("", 20), helper.make_opsetid("custom", 1)]), sys.argv[1])
