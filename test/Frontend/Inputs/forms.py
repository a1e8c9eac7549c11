# Forms of models; see forms.test.
import shutil

from frontend import *

out = folder()
shutil.rmtree(out)
os.makedirs(out)
N = helper.make_node
T = TensorProto


def both(name, m, feeds=None, what="", quiet=True):
    """Round trips at opset 28 and at the file's; the results are equal."""
    path = save(m, out, name)
    done = None
    for flags in (["--keep"], []):
        done, err = accepts(path, *flags)
        if quiet:
            expect(err == "", f"{name}: says {err[:300]}")
        if done and feeds is not None:
            same_results(m, done, feeds, f"{name} {flags}: results")
    return done


# Element types, in every field they may be written in.
for kind, array in (
    (T.FLOAT, [1.5, -2]), (T.DOUBLE, [1.5, -2]), (T.INT8, [-128, 127]), (T.UINT8, [0, 255]),
    (T.INT16, [-32768, 5]), (T.UINT16, [65535, 5]), (T.INT32, [-(2**31), 5]),
    (T.UINT32, [2**32 - 1, 5]), (T.INT64, [-(2**63), 5]), (T.UINT64, [2**64 - 1, 5]),
    (T.BOOL, [True, False]), (T.FLOAT16, [1, -2]),
):
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    data = np.array(array, dtype)
    for typed in (False, True):
        t = helper.make_tensor("w", kind, [2], data if typed else data.tobytes(), raw=not typed)
        m = model([N("Identity", ["w"], ["y"])], [], [value("y", [2], kind)], [t])
        done = both(f"type{kind}{typed}", m)
        if done:
            got = numpy_helper.to_array(done.graph.initializer[0])
            expect(got.dtype == dtype and np.array_equal(got, data), f"type {kind}: {got}")
half = T(name="w", data_type=T.FLOAT16, dims=[2], int32_data=[15360, 0xC000])
done = both("half", model([N("Identity", ["w"], ["y"])], [], [value("y", [2], T.FLOAT16)], [half]))
expect(list(numpy_helper.to_array(done.graph.initializer[0])) == [1, -2], "half in int32_data")
for kind, raw_bytes, count in ((T.BFLOAT16, 6, 3), (T.COMPLEX64, 24, 3), (T.FLOAT8E4M3FN, 3, 3),
                               (T.INT4, 2, 3), (T.UINT4, 2, 3), (T.UINT2, 1, 3),
                               (T.FLOAT4E2M1, 2, 3), (T.FLOAT8E8M0, 3, 3)):
    payload = bytes(range(1, raw_bytes + 1))
    if kind == T.UINT2:
        payload = b"\x06"
    t = T(name="w", data_type=kind, dims=[count], raw_data=payload)
    m = model([N("Identity", ["w"], ["y"])], [], [value("y", [count], kind)], [t],
              opset=28, ir=14)
    done = both(f"odd{kind}", m)
    expect(done and done.graph.initializer[0].raw_data == payload, f"bytes of type {kind}")
t = helper.make_tensor("w", T.STRING, [2], ["ab", "c"])
m = model([N("Identity", ["w"], ["y"])], [], [value("y", [2], T.STRING)], [t])
done = both("strings", m)
expect(list(done.graph.initializer[0].string_data) == [b"ab", b"c"], "strings")
m = model([N("Identity", ["x"], ["y"])], [value("x", ["N"], T.STRING)],
          [value("y", ["N"], T.STRING)])
both("string_input", m)
sequence = helper.make_tensor_sequence_value_info("s", T.FLOAT, [2])
m = model([N("SequenceInsert", ["s", "x"], ["q"]), N("SequenceAt", ["q", "i"], ["y"])],
          [sequence, value("x", [2]), value("i", [], T.INT64)], [value("y", None)])
m.graph.output[0].type.tensor_type.shape.dim.add().dim_value = 2
both("sequence", m)

# Ways to write a constant.
nodes = [N("Constant", [], ["c0"], value_float=2.0), N("Constant", [], ["c1"], value_floats=[1, 2.0]),
         N("Constant", [], ["c2"], value_int=3), N("Constant", [], ["c3"], value_ints=[4, 5]),
         N("Constant", [], ["c4"], value=tensor("", np.array([1.5, 2], np.float32))),
         N("Mul", ["c0", "c1"], ["d0"]), N("Add", ["d0", "c4"], ["d1"]),
         N("Mul", ["c2", "c3"], ["d2"]), N("Cast", ["d2"], ["d3"], to=1), N("Add", ["d1", "d3"], ["y"])]
both("constants", model(nodes, [], [value("y", [2])]), {})
text = N("Constant", [], ["y"], value_strings=[b"p", b"q"])
both("string_constant", model([text], [], [value("y", [2], T.STRING)]))
fill = N("ConstantOfShape", ["s"], ["w"], name="fill", value=tensor("v", np.array([2], np.float32)))
m = model([fill, N("MatMul", ["x", "w"], ["y"])], [value("x", [1, 3])], [value("y", [1, 2])],
          [tensor("s", np.array([3, 2]))])
both("filled", m, {"x": np.ones((1, 3), np.float32)})
expect("onnx.ConstantOfShape" in prints(out + "/filled.onnx"), "filled weights stay small")

# Initializers that are inputs: a default from IR 4 on, a constant before.
w = tensor("w", np.array([1, 2], np.float32))
k = tensor("k", np.array([0, 1]))
nodes = [N("Add", ["x", "w"], ["h"]), N("Gather", ["h", "k"], ["y"])]
inputs = [value("x", [2]), value("w", [2]), value("k", [2], T.INT64)]
feeds = {"x": np.array([5, 7], np.float32)}
m = model(nodes, inputs, [value("y", [2])], [w, k], ir=7, opset=12)
done = both("overridable", m, dict(feeds, w=np.array([9, 9], np.float32), k=np.array([1, 1])))
expect([i.name for i in done.graph.input] == ["x", "w", "k"], "defaults stay inputs")
m = model(nodes, inputs, [value("y", [2])], [w, k], ir=3, opset=8)
done = both("ir3", m)
same_results(m, done, feeds, "IR 3")
expect([i.name for i in done.graph.input] == ["x"], "constants of IR 3 are no inputs")

# Absent and unread values; the same weight twice; outputs that are inputs.
m = model([N("Clip", ["x", "", "hi"], ["h"]),
           N("Dropout", ["h"], ["y", "mask"]), N("MaxPool", ["z"], ["p", ""], kernel_shape=[1])],
          [value("x", [2]), value("z", [1, 1, 4])], [value("y", [2]), value("p", [1, 1, 4])],
          [tensor("hi", np.float32(1))])
feeds = {"x": np.array([5, -7], np.float32), "z": np.ones((1, 1, 4), np.float32)}
both("optional", m, feeds)
m = model([N("Mul", ["x", "w"], ["h"]), N("Add", ["h", "w"], ["y"])], [value("x", [2])],
          [value("y", [2]), value("x", [2]), value("w", [2])], [w])
done = both("passed", m, {"x": feeds["x"]})
expect([o.name for o in done.graph.output] == ["y", "x", "w"], "outputs keep their names")

# Names of nodes may be missing or twice; of dimensions too.
m = model([N("Relu", ["x"], ["a"], name="n"), N("Neg", ["a"], ["b"], name="n"), N("Abs", ["b"], ["y"])],
          [value("x", ["N", "None", None, "?", ""])], [value("y", ["N", "M", None, "K", ""])])
m.graph.value_info.append(value("nothing", [3]))
done = both("names", m)
(y,) = run(done, {"x": np.ones((1, 2, 1, 1, 1), np.float32)})
expect(y.shape == (1, 2, 1, 1, 1), "anonymous dimensions are not unified")
dims = [d.dim_param for d in done.graph.input[0].type.tensor_type.shape.dim]
expect(dims == ["N", "", "", "", ""], f"dimension names: {dims}")
m = model([N("Slice", ["x", "s", "e", "s", "t"], ["h"], name="cut"), N("Relu", ["h"], ["y"])],
          [value("x", [6])], [value("y", [3])],
          [tensor("s", np.array([0])), tensor("e", np.array([6])), tensor("t", np.array([2]))],
          value_info=[value("h", [6])])
path = save(m, out, "stale")
done, err = accepts(path)
expect("'h'" in err and "6" in err and "3" in err, "a stale shape is said: " + err)

# Unsorted nodes, also where only a subgraph reads what comes late.
m = model([N("Add", ["m", "m"], ["y"], name="late"), N("MatMul", ["x", "x"], ["m"], name="early")],
          [value("x", [2, 2])], [value("y", [2, 2])])
path = save(m, out, "unsorted")
for flags in ([], ["--keep"]):
    done, err = accepts(path, *flags)
    expect(err.count("not sorted") == 1, "one warning: " + err)
    expect([n.name for n in done.graph.node] == ["early", "late"], "sorted")
inside = helper.make_graph(
    [N("Identity", ["c"], ["c2"]), N("Add", ["v", "late"], ["v2"])], "body",
    [value("i", [], T.INT64), value("c", [], T.BOOL), value("v", [2])],
    [value("c2", [], T.BOOL), value("v2", [2])])
m = model([N("Loop", ["n", "", "x"], ["y"], body=inside, name="loop"),
           N("Neg", ["x"], ["late"], name="neg")],
          [value("x", [2]), value("n", [], T.INT64)], [value("y", [2])], opset=13)
path = save(m, out, "loop")
done, err = accepts(path)
expect([n.name for n in done.graph.node] == ["neg", "loop"], "captures count as reads")
(y,) = run(done, {"x": np.array([1, 2], np.float32), "n": np.array(3)})
expect(list(y) == [-2, -4], f"a loop with a captured value: {y}")

# Nodes that nobody knows.
odd = N("Fancy", ["x", "", "x"], ["a", "", "b"], name="odd", domain="com.example",
        numbers=[1, 2], names=["p"], deep=helper.make_tensor_type_proto(1, [2]))
odd.metadata_props.add(key="k", value="v")
m = model([odd, N("Relu", ["a"], ["y"]), N("Einsum", ["x", "x"], ["z"], equation="i,i->i")],
          [value("x", [2])], [value("y", [2]), value("z", [2])],
          imports=[helper.make_opsetid("com.example", 3)], value_info=[value("a", [2])])
done = both("custom", m)
node = done.graph.node[0]
expect((node.domain, node.op_type, node.name) == ("com.example", "Fancy", "odd"), "custom node")
expect(list(node.input) == ["x", "", "x"] and list(node.output) == ["a", "", "b"], "its values")
expect({a.name for a in node.attribute} == {"numbers", "names", "deep"}, "its attributes")
expect(node.metadata_props[0].value == "v", "its metadata")
expect({i.domain: i.version for i in done.opset_import} == {"": 28, "com.example": 3}, "its domain")
m = model([N("Fancy", ["x"], ["y"], domain="com.example")], [value("x", [2])],
          [value("y", [2])], imports=[helper.make_opsetid("com.example", 3)])
both("custom_untyped", m)

# Long and wide graphs.
chain = [N("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(100000)]
m = model(chain, [value("v0", [2])], [value("v100000", [2])])
expect(tool(save(m, out, "chain"), "-o", out + "/chain.out")[0] == OK, "100,000 nodes in a row")
m = model(chain[19999::-1], [value("v0", [2])], [value("v20000", [2])])
expect(tool(save(m, out, "backwards"))[0] == OK, "20,000 nodes backwards")
ladder = []
for i in range(5000):
    ladder += [N("Add", [f"a{i}", f"b{i}"], [f"a{i + 1}"]), N("Sub", [f"a{i}", f"b{i}"], [f"b{i + 1}"])]
m = model(ladder[::-1], [value("a0", [2]), value("b0", [2])], [value("a5000", [2])])
expect(tool(save(m, out, "ladder"))[0] == OK, "a ladder backwards")
shutil.rmtree(out)
finish()
