#!/usr/bin/env python3
"""Checks the style that docs/Contributing.md asks for.

    check.py KIND|all [--build FOLDER] [--fix]

Kinds: format (clang-format), banner, layers (the table of includes), names,
length, calls (what a library may not call), text (machine paths, registry
hosts), docs (generated pages are fresh), self (each rule refuses what it is
for). Findings read FILE:LINE: message; one is enough to fail. Habits that are
only exceeded a little are warnings and don't fail. --fix lets clang-format
rewrite the files.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import rules
import selftest
from sources import CXX, ROOT, all_files

KINDS = {
    "banner": [rules.banner, rules.guard],
    "layers": [rules.includes, rules.concrete_ops, rules.mlir_idioms],
    "names": [rules.names],
    "length": [rules.length, rules.function_length],
    "calls": [rules.calls, rules.mlir_in_strings],
    "text": [rules.text],
}
WARNINGS = {"length": [rules.length_warnings, rules.function_length_warnings]}


def apply_rules(files, chosen, label):
    """Prints what the rules find and says how much it was."""
    count = 0
    for file in files:
        for rule in chosen:
            for line, message in rule(file):
                print(f"{file.path}:{line}: {label}{message}")
                count += 1
    return count


def check_format(files, fix):
    sources = [str(f.path) for f in files if f.path.suffix in CXX]
    how = ["-i"] if fix else ["--dry-run"]
    result = subprocess.run(["clang-format-19", *how, *sources], cwd=ROOT,
                            stderr=subprocess.PIPE, text=True, check=True)
    places = re.findall(r"^(\S+?):(\d+):\d+: \w+: ", result.stderr, re.MULTILINE)
    # The first place of each file is enough: the remedy is the same.
    first = {path: line for path, line in reversed(places)}
    for path, line in sorted(first.items()):
        print(f"{path}:{line}: clang-format would change it: tools/lint --fix")
    return len(first)


def check_docs(build):
    """Pages in docs/generated are what the generator writes today. The
    generator is a build target that writes into FOLDER/docs/generated."""
    committed = ROOT / "docs" / "generated"
    if not committed.is_dir():
        print("docs/generated isn't there: nothing to compare")
        return 0
    fresh = build / "docs" / "generated" if build else None
    if fresh is None or not fresh.is_dir():
        print("the build folder holds no docs/generated: nothing to compare")
        return 0
    stale = 0
    for page in sorted({p.name for p in [*committed.iterdir(), *fresh.iterdir()]}):
        one, two = committed / page, fresh / page
        if not (one.exists() and two.exists() and one.read_bytes() == two.read_bytes()):
            print(f"docs/generated/{page}:1: stale: copy it from {two}")
            stale += 1
    return stale


def run_kind(kind, files, arguments):
    if kind == "format":
        return check_format(files, arguments.fix)
    if kind == "docs":
        return check_docs(arguments.build)
    if kind == "self":
        return selftest.run()
    apply_rules(files, WARNINGS.get(kind, []), "warning: ")
    return apply_rules(files, KINDS[kind], "")


def main():

    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    everything = ["format", *KINDS, "docs", "self"]
    parser.add_argument("kind", choices=[*everything, "all"])
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--fix", action="store_true")
    arguments = parser.parse_args()
    files = all_files()
    kinds = everything if arguments.kind == "all" else [arguments.kind]
    failed = [kind for kind in kinds if run_kind(kind, files, arguments)]
    print(f"{len(files)} files:", "failed: " + " ".join(failed) if failed else "clean")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
