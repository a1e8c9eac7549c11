#!/usr/bin/env python3
"""Three training steps in float64 against PyTorch's formulas, written here anew
in numpy: parameters, optimizer state and running statistics.

    optimizers.py [CASE...] [--all]

Gradients come from the step with --optimizer none, run at the parameters that
numpy computed; what a batch-normalisation node sees comes from the reference
evaluator of the onnx package. Statistics follow the ONNX standard: the biased
variance of the batch.
"""
import sys

import numpy
import onnx
import onnx.external_data_helper
import onnx.numpy_helper
import onnx.reference

import harness

STEPS = 3
TOLERANCE = 1e-6
NETWORKS = ("mlp", "resnet_cifar_20", "gpt2_nodropout")
SGD = {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01}
ADAMW = {"lr": 0.01, "weight_decay": 0.1, "beta1": 0.8, "beta2": 0.95, "eps": 1e-6}
FLAGS = {
    "sgd": ["--optimizer", "sgd", "--lr", SGD["lr"], "--momentum", SGD["momentum"],
            "--weight-decay", SGD["weight_decay"]],
    "adamw": ["--optimizer", "adamw", "--lr", ADAMW["lr"], "--weight-decay",
              ADAMW["weight_decay"], "--betas",
              f"{ADAMW['beta1']},{ADAMW['beta2']}", "--eps", ADAMW["eps"]],
    "adamw-defaults": ["--optimizer", "adamw"],
}
ADAMW_DEFAULTS = {"lr": 1e-3, "weight_decay": 1e-2, "beta1": 0.9, "beta2": 0.999,
                  "eps": 1e-8}
FULL = tuple(f"{network}:{rule}" for network in NETWORKS for rule in FLAGS)
QUICK = tuple(case for case in FULL if "defaults" not in case)


def sgd(weight, gradient, state, step, rule=None):
    """torch.optim.SGD: decay joins the gradient; the buffer starts with it."""
    gradient = gradient + SGD["weight_decay"] * weight
    buffer = state.get("momentum")
    buffer = gradient if buffer is None else SGD["momentum"] * buffer + gradient
    return weight - SGD["lr"] * buffer, {"momentum": buffer}


def adamw(weight, gradient, state, step, rule):
    """torch.optim.AdamW: decay acts on the weight, moments are bias-corrected."""
    weight = weight * (1 - rule["lr"] * rule["weight_decay"])
    mean = (rule["beta1"] * state.get("exp_avg", 0)
            + (1 - rule["beta1"]) * gradient)
    square = (rule["beta2"] * state.get("exp_avg_sq", 0)
              + (1 - rule["beta2"]) * gradient ** 2)
    count = step + 1
    root = numpy.sqrt(square) / numpy.sqrt(1 - rule["beta2"] ** count)
    weight = weight - (rule["lr"] / (1 - rule["beta1"] ** count)
                       * mean / (root + rule["eps"]))
    return weight, {"exp_avg": mean, "exp_avg_sq": square}


RULES = {"sgd": lambda *a: sgd(*a), "adamw": lambda *a: adamw(*a, ADAMW),
         "adamw-defaults": lambda *a: adamw(*a, ADAMW_DEFAULTS)}


class Forward:
    """The forward graph with weights, to ask for initial values and for what
    reaches each batch normalisation."""

    def __init__(self, path, batch):
        self.model = onnx.load(path)
        self.weights = {tensor.name: widened(onnx.numpy_helper.to_array(tensor))
                        for tensor in self.model.graph.initializer}
        self.norms = [node for node in self.model.graph.node
                      if node.op_type == "BatchNormalization"]

    def statistics(self, values, inputs):
        """The running statistics after a step at these parameters."""
        if not self.norms:
            return {}
        seen = self.norm_inputs(values, inputs)
        result = {}
        for node in self.norms:
            keep = {a.name: a.f for a in node.attribute}.get("momentum", 0.9)
            keep = round(float(keep), 6)
            axes = (0, *range(2, seen[node.input[0]].ndim))
            batch = seen[node.input[0]]
            for name, now in ((node.input[3], batch.mean(axes)),
                              (node.input[4], batch.var(axes))):
                result[name] = keep * values[name] + (1 - keep) * now
        return result

    def norm_inputs(self, values, inputs):
        """Evaluates the graph in float64 up to each normalisation's input."""
        graph = onnx.GraphProto()
        graph.CopyFrom(self.model.graph)
        wanted = list(dict.fromkeys(node.input[0] for node in self.norms))
        del graph.output[:]
        graph.output.extend(onnx.helper.make_empty_tensor_value_info(name)
                            for name in wanted)
        del graph.value_info[:]
        del graph.initializer[:]
        used = {**self.weights, **values}
        graph.initializer.extend(onnx.numpy_helper.from_array(array, name)
                                 for name, array in used.items())
        model = onnx.helper.make_model(
            graph, opset_imports=self.model.opset_import)
        evaluator = onnx.reference.ReferenceEvaluator(model)
        data = {name: widened(array) for name, array in inputs.items()
                if name != "target"}
        return dict(zip(wanted, evaluator.run(None, data)))


def widened(array):
    return array.astype("float64") if array.dtype == "float32" else array


def expected_values(forward, gradient_step, inputs, rule, folder):
    """Parameters, state and statistics after STEPS steps, by output name."""
    values, states = dict(forward.weights), {}
    for step in range(STEPS):
        fed = {name: array for name, array in values.items()
               if name in gradient_step.takes}
        harness.save(folder / "at.npz", {**inputs, **fed})
        harness.lowtide("run", gradient_step.path, "--inputs", folder / "at.npz",
                        "--outputs", folder / "gradients.npz")
        gradients = harness.load(folder / "gradients.npz")
        statistics = forward.statistics(values, inputs)
        for output, gradient in gradients.items():
            if output.endswith(".grad"):
                name = output[:-len(".grad")]
                values[name], states[name] = RULES[rule](
                    values[name], gradient, states.get(name, {}), step)
        values.update(statistics)
    trained = [*states, *statistics]
    result = {f"{name}.new": values[name] for name in trained}
    for name, state in states.items():
        result.update({f"{name}.{kind}.new": array for kind, array in state.items()})
    return result


class GradientStep:
    def __init__(self, model, flags, folder):
        self.path = folder / "gradients.onnx"
        harness.lowtide("grad", model, self.path, *flags, "--optimizer", "none")
        graph = onnx.load(self.path, load_external_data=False).graph
        self.takes = {value.name for value in graph.input}


def compare(label, actual, expected, start, failures):
    """Values to 1e-6 of their norm; how far parameters and statistics moved too,
    so that a step that does nothing can't pass."""
    new = {name for name in actual if name.endswith(".new")}
    failures.equal(sorted(new), sorted(expected), f"{label}: updated values")
    worst = 0.0
    for name in sorted(new & set(expected)):
        due, was = expected[name], start.get(name[:-len(".new")])
        error = numpy.linalg.norm(actual[name] - due)
        scale = numpy.linalg.norm(due)
        if was is not None:
            moved = numpy.linalg.norm(due - was)
            # Below rounding of the value itself nothing can be said.
            scale = min(scale, max(moved, 1e-7 * scale))
        relative = error / max(scale, 1e-12)
        worst = max(worst, float(relative))
        failures.check(actual[name].dtype == numpy.float64,
                       f"{label}: {name} is {actual[name].dtype}")
        failures.check(relative <= TOLERANCE, f"{label}: {name} is off by {relative:.3g}")
    return worst


def case(name, failures, folder):
    network, rule = name.split(":")
    reference = harness.oracle(network)
    inputs = harness.inputs_of(reference, "float64")
    model = harness.model(network)
    flags = [*harness.loss_flags(reference), "--precision", "float64"]
    forward = Forward(model, reference["target"]["shape"][0])
    expected = expected_values(forward, GradientStep(model, flags, folder), inputs,
                               rule, folder)
    step = folder / "step.onnx"
    harness.lowtide("grad", model, step, *flags, *FLAGS[rule])
    harness.lowtide("run", step, "--steps", STEPS, "--inputs",
                    harness.save(folder / "inputs.npz", inputs), "--outputs",
                    folder / "outputs.npz")
    worst = compare(name, harness.load(folder / "outputs.npz"), expected,
                    forward.weights, failures)
    print(f"{name}: {len(expected)} values, largest error {worst:.2e}", flush=True)


def main():
    options = harness.parse(__doc__.splitlines()[0], QUICK, FULL)
    return harness.run_cases(case, options.names, "optimizers")


if __name__ == "__main__":
    sys.exit(main())
