#!/usr/bin/env python3
"""Whole networks under a byte budget: the plan is kept to the byte and changes
no bit of any result.

    budgets.py [CASE...] [--all]

A case is NETWORK@BATCH, planned and run at the budgets of the table below. Of
each plan it checks status and gap, that the planned peak is within the budget and
the measured one equal to it, that a run of three steps equals the step without
recomputation bit by bit, and that an independent count from the written file
(plan_audit.py) agrees. SPREAD means 30 % of the way up from the smallest feasible
budget to store-all.
"""
import dataclasses
import sys

import harness
import plan_audit

SPREAD = "spread"
MiB = 1 << 20


@dataclasses.dataclass
class Case:
    budgets: tuple                     # percents of store-all, or SPREAD
    optimizer: str = "adamw"
    mark: int = 0                      # MiB that a lean store-all peak takes
    gaps: dict = dataclasses.field(default_factory=dict)  # largest, by budget


CASES = {
    "mlp@8": Case((SPREAD,)),
    "resnet_cifar_20@8": Case((75, 50, SPREAD)),
    "resnet18@2": Case((SPREAD,), "sgd"),
    "resnet50@8": Case((75, 50), mark=944, gaps={75: 3, 50: 6}),
    "resnet50@32": Case((35,), mark=2878),
    "densenet121@4": Case((75, 50), mark=579),
    "bert_nodropout@32": Case((75, 50), mark=254),
    "gpt2_nodropout@32": Case((75, 50), mark=331),
    "unet@2": Case((75, 60), "sgd", mark=894),
    "resnet18@8": Case((SPREAD,)),
    "resnet_cifar_200@8": Case((SPREAD,)),
    "vgg16@8": Case((SPREAD,)),
    "squeezenet1_1@8": Case((SPREAD,)),
    "inception_v3@8": Case((SPREAD,)),
    "mobilenet_v2@8": Case((SPREAD,)),
}
QUICK = ("mlp@8", "resnet_cifar_20@8", "resnet18@2")
OPTIMIZERS = {"adamw": ["--optimizer", "adamw"],
              "sgd": ["--optimizer", "sgd", "--momentum", "0.9"]}


def step_flags(name, case):
    network, batch = name.split("@")
    axis = 2 if network in ("bert_nodropout", "gpt2_nodropout") else 1
    return [harness.model(network), ["--loss", "cross-entropy", "--class-axis", axis,
                                     "--dim", f"N={batch}",
                                     *OPTIMIZERS[case.optimizer]]]


def spread_budget(model, flags, folder):
    """30 % of the way up from the smallest feasible budget to store-all."""
    harness.lowtide("optimize", model, folder / "unused.onnx", *flags, "--budget",
                    "min", "--dry-run", f"--report=json={folder / 'least.json'}")
    report = harness.read_json(folder / "least.json")
    least, most = report["smallest_feasible_bytes"], report["store_all_peak_bytes"]
    return least + 3 * (most - least) // 10


def check_plan(label, case, percent, plan, failures):
    """What the report of `optimize` promises."""
    peak, most = plan["planned_peak_bytes"], plan["store_all_peak_bytes"]
    failures.check(peak <= plan["budget_bytes"], f"{label}: the peak {peak} is over "
                   f"the budget {plan['budget_bytes']}")
    if percent != SPREAD:
        failures.equal(plan["budget_bytes"], most * percent // 100,
                       f"{label}: budget")
    failures.equal(plan["arena_bytes"], peak, f"{label}: arena_bytes")
    failures.check(plan["status"] in ("optimal", "feasible"),
                   f"{label}: status is {plan['status']}")
    gap, extra = plan["gap_percent"], plan["extra_percent"]
    bound = plan["lower_bound_percent"]
    failures.check(0 <= bound <= extra + 1e-9,
                   f"{label}: bound {bound} over the extra time {extra}")
    due = 100 * ((100 + extra) / (100 + bound) - 1)
    failures.check(abs(gap - due) < 1e-6, f"{label}: gap {gap}, due is {due}")
    failures.check(plan["status"] != "optimal" or gap < 1e-9,
                   f"{label}: optimal with a gap of {gap}")
    limit = case.gaps.get(percent)
    failures.check(limit is None or gap <= limit, f"{label}: gap {gap} % > {limit} %")
    failures.check(not case.mark or most <= 1.1 * case.mark * MiB,
                   f"{label}: store-all peak {most / MiB:.1f} MiB, the mark is "
                   f"{case.mark}")
    failures.check(plan["floor_bytes"] <= plan["smallest_feasible_bytes"]
                   <= max(peak, plan["budget_bytes"]),
                   f"{label}: floor {plan['floor_bytes']}, smallest feasible "
                   f"{plan['smallest_feasible_bytes']}, peak {peak}")


def check_run(label, plan, run, failures):
    for key in ("planned_peak_bytes", "store_all_peak_bytes", "resident_bytes",
                "status", "max_live_bytes"):
        failures.equal(run[key], plan[key], f"{label}: {key} of the run")
    failures.equal(run["measured_peak_bytes"], plan["planned_peak_bytes"],
                   f"{label}: measured_peak_bytes")
    failures.equal(run["check"], "passed", f"{label}: check")


def check_file(label, step, plan, failures):
    audit = plan_audit.audit(step)
    for problem in audit.problems[:10]:
        failures.check(False, f"{label}: {problem}")
    failures.equal(audit.height, plan["arena_bytes"], f"{label}: height in the file")
    failures.equal(audit.max_live, plan["max_live_bytes"],
                   f"{label}: most live bytes in the file")
    failures.equal(audit.resident, plan["resident_bytes"],
                   f"{label}: resident bytes in the file")
    failures.equal(audit.recomputed, len(plan["recomputed"]),
                   f"{label}: recomputed nodes in the file")


def main():
    options = harness.parse(__doc__.splitlines()[0], QUICK, tuple(CASES))

    def run_case(name, failures, folder):
        case = CASES[name]
        model, flags = step_flags(name, case)
        for percent in case.budgets:
            budget = (spread_budget(model, flags, folder) if percent == SPREAD
                      else f"{percent}%")
            label = f"{name} at {percent}"
            step = folder / "step.onnx"
            harness.lowtide("optimize", model, step, *flags, "--budget", budget,
                            f"--report=json={folder / 'plan.json'}")
            plan = harness.read_json(folder / "plan.json")
            check_plan(label, case, percent, plan, failures)
            check_file(label, step, plan, failures)
            print(f"{label}: peak {plan['planned_peak_bytes'] / MiB:.1f} of "
                  f"{plan['store_all_peak_bytes'] / MiB:.1f} MiB, extra "
                  f"{plan['extra_percent']:.2f} %, gap {plan['gap_percent']:.2f} %, "
                  f"{plan['status']}, planned in {plan['plan_seconds']:.1f} s",
                  flush=True)
            harness.lowtide("run", step, "--check", "--steps", 3,
                            f"--report=json={folder / 'run.json'}")
            run = harness.read_json(folder / "run.json")
            check_run(label, plan, run, failures)
            print(f"{label}: step {run['measured_step_seconds']:.3f} s, outside "
                  f"{run['outside_arena_bytes']} bytes", flush=True)

    return harness.run_cases(run_case, options.names, "budgets")


if __name__ == "__main__":
    sys.exit(main())
