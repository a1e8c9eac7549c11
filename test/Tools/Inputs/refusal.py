"""refusal.py REPORT COMMAND...: the command meets the smallest feasible budget
that the report of a refusal names, and refuses one byte less."""
import json
import os
import subprocess
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
assert report["status"] == "infeasible", report
assert report["forced_by"]["op"] and report["forced_by"]["tensors"], report
assert report["budget_bytes"] < report["resident_bytes"]
smallest, floor = report["smallest_feasible_bytes"], report["floor_bytes"]
assert floor <= smallest <= report["store_all_peak_bytes"], report
command, out = sys.argv[2:], sys.argv[5]
refused = subprocess.run([*command, "--budget", str(smallest - 1)], check=False)
assert refused.returncode == 5, refused
assert not os.path.exists(out)
subprocess.run([*command, "--budget", str(smallest)], check=True)
assert os.path.exists(out)
