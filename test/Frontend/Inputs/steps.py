# Step files; see steps.test.
import json
import shutil

from frontend import *

out = folder()
shutil.rmtree(out)
os.makedirs(out)
N = helper.make_node
source = sys.argv[2]

# The forward model: a parameter of the step, one that the step doesn't have, a
# small one that stays in the message, and a large constant.
rng = np.random.RandomState(1)
w, u = rng.randn(3, 4).astype(np.float32), rng.randn(3, 3).astype(np.float32)
big = rng.randn(20000, 3).astype(np.float32)
forward = model(
    [N("Gemm", ["x", "w"], ["h"], name="/fc", transB=1), N("MatMul", ["h", "u"], ["g"]),
     N("Constant", [], ["c"], value=tensor("", big)), N("Gather", ["c", "k"], ["r"]),
     N("Add", ["g", "r"], ["logits"])],
    [value("x", ["N", 4])], [value("logits", ["N", 3])],
    [tensor("w", w), tensor("u", u), tensor("k", np.array(7))], opset=13)
forward.metadata_props.add(key="author", value="somebody")
forward_path = save(forward, out, "forward")

step_path = out + "/step.onnx"
code, _, err = tool(source, "--forward=" + forward_path, "-o", step_path)
expect(code == OK, "write the step: " + err)
onnx.checker.check_model(step_path, full_check=True)
step = onnx.load(step_path)
metadata = {p.key: p.value for p in step.metadata_props}
expect(sorted(metadata) == ["lowtide.forward", "lowtide.plan", "lowtide.step", "note"],
       f"metadata: {sorted(metadata)}")
expect([i.name for i in step.graph.input] == ["x", "target", "w.momentum", "w"], "inputs")
expect([t.name for t in step.graph.initializer] == ["w"], "parameters have defaults")
expect([o.name for o in step.graph.output] == ["loss", "w.new", "w.momentum.new"], "outputs")
plan = json.loads(metadata["lowtide.plan"])
expect(plan["offsets"]["logits"] == 512 and plan["workspaces"]["/fc"] == [2048, 100], "plan")
expect(plan["updates"] == {"w.new": "w", "w.momentum.new": "w.momentum"}, "update pairs")
expect(plan["budget_bytes"] == 4096 and plan["tool"].startswith("lowtide "), "summary")
marks = {n.name: {p.key: p.value for p in n.metadata_props} for n in step.graph.node}
expect(marks["/fc__2"] == {"lowtide.recompute_of": "/fc", "lowtide.phase": "backward"}, "marks")
expect(len({n.name for n in step.graph.node}) == len(step.graph.node), "node names are unique")

# Other runtimes compute what the ops mean.
x, target = rng.randn(2, 4).astype(np.float32), np.array([2, 0])
m0 = rng.randn(3, 4).astype(np.float32)
loss, w_new, m_new = run(step, {"x": x, "target": target, "w.momentum": m0, "w": w})
logits = x @ w.T
p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
expect(np.isclose(loss, -np.log(p[[0, 1], target]).mean(), atol=1e-6), "loss")
p[[0, 1], target] -= 1
g = (p / 2).T @ x
expect(np.allclose(m_new, 0.9 * m0 + g, atol=1e-5), "momentum")
expect(np.allclose(w_new, w - 0.01 * (0.9 * m0 + g), atol=1e-6), "parameter")

# At older opsets too.
for opset in (21, 17, 13):
    code, _, err = tool(step_path, f"--opset={opset}", "-o", out + "/old.onnx")
    expect(code == OK, f"step at opset {opset}: {err}")
    if code == OK:
        same_results(step_path, out + "/old.onnx",
                     {"x": x, "target": target, "w.momentum": m0, "w": w}, f"opset {opset}", 1e-6)
        code, text, err = tool(out + "/old.onnx", "--print")
        expect(code == OK and "train.sgd_momentum_update" in text and "plan.arena" in text,
               f"a step of opset {opset} comes back: {err}")

# The forward model from the step: its own opset, names and the rest; the step's
# parameter (zeros), everything else as it was.
code, _, err = tool(step_path, f"--save={out}/saved.onnx")
expect(code == OK, "save: " + err)
saved = onnx.load(out + "/saved.onnx")
expect(saved.opset_import[0].version == 13 and saved.ir_version == forward.ir_version, "opset")
expect([n.op_type for n in saved.graph.node] == [n.op_type for n in forward.graph.node], "nodes")
expect(saved.metadata_props == forward.metadata_props, "metadata")
values = {t.name: numpy_helper.to_array(t) for t in saved.graph.initializer}
expect(not values["w"].any() and np.array_equal(values["u"], u) and values["k"] == 7, "values")
expect(np.array_equal(numpy_helper.to_array(saved.graph.node[2].attribute[0].t), big), "constant")
code, _, err = tool(forward_path, f"--save={out}/none.onnx")
expect(code == UNSUPPORTED and not os.path.exists(out + "/none.onnx"), "no step, no forward model")


# Metadata that somebody changed.
def tampered(name, key, text, *words):
    m = onnx.ModelProto()
    m.CopyFrom(step)
    for entry in m.metadata_props:
        if entry.key == key:
            entry.value = text
    rejects(save(m, out, name), BAD, key, *words)


def edited(base, **changes):
    return json.dumps(dict(json.loads(metadata[base]), **changes))


S, P = "lowtide.step", "lowtide.plan"
tampered("step_text", S, "not json")
tampered("step_deep", S, "[" * 100000)
tampered("step_schema", S, edited(S, schema="lowtide.step/9"))
tampered("step_role", S, edited(S, roles={"x": "king"}), "king")
tampered("step_name", S, edited(S, roles={"zzz": "input"}))
tampered("step_update", S, edited(S, updates={"w.new": "zzz"}), "zzz")
tampered("plan_text", P, "{")
tampered("plan_schema", P, edited(P, schema=1))
tampered("plan_arena", P, edited(P, arena={"space": "device", "bytes": -1, "alignment": 64}))
tampered("plan_align", P, edited(P, arena={"space": "device", "bytes": 1, "alignment": 0}))
tampered("plan_offset", P, edited(P, offsets={"x": -64}), "'x'")
tampered("plan_offset2", P, edited(P, offsets={"x": "here"}), "'x'")
tampered("plan_name", P, edited(P, offsets={"zzz": 0}))
tampered("plan_node", P, edited(P, workspaces={"zzz": [0, 1]}))
tampered("plan_work", P, edited(P, workspaces={"/fc": [0]}), "/fc")
tampered("forward_text", "lowtide.forward", "%%%")
tampered("forward_size", "lowtide.forward", "ejk5OTk5OTk5OTk6")
m = onnx.ModelProto()
m.CopyFrom(step)
m.graph.node[1].op_type = "unheard_of"
rejects(save(m, out, "train_op"), UNSUPPORTED, "unheard_of")
shutil.rmtree(out)
finish()
