"""plans.py CHECK FILE...: checks of report files."""
import json
import sys


def recomputes(plan, run):
    assert plan["schema"] == "lowtide.report/1"
    assert plan["planned_peak_bytes"] <= plan["budget_bytes"] < plan["store_all_peak_bytes"], plan
    assert plan["recomputed"], "nothing is recomputed"
    assert plan["extra_percent"] >= plan["lower_bound_percent"] >= 0
    assert run["measured_peak_bytes"] == plan["planned_peak_bytes"]
    assert run["check"] == "passed"
    assert run["measured_step_seconds"] > 0
    # The bytes of each step are those of its classes, the highest is the peak.
    for row in plan["timeline"]:
        assert row["live_bytes"] == sum(row["by_class"].values()), row
    assert max(row["live_bytes"] for row in plan["timeline"]) == plan["max_live_bytes"]
    labels = [row["label"] for row in plan["what_next"]]
    assert {"75 %", "50 %", "smallest", "store-all"} >= set(labels) >= {"smallest", "store-all"}, labels


def same_figures(a, b):
    for key in ("budget_bytes", "planned_peak_bytes", "store_all_peak_bytes", "extra_percent"):
        assert a[key] == b[key], (key, a[key], b[key])


def stores_all(plan):
    assert plan["planned_peak_bytes"] == plan["store_all_peak_bytes"], plan
    assert plan["extra_percent"] == 0 and not plan["recomputed"], plan


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


globals()[sys.argv[1].replace("-", "_")](*map(load, sys.argv[2:]))
