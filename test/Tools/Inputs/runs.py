"""runs.py CHECK ARGUMENT...: checks of what `lowtide run` reads and writes."""
import json
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper


def weights(path):
    return {w.name: numpy_helper.to_array(w) for w in onnx.load(path).graph.initializer}


def parameters_saved(model, outputs, trained):
    """`--save` writes the forward model with the parameters of the outputs."""
    old, new, arrays = weights(model), weights(trained), np.load(outputs)
    assert list(old) == list(new)
    for name in old:
        assert np.array_equal(arrays[name + ".new"], new[name]), name
        assert not np.array_equal(old[name], new[name]), name
    assert arrays["loss"].shape == ()


def double(model, outputs, saved):
    old, new, arrays = weights(model), weights(saved), np.load(outputs)
    assert arrays["loss"].dtype == np.float64
    for name in old:
        assert arrays[name + ".new"].dtype == np.float64
        assert new[name].dtype == np.float32
        assert np.array_equal(arrays[name + ".new"].astype(np.float32), new[name]), name


def like_numpy(lowtide, step):
    """Given inputs are taken as they are, converted where nothing is lost."""
    w = weights(step)
    rng = np.random.default_rng(5)
    x = rng.standard_normal((8, 32))
    target = rng.integers(0, 32, 8).astype(np.int32)
    np.savez_compressed("in.npz", x=x, target=target)
    subprocess.run([lowtide, "run", step, "--inputs", "in.npz", "--outputs", "out.npz"], check=True)
    value = x
    for layer in range(8):
        value = np.tanh(value @ w[f"w{layer}"].astype(np.float64))
    value -= value.max(axis=1, keepdims=True)
    log_softmax = value - np.log(np.exp(value).sum(axis=1, keepdims=True))
    loss = -log_softmax[np.arange(8), target].mean()
    got = float(np.load("out.npz")["loss"])
    assert abs(got - loss) < 1e-5 * abs(loss), (got, loss)


def tamper(path, out):
    """Two values that are alive together get one address."""
    model = onnx.load(path)
    for entry in model.metadata_props:
        if entry.key == "lowtide.plan":
            plan = json.loads(entry.value)
            offsets = plan["offsets"]
            offsets["w1"] = offsets["w0"]
            entry.value = json.dumps(plan)
    onnx.save(model, out)


def promise_too_much(path, out):
    """The plan claims an arena that its values don't fill."""
    model = onnx.load(path)
    for entry in model.metadata_props:
        if entry.key == "lowtide.plan":
            plan = json.loads(entry.value)
            plan["arena"]["bytes"] += 4096
            entry.value = json.dumps(plan)
    onnx.save(model, out)


globals()[sys.argv[1]](*sys.argv[2:])
