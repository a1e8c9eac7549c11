"""curve.py FILE: the curve is monotone and its bounds lie below it.
curve.py same_report A B: two reports of one step agree but for names and the
time that planning took."""
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


if sys.argv[1] == "same_report":
    a, b = map(load, sys.argv[2:])
    for report in (a, b):
        for key in ("model", "plan_seconds"):
            report.pop(key, None)
        # Values without a name get one when they are written.
        for row in report["top_at_peak"] + report["buffers"]:
            row.pop("tensor", None) or row.pop("name")
    assert a == b, [key for key in a if a[key] != b.get(key)]
    sys.exit()
curve = load(sys.argv[1])
points = sorted(curve["points"], key=lambda p: p["budget_bytes"])
assert len(points) >= 2, points
for point in points:
    assert point["planned_peak_bytes"] <= point["budget_bytes"], point
    assert point["lower_bound_percent"] <= point["extra_percent"] + 1e-9, point
for small, large in zip(points, points[1:]):
    assert small["extra_percent"] > large["extra_percent"], (small, large)
    assert small["planned_peak_bytes"] < large["planned_peak_bytes"], (small, large)
assert points[-1]["extra_percent"] == 0
