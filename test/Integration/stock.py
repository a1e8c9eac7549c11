#!/usr/bin/env python3
"""The written step is standard ONNX: it passes the checker with full shape
inference, and stock ONNX Runtime computes the same loss and gradients from it.

    stock.py [CASE...] [--all]

For each network the step with --optimizer none, plain and, where the least budget
is below store-all, planned at that budget with its recomputed nodes in the file.
"""
import sys

import numpy
import onnx
import onnxruntime

import harness

QUICK = ("resnet_cifar_20", "gpt2_nodropout")
FULL = QUICK + ("resnet18", "unet", "bert_nodropout")


def run_stock(step, inputs):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(step), options,
                                           providers=["CPUExecutionProvider"])
    # Parameters have defaults; everything else must come from the test.
    names = [value.name for value in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))


def compare(label, ours, theirs, failures):
    failures.equal(sorted(theirs), sorted(ours), f"{label}: outputs")
    loss, due = float(ours["loss"]), float(theirs["loss"])
    failures.check(abs(loss - due) <= harness.LOSS_FLOAT32 * abs(due),
                   f"{label}: loss is {loss!r}, ONNX Runtime says {due!r}")
    gradients = {name: array for name, array in theirs.items()
                 if name.endswith(".grad")}
    scales = harness.scales({n: numpy.linalg.norm(a.astype("float64"))
                             for n, a in gradients.items()})
    worst = (0.0, "")
    for name, due in gradients.items():
        error = float(numpy.linalg.norm(ours[name].astype("float64") - due)
                      / scales[name])
        failures.check(error <= harness.FLOAT32,
                       f"{label}: {name} is off by {error:.3g}")
        worst = max(worst, (error, name))
    compare_statistics(label, ours, theirs, failures)
    print(f"{label}: largest difference {worst[0]:.2e} at {worst[1]}", flush=True)


def compare_statistics(label, ours, theirs, failures):
    for name in (n for n in theirs if n.endswith(".new")):
        close = numpy.allclose(ours[name], theirs[name], rtol=1e-3, atol=1e-5)
        failures.check(close, f"{label}: {name} differs")


def case(name, failures, folder):
    reference = harness.oracle(name)
    inputs = harness.inputs_of(reference)
    harness.save(folder / "inputs.npz", inputs)
    flags = harness.loss_flags(reference)
    for command, extra in (("grad", []), ("optimize", ["--budget", "min"])):
        label = f"{name} {command}"
        step = folder / f"{command}.onnx"
        harness.lowtide(command, harness.model(name), step, *flags, *extra)
        onnx.checker.check_model(str(step), full_check=True)
        harness.lowtide("run", step, "--inputs", folder / "inputs.npz",
                        "--outputs", folder / "outputs.npz")
        compare(label, harness.load(folder / "outputs.npz"),
                run_stock(step, inputs), failures)


def main():
    options = harness.parse(__doc__.splitlines()[0], QUICK, FULL)
    return harness.run_cases(case, options.names, "stock")


if __name__ == "__main__":
    sys.exit(main())
