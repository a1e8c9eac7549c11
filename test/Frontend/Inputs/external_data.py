# External data; see external-data.test.
import hashlib
import shutil

from frontend import *

out = folder()
shutil.rmtree(out)
os.makedirs(out + "/m/sub")
weights = np.arange(1024, dtype=np.float32)
open(out + "/m/w.bin", "wb").write(weights.tobytes() * 2)
open(out + "/outside.bin", "wb").write(weights.tobytes())


def external(name="w", dims=(1024,), **keys):
    t = TensorProto(name=name, data_type=1, dims=dims, data_location=1)
    for key, text in keys.items():
        t.external_data.add(key=key, value=str(text))
    return t


def with_weights(*tensors):
    names = [t.name for t in tensors]
    nodes = [helper.make_node("Add", ["x", names[0]], ["y" if len(names) == 1 else "s0"])]
    for i, name in enumerate(names[1:]):
        last = i == len(names) - 2
        nodes.append(helper.make_node("Add", [f"s{i}", name], ["y" if last else f"s{i + 1}"]))
    return model(nodes, [value("x", [1024])], [value("y", [1024])], tensors)


def case(name, code, *words, **keys):
    rejects(save(with_weights(external(**keys)), out + "/m", name), code, *words)


# Locations.
case("gone", IO, "'w'", "gone.bin", location="gone.bin")
case("up", BAD, "'w'", "leaves", location="../outside.bin")
case("absolute", BAD, "'w'", location=os.path.abspath(out + "/outside.bin"))
case("dot", BAD, "'w'", location="sub/../../outside.bin")
case("folder", IO, "'w'", location="sub")
case("nowhere", BAD, "'w'", "location")
os.symlink("../outside.bin", out + "/m/link.bin")
case("link", BAD, "'w'", "leaves", location="link.bin")
os.symlink("../m/w.bin", out + "/m/inner.bin")
accepts(save(with_weights(external(location="inner.bin")), out + "/m", "inner_link"))

# A cache keeps model and data as links into a folder of blobs.
os.makedirs(out + "/blobs")
os.makedirs(out + "/snapshot")
blob = save(with_weights(external(location="w.bin")), out + "/blobs", "aaaa")
os.rename(blob, out + "/blobs/aaaa")
shutil.copy(out + "/outside.bin", out + "/blobs/bbbb")
os.symlink("../blobs/aaaa", out + "/snapshot/model.onnx")
os.symlink("../blobs/bbbb", out + "/snapshot/w.bin")
accepts(out + "/snapshot/model.onnx")

# Ranges.
W = dict(location="w.bin")
case("negative", BAD, "'w'", "offset", **W, offset=-4)
case("letters", BAD, "'w'", "offset", **W, offset="12x")
case("wraps", BAD, "'w'", "offset", **W, offset=2**64 - 8, length=16)
case("wraps63", BAD, "'w'", **W, offset=2**63 - 8)
case("past", BAD, "'w'", "8192", **W, offset=4100)
case("length", BAD, "'w'", "4096", "16", **W, length=16)
case("both", BAD, "'w'", **W, dims=[1 << 33, 1 << 33])
m = with_weights(external(location="w.bin"))
m.graph.initializer[0].raw_data = weights.tobytes()
rejects(save(m, out + "/m", "two_places"), BAD, "'w'")
got, err = accepts(save(with_weights(external(location="w.bin", basepath="/etc")), out + "/m",
                        "unknown_key"))
expect("basepath" in err and "ignored" in err, "an unknown key is mentioned: " + err)

# From any folder.
path = save(with_weights(external(location="w.bin", offset=4096)), out + "/m", "good")
expect(tool(os.path.abspath(path), cwd="/")[0] == OK, "another working folder")
expect(tool("good.onnx", cwd=out + "/m")[0] == OK, "a bare file name")


# Written again: same values, nothing appended, ranges shared, in place.
def digest(name):
    return hashlib.sha256(open(name, "rb").read()).hexdigest()


pair = save(with_weights(external(location="w.bin"), external("v", location="w.bin"),
                         external("u", location="w.bin", offset=4096)), out + "/m", "pair")
target = out + "/m/again.onnx"
for flags in ([], ["--keep"], []):
    expect(tool(pair, "-o", target, *flags)[0] == OK, "write again")
    expect(os.path.getsize(target + ".data") == 8192, "shared ranges are written once")
first = digest(target), digest(target + ".data")
same_results(pair, target, {"x": weights}, "values of external data")
written = onnx.load(target, load_external_data=False)
expect({e.value for t in written.graph.initializer for e in t.external_data
        if e.key == "location"} == {"again.onnx.data"}, "the location is ours")
for _ in range(2):
    expect(tool(target, "-o", target)[0] == OK, "in place")
    expect((digest(target), digest(target + ".data")) == first, "in place: other bytes")
same_results(pair, target, {"x": weights}, "values after writing in place")
expect(digest(out + "/m/w.bin") == hashlib.sha256(weights.tobytes() * 2).hexdigest(),
       "the source is untouched")

# Failures leave what was there.
os.makedirs(out + "/busy.onnx", exist_ok=True)
expect(tool(path, "-o", out + "/busy.onnx")[0] == IO, "a folder is in the way")
expect(tool(path, "-o", out + "/none/x.onnx")[0] == IO, "no such folder")
expect(sorted(os.listdir(out + "/m/sub")) == [], "no leftovers")
expect(not [f for f in os.listdir(out + "/m") if "lowtide" in f], "no work folders")

# Large tensors in attributes and subgraphs go out too.
big = np.arange(40000, dtype=np.float32)
open(out + "/m/big.bin", "wb").write(big.tobytes())
t = external("c", [40000], location="big.bin")
branch = helper.make_graph([helper.make_node("Add", ["x", "k"], ["p"])], "b", [],
                           [value("p", [40000])])
branch.initializer.append(external("k", [40000], location="big.bin"))
other = helper.make_graph([helper.make_node("Neg", ["x"], ["q"])], "e", [], [value("q", [40000])])
m = model([helper.make_node("Constant", [], ["c0"], value=t),
           helper.make_node("If", ["f"], ["z"], then_branch=branch, else_branch=other),
           helper.make_node("Add", ["c0", "z"], ["y"])],
          [value("x", [40000]), value("f", [], TensorProto.BOOL)], [value("y", [40000])])
path = save(m, out + "/m", "inside")
for flags in ([], ["--keep"]):
    done, _ = accepts(path, *flags)
    expect(done and os.path.getsize(path + ".out.onnx") < 20000, "tensors inside go out")
    written = onnx.load(path + ".out.onnx")
    (y,) = run(path + ".out.onnx", {"x": big, "f": np.array(True)})
    expect(np.array_equal(y, big * 3), "values of tensors inside")
text = prints(path)
expect("onnx.constant_node" in text and len(text) < 20000, "a large constant is an argument")

# Two gigabytes in a sparse file: mapped, not read.
size = 600_000_000
with open(out + "/m/huge.bin", "wb") as f:
    f.truncate(4 * size)
m = model([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [1])], [value("y", [size])],
          [external(dims=[size], location="huge.bin")])
path = save(m, out + "/m", "huge")
resource_before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
expect(tool(path)[0] == OK, "a large model")
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
expect("ASAN_OPTIONS" in os.environ or peak < 300 << 10, f"a large model takes {peak} KiB")
shutil.rmtree(out)
finish()
