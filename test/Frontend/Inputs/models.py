# Whole models through import and export; see models.test.
import shutil

from frontend import *

out, models = folder(), sys.argv[2]
shutil.rmtree(out)
os.makedirs(out + "/again")
for name in ("mlp", "resnet_cifar_20", "unet", "gpt2_nodropout", "bert_nodropout"):
    subprocess.run([sys.executable, models + "/materialize.py", f"{models}/{name}.onnx", out],
                   check=True, stdout=subprocess.DEVNULL)
    source, written = f"{out}/{name}.onnx", f"{out}/written.onnx"
    before = onnx.load(source, load_external_data=False)
    feeds, rng = {}, np.random.RandomState(5)
    for i in before.graph.input:
        tensor_type = i.type.tensor_type
        dims = [d.dim_value or 2 for d in tensor_type.shape.dim]
        feeds[i.name] = (rng.randn(*dims).astype(np.float32) if tensor_type.elem_type == 1
                         else rng.randint(0, 9, dims))
    for flags in ([], ["--keep"], ["--opset=17"]):
        what = f"{name} {flags}"
        code, _, err = tool(source, "-o", written, *flags)
        expect(code == OK and err == "", f"{what}: exit {code}: {err[:300]}")
        onnx.checker.check_model(written, full_check=True)
        after = onnx.load(written, load_external_data=False)
        for part in ("input", "output"):
            expect([v.name for v in getattr(before.graph, part)] ==
                   [v.name for v in getattr(after.graph, part)], f"{what}: {part}s")
        expect({n.name for n in before.graph.node} <= {n.name for n in after.graph.node},
               what + ": node names")
        expect(any(t.data_location for t in after.graph.initializer), what + ": external data")
        same_results(source, written, feeds, what + ": results", 1e-5)
    code, _, _ = tool(source, "-o", out + "/again/written.onnx", "--opset=17")
    for suffix in ("", ".data"):
        expect(open(written + suffix, "rb").read() ==
               open(out + "/again/written.onnx" + suffix, "rb").read(), name + ": same bytes")
shutil.rmtree(out)
finish()
