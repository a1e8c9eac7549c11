#!/usr/bin/env python3
"""A budget that can't be met is refused, with a way out that works.

    refusal.py [CASE...] [--all]

1 MiB is refused with exit code 5: the message and the JSON report name the
smallest feasible budget, the floor and the node and tensors that force it; no
model file appears and an older one stays. The named budget succeeds, one byte
less is refused again with the same number. Below the resident bytes the message
says that recomputation can't help.
"""
import sys

import harness

QUICK = ("mlp", "resnet_cifar_20", "gpt2_nodropout")
FULL = QUICK + ("resnet18", "unet", "bert_nodropout", "densenet121", "resnet50")


class Command:
    """One `optimize` command, to be tried with several budgets."""

    def __init__(self, name, folder):
        self.model = harness.model(name)
        self.step = folder / "step.onnx"
        self.report = folder / "report.json"
        self.flags = [*harness.loss_flags(harness.oracle(name)),
                      "--optimizer", "adamw", f"--report=json={self.report}"]

    def refused(self, budget):
        """Asks for BUDGET; returns message and report of the refusal."""
        self.report.unlink(missing_ok=True)
        done = harness.lowtide("optimize", self.model, self.step, *self.flags,
                               "--budget", budget, code=5)
        return done.stderr, harness.read_json(self.report)

    def met(self, budget):
        harness.lowtide("optimize", self.model, self.step, *self.flags,
                        "--budget", budget)
        return harness.read_json(self.report)


def check_names(name, message, report, command, failures):
    """The forcing node is one of the step, its tensors are named, and message
    and report say the same."""
    forced = report.get("forced_by", {})
    failures.check(forced.get("op") and forced.get("tensors"),
                   f"{name}: nothing is named that forces the budget: {forced}")
    for part in (forced.get("op", ""), *forced.get("tensors", [])):
        failures.check(part in message, f"{name}: the message doesn't name {part}")
    for key in ("smallest_feasible_bytes", "floor_bytes"):
        failures.check(f"{report[key]:,}" in message,
                       f"{name}: the message doesn't say {key} {report[key]:,}")
    failures.check(f"--budget {report['smallest_feasible_bytes']}" in message,
                   f"{name}: the message doesn't say which command succeeds")
    failures.check(report["status"] in ("infeasible", "timeout"),
                   f"{name}: status of a refusal is {report['status']}")
    failures.check(report["resident_bytes"] <= report["floor_bytes"]
                   <= report["smallest_feasible_bytes"],
                   f"{name}: resident, floor and smallest feasible are not in order")


def check_resident(name, command, resident, failures):
    message, _ = command.refused(resident - 1)
    failures.check("recomputation can't help" in message,
                   f"{name}: one byte below the resident {resident} the message "
                   f"doesn't say that recomputation can't help:\n{message}")
    message, report = command.refused(resident)
    failures.check("recomputation can't help" not in message,
                   f"{name}: at the resident {resident} the message says that "
                   f"recomputation can't help")
    failures.equal(report["resident_bytes"], resident, f"{name}: resident_bytes")


def case(name, failures, folder):
    command = Command(name, folder)
    command.step.write_text("an older file")
    message, report = command.refused("1MiB")
    check_names(name, message, report, command, failures)
    check_resident(name, command, report["resident_bytes"], failures)
    smallest = report["smallest_feasible_bytes"]
    for budget in (smallest - 1, report["floor_bytes"] - 1):
        _, again = command.refused(budget)
        failures.equal(again["smallest_feasible_bytes"], smallest,
                       f"{name}: smallest feasible of a budget of {budget}")
    failures.equal(command.step.read_text(), "an older file",
                   f"{name}: the model file after refusals")
    plan = command.met(smallest)
    failures.check(plan["planned_peak_bytes"] <= smallest,
                   f"{name}: peak {plan['planned_peak_bytes']} at {smallest}")
    least = command.met("min")
    failures.equal(least["planned_peak_bytes"], plan["planned_peak_bytes"],
                   f"{name}: peak with --budget min")
    harness.lowtide("run", command.step, "--check")
    print(f"{name}: smallest {smallest}, floor {report['floor_bytes']}, resident "
          f"{report['resident_bytes']}, forced by {report['forced_by']['op']}",
          flush=True)


def main():
    options = harness.parse(__doc__.splitlines()[0], QUICK, FULL)
    return harness.run_cases(case, options.names, "refusal")


if __name__ == "__main__":
    sys.exit(main())
