# Seeds for the fuzzer and a short run of it; see fuzz.test.
import shutil

from frontend import *

out = folder()
shutil.rmtree(out)
os.makedirs(out)
N, T = helper.make_node, TensorProto
f32 = lambda *shape: np.ones(shape, np.float32)
branch = lambda op, name: helper.make_graph([N(op, ["x"], [name])], "b", [], [value(name, [2, 3])])
seeds = [
    model([N("Gemm", ["x", "w", "b"], ["h"], transB=1), N("Softmax", ["h"], ["y"])],
          [value("x", ["N", 3])], [value("y", ["N", 4])], [tensor("w", f32(4, 3)), tensor("b", f32(4))]),
    model([N("Conv", ["x", "w"], ["h"], pads=[1, 1, 1, 1]),
           N("BatchNormalization", ["h", "s", "s", "s", "s"], ["g"]),
           N("MaxPool", ["g"], ["p"], kernel_shape=[2, 2]), N("Flatten", ["p"], ["y"])],
          [value("x", [1, 2, 4, 4])], [value("y", None)],
          [tensor("w", f32(2, 2, 3, 3)), tensor("s", f32(2))], opset=9, ir=4),
    model([N("If", ["c"], ["y"], then_branch=branch("Relu", "t"), else_branch=branch("Neg", "e"))],
          [value("x", [2, 3]), value("c", [], T.BOOL)], [value("y", [2, 3])]),
    model([N("Shape", ["x"], ["s"]), N("Slice", ["s", "a", "b"], ["t"]), N("Concat", ["t", "m"], ["r"], axis=0),
           N("Reshape", ["x", "r"], ["h"]), N("Transpose", ["h"], ["g"], perm=[1, 0]),
           N("Gather", ["g", "a"], ["y"])], [value("x", [2, 3, 4])], [value("y", None)],
          [tensor("a", np.array([0])), tensor("b", np.array([1])), tensor("m", np.array([-1]))]),
    model([N("Split", ["x"], ["a", "b"], axis=1, split=[1, 2]), N("ReduceSum", ["b"], ["c"], axes=[1]),
           N("Mul", ["a", "c"], ["d"]), N("Unsqueeze", ["d"], ["y"], axes=[0]), N("Dropout", ["d"], ["z"])],
          [value("x", [2, 3])], [value("y", [1, 2, 1])], opset=11, ir=6),
    model([N("F", ["x"], ["y"], domain="d")], [value("x", [2])], [value("y", [2])],
          imports=[helper.make_opsetid("d", 1)],
          functions=[helper.make_function("d", "F", ["a"], ["b"], [N("Relu", ["a"], ["b"])],
                                          [helper.make_opsetid("", 17)])]),
    model([N("Odd", ["x"], ["y"], domain="d", k=[1, 2])], [value("x", [2])], [value("y", [2])],
          imports=[helper.make_opsetid("d", 1)]),
    model([N("Upsample", ["x", "s"], ["h"]), N("TopK", ["h", "k"], ["y", "i"])],
          [value("x", [1, 1, 2, 2])], [value("y", None)],
          [tensor("s", f32(4)), tensor("k", np.array([1]))], opset=9, ir=3 + 1),
    model([N("ConstantOfShape", ["s"], ["y"]), N("Pad", ["y", "p"], ["z"])], [], [value("z", None)],
          [tensor("s", np.array([2, 2])), tensor("p", np.array([0, 0, 1, 1]))], opset=13),
]
paths = [save(m, out, f"seed{i}") for i, m in enumerate(seeds)]
step = out + "/step.onnx"
expect(tool(sys.argv[2], "-o", step)[0] == OK, "write the step")
runs = sys.argv[3] if len(sys.argv) > 3 else "1500"
go = subprocess.run(["lowtide-fuzz-frontend", runs, out, *paths, step], capture_output=True, text=True)
print(go.stdout[-300:], go.stderr[-300:])
expect(go.returncode == 0, f"the fuzzer ends with {go.returncode}; see {out}/damaged.onnx")
finish()
