# Malformed files, one case after the other; see malformed.test.
import os
import resource

from frontend import *

out = folder()
X, Y = value("x", [2, 3]), value("y", [2, 3])
relu = helper.make_node("Relu", ["x"], ["y"], name="act")
good = model([relu], [X], [Y])


def case(name, m, code, *words):
    rejects(save(m, out, name), code, *words)


def graph_of(nodes, inputs=(X,), outputs=(Y,), inits=(), **rest):
    return model(list(nodes), list(inputs), list(outputs), inits, **rest)


# Not a model at all.
data = good.SerializeToString()
case("empty", b"", BAD, "empty")
case("text", b"hello, world\n", BAD)
case("random", bytes((i * 7919 + 13) % 256 for i in range(4096)), BAD)
case("truncated", data[:-5], BAD)
case("no_graph", onnx.ModelProto(ir_version=8).SerializeToString(), BAD, "no graph")
huge = data + bytes([0x3A]) + b"\xff\xff\xff\xff\x07" + b"abc"  # graph, 2 GiB
case("claims_2gb", huge, BAD)
case("ir_version", model([relu], [X], [Y], ir=99), UNSUPPORTED, "IR version 99")
case("opset_old", model([relu], [X], [Y], opset=6), UNSUPPORTED, "opset 6")
case("opset_new", model([relu], [X], [Y], opset=99), UNSUPPORTED, "opset 99")
rejects(os.path.join(out, "missing.onnx"), IO)
rejects(out + "/.", IO)

# Nodes and names.
case("op_type", graph_of([helper.make_node("", ["x"], ["y"])]), BAD, "op type")
case("undefined_input", graph_of([helper.make_node("Relu", ["z"], ["y"], name="act")]),
     BAD, "act", "z", "no producer")
case("output", graph_of([relu], outputs=[value("q", [2])]), BAD, "q", "no producer")
case("too_few", graph_of([helper.make_node("Add", ["x"], ["y"], name="sum")]), BAD)
case("too_many", graph_of([helper.make_node("Relu", ["x", "x"], ["y"])]), BAD)
case("unknown_op", graph_of([helper.make_node("Frobnicate", ["x"], ["y"])]), BAD,
     "Frobnicate")
case("domain", graph_of([helper.make_node("Foo", ["x"], ["y"], domain="nowhere")]), BAD,
     "nowhere")
case("twice", graph_of([relu, helper.make_node("Neg", ["x"], ["y"], name="n")]), BAD,
     "'y'", "twice")
case("input_twice", graph_of([relu], inputs=[X, X]), BAD, "'x'", "twice")
case("attribute_twice",
     graph_of([onnx.NodeProto(op_type="Softmax", input=["x"], output=["y"],
                              attribute=[helper.make_attribute("axis", 1)] * 2)]), BAD,
     "axis")
case("attribute_type", graph_of([helper.make_node("Softmax", ["x"], ["y"], axis=1.5)]),
     BAD, "axis")
case("cycle", graph_of([helper.make_node("Add", ["x", "b"], ["a"], name="first"),
                        helper.make_node("Relu", ["a"], ["b"], name="second"),
                        helper.make_node("Relu", ["b"], ["y"], name="third")]), BAD,
     "cycle", "first", "second")
body = helper.make_graph([helper.make_node("Add", ["x", "x"], ["t"])], "b",
                         [], [value("t", [2, 3])])
shadow = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y0"])], "b",
                           [], [value("y0", [2, 3])])
case("shadow", graph_of([helper.make_node("Relu", ["x"], ["y0"]),
                         helper.make_node("If", ["c"], ["y"], then_branch=shadow,
                                          else_branch=body)],
                        inputs=[X, value("c", [], TensorProto.BOOL)]), BAD, "y0")

# Nesting, written by hand since Python's protobuf stops before we do.
def field(number, payload):
    size, text = len(payload), bytearray([number << 3 | 2] if number < 16 else
                                         [(number << 3 | 2) & 127 | 128, number >> 4])
    while size > 127:
        text.append(size & 127 | 128)
        size >>= 7
    return bytes(text + bytes([size])) + payload


def nested(depth):
    g = helper.make_graph([relu], "b", [], [Y]).SerializeToString()
    for _ in range(depth):
        attribute = field(1, b"then_branch") + field(6, g) + b"\xa0\x01\x05"
        node = field(1, b"c") + field(2, b"y") + field(4, b"If") + field(5, attribute)
        g = field(1, node) + field(2, b"b") + field(12, Y.SerializeToString())
    return onnx.ModelProto(ir_version=8, opset_import=[helper.make_opsetid("", 17)]
                           ).SerializeToString() + field(7, g)


case("nested40", nested(40), BAD, "nested 40 deep", "32")
case("nested1000", nested(1000), BAD)
case("nested5000", nested(5000), BAD)
then = helper.make_graph([helper.make_node("Relu", ["x"], ["t"])], "t", [], [value("t", [2, 3])])
for depth in range(8):
    then = helper.make_graph(
        [helper.make_node("If", ["c"], [f"t{depth}"], then_branch=then,
                          else_branch=helper.make_graph(
                              [helper.make_node("Neg", ["x"], [f"e{depth}"])], "e", [],
                              [value(f"e{depth}", [2, 3])]))],
        "b", [], [value(f"t{depth}", [2, 3])])
accepts(save(graph_of([helper.make_node("If", ["c"], ["y"], then_branch=then,
                                        else_branch=body)],
                      inputs=[X, value("c", [], TensorProto.BOOL)]), out, "shallow"))


# Tensors.
def with_init(t):
    return graph_of([helper.make_node("Add", ["x", "w"], ["y"], name="sum")], inits=[t])


def raw(dims, n, kind=TensorProto.FLOAT):
    return TensorProto(name="w", dims=dims, data_type=kind, raw_data=b"\0" * n)


case("raw_short", with_init(raw([2, 3], 20)), BAD, "'w'", "24", "20")
case("raw_long", with_init(raw([2], 4096)), BAD, "'w'", "8", "4096")
case("no_data", with_init(TensorProto(name="w", dims=[2, 3], data_type=1)), BAD, "'w'")
case("typed_short", with_init(TensorProto(name="w", dims=[2, 3], data_type=1,
                                          float_data=[1, 2])), BAD, "'w'", "6", "2")
case("two_fields", with_init(TensorProto(name="w", dims=[1], data_type=1, raw_data=b"\0" * 4,
                                         float_data=[1])), BAD, "'w'")
case("wrong_field", with_init(TensorProto(name="w", dims=[1], data_type=1,
                                          int64_data=[1])), BAD, "'w'")
case("undefined_type", with_init(raw([1], 4, 0)), BAD, "'w'", "undefined")
case("unknown_type", with_init(raw([1], 4, 77)), BAD, "'w'", "77")
case("negative", with_init(raw([-1, 4], 0)), BAD, "'w'", "negative")
case("overflow", with_init(raw([4611686018427387906], 8)), BAD, "'w'", "too large")
case("overflow2", with_init(raw([1 << 33, 1 << 33], 8)), BAD, "'w'", "too large")
case("input_type", graph_of([relu], inputs=[value("x", [2, 3], 0)]), BAD)
case("mismatch", graph_of([helper.make_node("MatMul", ["x", "x"], ["y"], name="mm")]),
     BAD, "mm")
case("split", graph_of([helper.make_node("Split", ["v"], ["y", "b", "c"], name="cut",
                                         axis=0)], opset=13,
                       inputs=[value("v", [4])], outputs=[value("y", None)],
                       ), BAD, "cut")
case("split_sizes",
     graph_of([helper.make_node("Split", ["v", "s"], ["y", "b", "c"], name="cut", axis=0)],
              opset=13, inputs=[value("v", [4])], outputs=[value("y", None)],
              inits=[tensor("s", np.array([2, 1, 1, 1], np.int64))]), BAD, "cut")
case("default_type",
     graph_of([helper.make_node("Add", ["x", "w"], ["y"])], inputs=[X, value("w", [7])],
              inits=[tensor("w", np.zeros(3, np.float32))]), BAD)
case("default_type2",
     graph_of([helper.make_node("Relu", ["w"], ["y"])], inputs=[X, value("w", [7])],
              outputs=[value("y", [7])], inits=[tensor("w", np.zeros(3, np.float32))]),
     BAD, "'w'")

# Functions that call each other.
def function(name, nodes):
    return helper.make_function("f", name, ["a"], ["b"], nodes,
                                [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)])


def calls(name):
    return helper.make_node(name, ["a"], ["b"], domain="f")


imports = [helper.make_opsetid("f", 1)]
call = helper.make_node("f0", ["x"], ["y"], domain="f")
case("function_cycle", model([call], [X], [Y], imports=imports,
                             functions=[function("f0", [calls("f1")]),
                                        function("f1", [calls("f0")])]), BAD)


def ten(i):
    names = ["a"] + [f"t{k}" for k in range(9)] + ["b"]
    return function(f"f{i}", [helper.make_node(f"f{i + 1}", [names[k]], [names[k + 1]],
                                               domain="f") for k in range(10)])


case("function_bomb", model([call], [X], [Y], imports=imports,
                            functions=[ten(i) for i in range(12)] +
                            [function("f12", [helper.make_node("Relu", ["a"], ["b"])])]),
     UNSUPPORTED, "expand")

# Claims that nobody should act on.
big = graph_of([helper.make_node("ConstantOfShape", ["s"], ["y"], name="fill")],
               inputs=[], outputs=[value("y", None)],
               inits=[tensor("s", np.array([1 << 40, 1 << 40], np.int64))])
case("huge_constant", big, BAD, "fill", "too large")
accepts(save(graph_of([helper.make_node("ConstantOfShape", ["s"], ["y"], name="fill")],
                      inputs=[], outputs=[value("y", None)],
                      inits=[tensor("s", np.array([1 << 36], np.int64))]),
             out, "large_constant"))
long = value("s", [1 << 40], TensorProto.INT64)
for op, names, code in (("Reshape", ["x", "s"], UNSUPPORTED), ("Expand", ["x", "s"], UNSUPPORTED),
                        ("ConstantOfShape", ["s"], UNSUPPORTED),
                        ("Resize", ["x", "", "", "s"], BAD)):
    nodes = [helper.make_node(op, names, ["y"], name="asks")]
    case("long_" + op, graph_of(nodes, inputs=[X, long], outputs=[value("y", None)]), code)
case("long_cast",
     graph_of([helper.make_node("Cast", ["s"], ["t"], to=7),
               helper.make_node("ConstantOfShape", ["t"], ["y"])],
              inputs=[value("s", [1 << 40], TensorProto.INT32)],
              outputs=[value("y", None)]), UNSUPPORTED)

# Everything above in a small process.
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
expect("ASAN_OPTIONS" in os.environ or peak < 200 << 10, f"{peak} KiB used")
finish()
