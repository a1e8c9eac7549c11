#!/usr/bin/env python3
"""Loss and gradients of whole networks against a reference that another
automatic differentiation computed in float64.

    oracle.py [CASE...] [--all] [--command grad|optimize] [--precision P]

The step is made with --optimizer none, run on the oracle's inputs, and judged by
the loss, and for each parameter by norm, sum and first entries.
"""
import sys

import numpy

import harness

QUICK = ("mlp", "resnet_cifar_20", "gpt2_nodropout", "bert_nodropout")
FULL = QUICK + ("resnet18", "unet", "densenet121", "resnet50")


def make_step(name, reference, options, precision, folder):
    step = folder / "step.onnx"
    flags = ["--optimizer", "none", "--precision", precision,
             *harness.loss_flags(reference)]
    if options.command == "optimize":
        flags += ["--budget", "min", f"--report=json={folder / 'plan.json'}"]
    harness.lowtide(options.command, harness.model(name), step, *flags)
    return step


def judge(label, reference, outputs, precision, failures):
    """Compares and returns the largest error, in units of a tensor's scale."""
    exact = precision == "float64"
    tolerance = harness.FLOAT64 if exact else harness.FLOAT32
    loss_tolerance = harness.LOSS_FLOAT64 if exact else harness.LOSS_FLOAT32
    loss = float(outputs["loss"])
    failures.check(abs(loss - reference["loss"])
                   <= loss_tolerance * abs(reference["loss"]),
                   f"{label}: loss is {loss!r}, due is {reference['loss']!r}")
    gradients = reference["gradients"]
    failures.equal(sorted(name for name in outputs if name.endswith(".grad")),
                   sorted(f"{name}.grad" for name in gradients),
                   f"{label}: set of gradients")
    scales = harness.scales({n: g["l2"] for n, g in gradients.items()})
    worst = (0.0, "")
    for name, due in gradients.items():
        if f"{name}.grad" not in outputs:
            continue
        array = outputs[f"{name}.grad"]
        failures.equal(str(array.dtype), precision, f"{label}: type of {name}.grad")
        array = array.astype("float64").ravel()
        errors = [abs(numpy.linalg.norm(array) - due["l2"]),
                  abs(array.sum() - due["sum"]) / array.size ** 0.5,
                  *abs(array[:len(due["first"])] - due["first"])]
        error = max(errors) / scales[name]
        failures.check(error <= tolerance,
                       f"{label}: gradient of {name} is off by {error:.3g}")
        worst = max(worst, (float(error), name))
    return worst


def main():
    def add(parser):
        parser.add_argument("--command", choices=("grad", "optimize"), default="grad")
        parser.add_argument("--precision", choices=("float64", "float32"),
                            help="default: both")
    options = harness.parse(__doc__.splitlines()[0], QUICK, FULL, add)
    precisions = [options.precision] if options.precision else ["float64", "float32"]

    def case(name, failures, folder):
        reference = harness.oracle(name)
        for precision in precisions:
            step = make_step(name, reference, options, precision, folder)
            inputs = harness.save(folder / "inputs.npz",
                                  harness.inputs_of(reference, precision))
            harness.lowtide("run", step, "--inputs", inputs,
                            "--outputs", folder / "outputs.npz")
            label = f"{name} {precision}"
            error, where = judge(label, reference,
                                 harness.load(folder / "outputs.npz"),
                                 precision, failures)
            print(f"{label}: largest error {error:.2e} at {where}", flush=True)

    return harness.run_cases(case, options.names, "oracle")


if __name__ == "__main__":
    sys.exit(main())
