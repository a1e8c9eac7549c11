"""What the scripts of this folder share: running our commands, the weights of
the test graphs, inputs and measure of an oracle, and counting failures.

LOWTIDE_BIN names the folder of the tools, LOWTIDE_MODELS the stripped graphs,
LOWTIDE_WEIGHTS where graphs with weights are kept from test to test (default: a
folder `models` where the script runs).
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BIN = pathlib.Path(os.environ.get("LOWTIDE_BIN", ROOT / "build/dev/bin"))
MODELS = pathlib.Path(os.environ.get("LOWTIDE_MODELS", ROOT / "test/models"))
WEIGHTS = pathlib.Path(os.environ.get("LOWTIDE_WEIGHTS", "models"))

FLOAT64, FLOAT32 = 1e-6, 2e-2  # of a tensor's scale
LOSS_FLOAT64, LOSS_FLOAT32 = 1e-6, 1e-5


class Failures:
    """Counts what went wrong, so that one run tells all of it."""

    def __init__(self):
        self.count = 0

    def check(self, holds, message):
        if not holds:
            self.count += 1
            print(f"FAILED: {message}", flush=True)
        return holds

    def equal(self, actual, expected, what):
        return self.check(actual == expected,
                          f"{what} is {actual!r} where {expected!r} is due")


class CommandFailed(Exception):
    pass


def lowtide(*arguments, code=0):
    """Runs the tool and insists on its exit code; returns what it printed."""
    command = [str(BIN / "lowtide"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != code:
        raise CommandFailed(f"exit code {done.returncode} where {code} is due:\n"
                            f"  {' '.join(command)}\n{done.stderr[-2000:]}")
    return done


def model(name):
    """The graph with its weights, made at the first call."""
    place = WEIGHTS.resolve() / name / f"{name}.onnx"
    if not place.exists():
        WEIGHTS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=WEIGHTS) as unfinished:
            subprocess.run(
                [sys.executable, MODELS / "materialize.py",
                 MODELS / f"{name}.onnx", unfinished],
                check=True, stdout=subprocess.DEVNULL)
            try:
                os.rename(unfinished, place.parent)
                os.mkdir(unfinished)
            except OSError:
                pass  # A test beside us was faster.
    return place


def oracle(name):
    return json.loads((MODELS / f"{name}.oracle.json").read_text())


def draw(recipe):
    """An input or target as the oracle's author drew it."""
    stream = numpy.random.RandomState(recipe["seed"])
    if recipe["kind"] == "ints":
        return stream.randint(0, recipe["high"], recipe["shape"]).astype("int64")
    return stream.randn(*recipe["shape"]).astype("float32")


def inputs_of(reference, element="float32"):
    """Inputs and target; normal numbers are rounded to float32 first."""
    drawn = {name: draw(recipe) for name, recipe in reference["inputs"].items()}
    drawn["target"] = draw(reference["target"])
    return {name: array if array.dtype == "int64" else array.astype(element)
            for name, array in drawn.items()}


def loss_flags(reference):
    batch = reference["target"]["shape"][0]
    return ["--loss", reference["loss_kind"], "--class-axis",
            reference["class_axis"], "--dim", f"N={batch}"]


def save(path, arrays):
    numpy.savez(path, **arrays)
    return path


def load(path):
    with numpy.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}


def read_json(path):
    return json.loads(pathlib.Path(path).read_text())


def scales(norms):
    """By name: the norm that an error is measured by. Gradients that are zero
    but for rounding are measured by the largest one."""
    least = 1e-6 * max(norms.values())
    return {name: max(norm, least) for name, norm in norms.items()}


def run_cases(case, names, summary):
    """Calls CASE(name, failures, folder) for each name, each in a fresh folder
    that goes away, and returns the exit code of the script."""
    failures = Failures()
    for name in names:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="case-", dir="."))
        try:
            case(name, failures, folder)
        except CommandFailed as problem:
            failures.check(False, f"{name}: {problem}")
        finally:
            shutil.rmtree(folder)
    print(f"{summary}: {len(names)} cases, {failures.count} failures")
    return 1 if failures.count or not names else 0


def parse(description, quick, full, add=None):
    """The arguments of a script: names of cases, or --all for the long list."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("names", nargs="*", metavar="CASE",
                        help=f"default: {' '.join(quick)}")
    parser.add_argument("--all", action="store_true", help=" ".join(full))
    if add:
        add(parser)
    options = parser.parse_args()
    options.names = options.names or (list(full) if options.all else list(quick))
    unknown = [name for name in options.names if name not in full]
    if unknown:
        parser.error(f"no such case: {' '.join(unknown)}")
    return options
