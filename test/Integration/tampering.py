#!/usr/bin/env python3
"""A planned step whose plan was damaged isn't executed.

    tampering.py

Each damage is one edit of the file's metadata or node order. plan_audit.py must
see it (so that audit can fail), and `lowtide run` must refuse the file.
"""
import json
import sys

import onnx

import harness
import plan_audit

NETWORK = "resnet_cifar_20"


class Planned:
    """A step file to be damaged."""

    def __init__(self, path):
        self.model = onnx.load(path, load_external_data=False)
        self.entry = next(e for e in self.model.metadata_props
                          if e.key == "lowtide.plan")
        self.plan = json.loads(self.entry.value)

    def write(self, path):
        self.entry.value = json.dumps(self.plan)
        onnx.save(self.model, path)

    def long_lived(self):
        """Two computed values, one of which lives across the other's node."""
        nodes = self.model.graph.node
        made = {node.output[0]: at for at, node in enumerate(nodes)}
        read = {name: at for at, node in enumerate(nodes) for name in node.input}
        for name, at in made.items():
            if read.get(name, -1) - at > 20 and nodes[at].op_type == "Conv":
                other = next(n for n in nodes[at + 5:] if n.op_type == "Conv")
                return name, other.output[0]
        raise AssertionError("the step has no value that lives for long")


def overlap(planned):
    name, other = planned.long_lived()
    planned.plan["offsets"][other] = planned.plan["offsets"][name]


def workspace_over_a_value(planned):
    name, other = planned.long_lived()
    node = next(n for n in planned.model.graph.node if other in n.output)
    planned.plan["workspaces"][node.name][0] = planned.plan["offsets"][name]


def missing_place(planned):
    del planned.plan["offsets"][planned.long_lived()[0]]


def misaligned(planned):
    planned.plan["offsets"][planned.long_lived()[0]] += 4


def update_moved(planned):
    new = next(name for name in planned.plan["updates"] if name.endswith("weight.new"))
    planned.plan["offsets"][new] += planned.plan["arena"]["alignment"]


def update_too_early(planned):
    """A last reader of a weight moves behind the weight's update."""
    nodes = planned.model.graph.node
    for update, node in enumerate(nodes):
        if not node.op_type.endswith("_update") or "weight" not in node.input[0]:
            continue
        reader = max(i for i in range(update) if node.input[0] in nodes[i].input)
        made = set(nodes[reader].output)
        if any(made & set(nodes[i].input) for i in range(reader + 1, update + 1)):
            continue
        moved = onnx.NodeProto()
        moved.CopyFrom(nodes[reader])
        del nodes[reader]
        nodes.insert(update, moved)
        return
    raise AssertionError("no reader of a weight can move")


DAMAGES = (overlap, workspace_over_a_value, missing_place, misaligned, update_moved,
           update_too_early)


def case(name, failures, folder):
    step, damaged = folder / "step.onnx", folder / "damaged.onnx"
    harness.lowtide("optimize", harness.model(NETWORK), step, "--loss",
                    "cross-entropy", "--dim", "N=8", "--optimizer", "sgd",
                    "--momentum", "0.9", "--budget", "60%")
    failures.equal(plan_audit.audit(step).problems, [], "problems of the sound file")
    Planned(step).write(damaged)
    harness.lowtide("run", damaged)  # Rewriting alone does no harm.
    for damage in DAMAGES:
        planned = Planned(step)
        damage(planned)
        planned.write(damaged)
        label = damage.__name__
        failures.check(plan_audit.audit(damaged).problems,
                       f"{label}: the audit sees nothing")
        try:
            done = harness.lowtide("run", damaged, code=3)
            print(f"{label}: {done.stderr.strip().splitlines()[0]}")
        except harness.CommandFailed as problem:
            failures.check(False, f"{label}: {problem}")


if __name__ == "__main__":
    sys.exit(harness.run_cases(case, [NETWORK], "tampering"))
