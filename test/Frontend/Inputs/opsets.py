# Opsets and what the version converter loses; see opsets.test.
import shutil

from frontend import *

out = folder()
shutil.rmtree(out)
os.makedirs(out)
rng = np.random.RandomState(3)
x = rng.randn(2, 4, 6, 6).astype(np.float32)
N = helper.make_node


def f32(*shape):
    return rng.randn(*shape).astype(np.float32)


def net(opset):
    """One of each kind that changed its form between opsets."""
    nodes, inits = [], [tensor("w", f32(4, 4, 3, 3)), tensor("b", f32(4))]
    inits += [tensor(n, np.abs(f32(4)) + 0.5) for n in ("scale", "bias", "mean", "var")]
    nodes.append(N("Conv", ["x", "w", "b"], ["h0"], name="conv", pads=[1, 1, 1, 1]))
    extra = {} if opset >= 9 else {"spatial": 1}
    nodes.append(N("BatchNormalization", ["h0", "scale", "bias", "mean", "var"], ["h1"],
                   name="bn", **extra))
    if opset >= 11:
        inits += [tensor("lo", np.float32(0)), tensor("hi", np.float32(2))]
        nodes.append(N("Clip", ["h1", "lo", "hi"], ["h2"], name="clip"))
        inits.append(tensor("pads", np.array([0, 0, 1, 1, 0, 0, 1, 1])))
        nodes.append(N("Pad", ["h2", "pads"], ["h3"], name="pad"))
    else:
        nodes.append(N("Clip", ["h1"], ["h2"], name="clip", min=0.0, max=2.0))
        nodes.append(N("Pad", ["h2"], ["h3"], name="pad", pads=[0, 0, 1, 1, 0, 0, 1, 1]))
    nodes.append(N("MaxPool", ["h3"], ["h4"], name="pool", kernel_shape=[2, 2], strides=[2, 2]))
    if opset >= 13:
        inits += [tensor("axes", np.array([2])), tensor("parts", np.array([1, 3]))]
        nodes.append(N("ReduceSum", ["h4", "axes"], ["h5"], name="sum", keepdims=0))
        nodes.append(N("Split", ["h5", "parts"], ["a", "c"], name="split", axis=1))
        nodes.append(N("Squeeze", ["a", "one"], ["a1"], name="squeeze"))
        nodes.append(N("Unsqueeze", ["a1", "one"], ["a2"], name="unsqueeze"))
        inits.append(tensor("one", np.array([1])))
    else:
        nodes.append(N("ReduceSum", ["h4"], ["h5"], name="sum", axes=[2], keepdims=0))
        nodes.append(N("Split", ["h5"], ["a", "c"], name="split", axis=1, split=[1, 3]))
        nodes.append(N("Squeeze", ["a"], ["a1"], name="squeeze", axes=[1]))
        nodes.append(N("Unsqueeze", ["a1"], ["a2"], name="unsqueeze", axes=[1]))
    nodes.append(N("Mul", ["a2", "c"], ["h6"], name="mul"))
    if opset >= 10:
        inits += [tensor("from", np.array([1])), tensor("to", np.array([3]))]
        nodes.append(N("Slice", ["h6", "from", "to", "from"], ["h7"], name="slice"))
    else:
        nodes.append(N("Slice", ["h6"], ["h7"], name="slice", axes=[1], starts=[1], ends=[3]))
    if opset >= 18:
        inits.append(tensor("last", np.array([-1])))
        nodes.append(N("ReduceMean", ["h7", "last"], ["h8"], name="reduce"))
    else:
        nodes.append(N("ReduceMean", ["h7"], ["h8"], name="reduce", axes=[-1] if opset >= 11 else [2]))
    if opset >= 12:
        inits.append(tensor("ratio", np.float32(0.5)))
        nodes.append(N("Dropout", ["h8", "ratio"], ["h9"], name="drop"))
    else:
        nodes.append(N("Dropout", ["h8"], ["h9"], name="drop", ratio=0.5))
    nodes.append(N("Softmax", ["h9"], ["y"], name="softmax", axis=1))
    for node in nodes:
        node.metadata_props.add(key="origin", value="layer " + node.name)
    ir = 3 if opset < 9 else 10
    inputs = [value("x", ["N", 4, 6, 6])]
    if ir == 3:
        inputs += [value(t.name, t.dims, t.data_type) for t in inits]
    return model(nodes, inputs, [value("y", ["N", 2, 1])], inits, opset=opset, ir=ir)


for opset in (7, 8, 9, 10, 11, 12, 13, 15, 17, 18, 21, 23, 28):
    m = net(opset)
    m.metadata_props.add(key="author", value="somebody")
    path = save(m, out, f"net{opset}")
    names = [n.name for n in m.graph.node]
    for flags in ([], ["--keep"]):
        what = f"opset {opset} {flags}"
        done, err = accepts(path, *flags)
        if not done:
            continue
        expect(err == "", f"{what}: says {err[:200]}")
        expect(done.opset_import[0].version == (opset if flags else 28), what + ": opset")
        kept = {n.name: {p.key: p.value for p in n.metadata_props} for n in done.graph.node}
        for name in names:
            expect(kept.get(name, {}).get("origin") == "layer " + name, f"{what}: {name}")
        expect({p.key: p.value for p in done.metadata_props} == {"author": "somebody"},
               what + ": model metadata")
        expect([i.name for i in done.graph.input if i.name == "x"] == ["x"], what + ": inputs")
        dim = done.graph.input[0].type.tensor_type.shape.dim[0]
        expect(dim.dim_param == "N", what + ": symbolic dimension")
        same_results(m, done, {"x": x}, what + ": results", 1e-6)

# Down from the internal opset, splits included.
path = save(net(28), out, "down")
for opset in (25, 21, 18, 17, 13, 12):
    done, err = accepts(path, f"--opset={opset}")
    if done:
        expect(done.opset_import[0].version == opset, f"down to {opset}")
        same_results(path, done, {"x": x}, f"down to {opset}", 1e-6)
for opset in (3, 99):
    code, _, err = tool(path, f"--opset={opset}", "-o", out + "/no.onnx")
    expect(code == UNSUPPORTED and str(opset) in err, f"opset {opset} is refused")
gelu = save(model([N("Gelu", ["x"], ["y"], name="act")], [value("x", [2])], [value("y", [2])],
                  opset=20), out, "gelu")
code, _, err = tool(gelu, "--opset=17", "-o", out + "/no.onnx")
expect(code == UNSUPPORTED and "act" in err and "17" in err, "Gelu before 20: " + err)
expect(not os.path.exists(out + "/no.onnx"), "nothing is written on failure")


# Batch normalization of opset 9 with five outputs meant training.
def old_norm(outputs, more=()):
    inits = [tensor(n, np.abs(f32(4)) + 0.5) for n in ("scale", "bias", "mean", "var")]
    return model([N("BatchNormalization", ["x", "scale", "bias", "mean", "var"], outputs,
                    name="bn")] + list(more), [value("x", [2, 4, 6, 6])],
                 [value(outputs[0], [2, 4, 6, 6])], inits, opset=9, ir=4)


five = ["y", "rm", "rv", "sm", "sv"]
done, _ = accepts(save(old_norm(five), out, "bn5"))
(node,) = [n for n in done.graph.node if n.op_type == "BatchNormalization"]
expect([a.i for a in node.attribute if a.name == "training_mode"] == [1], "training mode")
expect(list(node.output) == ["y", "rm", "rv"], "three outputs are left")
mean, var = x.mean((0, 2, 3), keepdims=True), x.var((0, 2, 3), keepdims=True)
p = {t.name: numpy_helper.to_array(t) for t in done.graph.initializer}
want = (x - mean) / np.sqrt(var + 1e-5) * p["scale"].reshape(4, 1, 1) + p["bias"].reshape(4, 1, 1)
expect(np.allclose(run(done, {"x": x})[0], want, atol=1e-5), "batch statistics are used")
m = old_norm(["h"] + five[1:], [N("Relu", ["sm"], ["y2"])])
m.graph.output.append(value("y2", [4]))
rejects(save(m, out, "bn_read"), UNSUPPORTED, "bn", "sm")

# Training mode with statistics that nobody reads stays as it is.
inits = [tensor(n, np.abs(f32(4)) + 0.5) for n in ("scale", "bias", "mean", "var")]
m = model([N("BatchNormalization", ["x", "scale", "bias", "mean", "var"], ["y", "rm", "rv"],
             name="bn", training_mode=1)], [value("x", [2, 4, 6, 6])],
          [value("y", [2, 4, 6, 6])], inits, opset=15)
done, _ = accepts(save(m, out, "bn15"))
expect(len(done.graph.node[0].output) == 3, "three outputs stay")
same_results(m, done, {"x": x}, "training mode")

# Functions are inlined; names and metadata of their nodes stay.
inner = N("Relu", ["a"], ["t"], name="inner")
inner.metadata_props.add(key="k", value="v")
fn = helper.make_function("my", "Block", ["a"], ["b"], [inner, N("Neg", ["t"], ["b"])],
                          [helper.make_opsetid("", 17)])
m = model([N("Block", ["x"], ["h"], domain="my", name="first"),
           N("Block", ["h"], ["y"], domain="my", name="second")],
          [value("x", [2])], [value("y", [2])], imports=[helper.make_opsetid("my", 1)],
          functions=[fn])
path = save(m, out, "function")
for flags in ([], ["--keep"]):
    done, _ = accepts(path, *flags)
    same_results(m, done, {"x": f32(2)}, "functions")
expect(len(done.functions) == 1, "a file's own opset keeps its functions")
done, _ = accepts(path)
expect([n.op_type for n in done.graph.node] == ["Relu", "Neg"] * 2, "inlined")
expect(not done.functions, "no functions are left")
expect(sum(p.value == "v" for n in done.graph.node for p in n.metadata_props) == 2,
       "metadata inside functions")
shutil.rmtree(out)
finish()
