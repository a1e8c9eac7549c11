"""The rules: each takes one File and yields (line, message). check.py says
which kind of check a rule belongs to; selftest.py shows each rule a file that
it must refuse."""
import re

from sources import CODE, CXX, functions

LICENCE = "Part of Lowtide, under the Apache License v2.0. See LICENSE."

# docs/Architecture.md, top to bottom: a library includes only itself and what
# stands above it. Frontend and Rules share a row and don't see each other.
RANKS = {"Support": 0, "Solver": 1, "Runtime": 2, "Report": 3, "Interfaces": 4,
         "Dialect": 5, "Frontend": 6, "Rules": 6, "Analysis": 7,
         "Transforms": 8, "Codegen": 9, "Pipelines": 10}
MLIR = r"mlir/"
PASSES = r"mlir/Pass/"
PROTOBUF = r"(google/protobuf|onnx)/|.*\.pb\.h"
CUDA = r"(cuda|cublas|cudnn|cutensor|nvrtc|nccl|nvml)"
SOLVER = r"lowtide/Solver/"
NEVER = {
    "Support": [MLIR, PROTOBUF, CUDA],
    "Solver": [MLIR, PROTOBUF, CUDA],
    "Runtime": [MLIR, PROTOBUF, SOLVER],
    "Report": [MLIR, PROTOBUF, CUDA],
    "Interfaces": [PROTOBUF, CUDA],
    "Dialect": [PASSES, PROTOBUF, CUDA],
    "Frontend": [PASSES, SOLVER, CUDA],
    "Rules": [PASSES, SOLVER, PROTOBUF, CUDA],
    "Analysis": [PROTOBUF, CUDA],
    "Transforms": [PROTOBUF, CUDA],
    "Codegen": [SOLVER, PROTOBUF, CUDA],
}
# Outside libraries that only one corner may see.
CORNERS = {r"dnnl": ("lib/Runtime/Cpu",),
           CUDA: ("lib/Runtime/Cuda", "include/lowtide/Runtime/Cuda"),
           r"(Highs|highs|coin/)": ("lib/Solver/LinearModel",)}


def library_of(file):
    parts = file.path.parts
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ("include", "lowtide") and len(parts) > 3:
        return parts[2]
    return None


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def matches(file, pattern, message):
    """Yields a finding for each match of PATTERN in the code."""
    for match in re.finditer(pattern, file.code):
        yield line_of(file.code, match.start()), message.format(match.group(0).strip())


def banner(file):
    """First line: name and purpose in 80 columns; third line: the licence."""
    if file.path.suffix not in CODE:
        return
    lines = file.lines + ["", "", ""]
    name = re.escape(file.path.name)
    if not re.fullmatch(rf"//===-+ {name} - \S.*-===//", lines[0]):
        yield 1, f"wants the banner //===- {file.path.name} - what it is ---===//"
    elif len(lines[0]) != 80:
        yield 1, f"the banner has {len(lines[0])} columns and should have 80"
    if lines[2] != "// " + LICENCE:
        yield 3, f'wants "// {LICENCE}"'


def guard(file):
    """A header's guard is its path."""
    if file.path.suffix != ".h" or not file.under("include/lowtide"):
        return
    want = re.sub(r"\W", "_", str(file.path)[len("include/"):]).upper()
    found = re.search(r"^#ifndef (\w+)", file.text, re.MULTILINE)
    if not found or found.group(1) != want:
        yield 1, f"wants the include guard {want}"


def includes(file):
    """The table of layers, include by include."""
    library = library_of(file)
    if library is None or file.path.suffix not in CODE:
        return
    if library not in RANKS:
        yield 1, f"the folder {library} isn't in the table of layers"
        return
    for number, line in enumerate(file.lines, 1):
        match = re.match(r'\s*#?\s*include\s*["<]([^">]+)[">]', line)
        if not match:
            continue
        target = match.group(1)
        other = re.match(r"lowtide/(\w+)/", target)
        if other and other.group(1) != library:
            if RANKS.get(other.group(1), 99) >= RANKS[library]:
                yield number, f"{library} is above {other.group(1)} and can't include {target}"
        for pattern in NEVER.get(library, []):
            if re.match(pattern, target):
                yield number, f"{library} never includes {target}"
        for pattern, corners in CORNERS.items():
            if re.match(pattern, target) and not any(
                    str(file.path).startswith(c) for c in corners):
                yield number, f"only {corners[0]} sees {target}"


def concrete_ops(file):
    """Analyses and passes ask interfaces, never for an op by its class."""
    if library_of(file) in ("Analysis", "Transforms"):
        yield from matches(file, r"\b(?:onnx|train)::[A-Z]\w*Op\b",
                           "{} is a concrete op: ask an interface")


def mlir_idioms(file):
    if file.path.suffix not in CODE:
        return
    if not file.under("test/lib"):
        yield from matches(file, r"\bPassWrapper\b", "{} only in test/lib: declare the pass in Passes.td")
    if not file.under("tools"):
        yield from matches(file, r"\bcl::(opt|list|bits)\b", "{} only in tools/: options live in Passes.td and the tools")
    if file.path.suffix == ".td":
        yield from matches(file, r"\blet constructor\b", "{}: leave it out, the factory is generated")


def names(file):
    """Names that attract everything, and folders nobody finds."""
    for part in file.path.parts:
        stem = part.split(".")[0]
        bad = re.search(r"(?:^|(?<=[a-z0-9_-]))(?:[Uu]til(?:s|ity|ities)?|[Cc]ommon|[Hh]elpers?|[Mm]isc)(?![a-z])", stem)
        if bad:
            yield 1, f"{part}: name a file for what it does, not {bad.group(0)}"
    depth = {"lib": 1, "include": 2}.get(file.path.parts[0])
    if depth and len(file.path.parts) - 1 - depth > 4:
        yield 1, "more than four folders deep"
    if file.path.suffix == ".cpp" and not re.fullmatch(r"[A-Z][A-Za-z0-9]*", file.path.stem):
        yield 1, "a source file is named in CamelCase"


def length(file):
    """Files end at 800 lines."""
    if file.path.suffix in CODE | {".py", ".mlir"} and len(file.lines) > 800:
        yield 801, f"{len(file.lines)} lines; 800 is the limit, 500 the habit"


def length_warnings(file):
    habit = {".h": 250, ".mlir": 250}.get(file.path.suffix, 500)
    if file.path.suffix in CODE | {".py", ".mlir"} and habit < len(file.lines) <= 800:
        yield habit + 1, f"{len(file.lines)} lines; {habit} is the habit"


def function_length(file):
    """Functions end at 100 lines; the habit is 60."""
    if file.path.suffix in CXX:
        for name, first, last in functions(file):
            if last - first + 1 > 100:
                yield first, f"{name} has {last - first + 1} lines; 100 is the limit, 60 the habit"


def function_length_warnings(file):
    if file.path.suffix in CXX:
        for name, first, last in functions(file):
            if 60 < last - first + 1 <= 100:
                yield first, f"{name} has {last - first + 1} lines; 60 is the habit"


def calls(file):
    """A library neither ends the process nor talks to the terminal."""
    if not file.under("lib", "include/lowtide") or file.path.suffix not in CXX:
        return
    # Names alone would also find methods; a method follows . or ->.
    yield from matches(file, r"(?<![\w.>])(?:exit|_exit|_Exit|quick_exit|abort|terminate)\s*\(",
                       "{}: return an error instead")
    yield from matches(file, r"\b(?:report_fatal_error|llvm_unreachable)\b",
                       "{}: return an error, or assert with a message")
    yield from matches(file, r"\bthrow\b", "{}: return an error instead")
    yield from matches(file, r"\bstd::c(?:out|err|log)\b|(?<![\w.>])(?:llvm::)?(?:errs|outs)\(\)",
                       "{}: libraries take a stream or return text")
    yield from matches(file, r"#\s*include\s*<iostream>", "{}: static constructors; use a stream")


# Put together here, so that this file doesn't find itself.
MACHINE = "|".join(["/wor" + "k/", "/hom" + r"e/\w", "/roo" + "t/", "/User" + "s/"])
HOSTS = "|".join(["pyp" + r"i\.org", "pythonhoste" + r"d\.org", "deb" + r"\.debian\.org",
                  "huggingfac" + r"e\.co", "crate" + r"s\.io", "registry" + r"\.npmjs"])


def text(file):
    """Nothing of one machine, of a registry, and no stray white space."""
    for number, line in enumerate(file.lines, 1):
        if re.search(rf"(?<![\w.])(?:{MACHINE})", line):
            yield number, "names a folder of one machine"
        if re.search(HOSTS, line):
            yield number, "names a registry's host"
        if file.path.suffix in CODE | {".py", ".sh", ".cmake"}:
            if line != line.rstrip():
                yield number, "white space at the end of the line"
            if "\t" in line:
                yield number, "a tab"
    if file.path.suffix in CODE and file.text and not file.text.endswith("\n"):
        yield len(file.lines), "no newline at the end"


def mlir_in_strings(file):
    """IR is built by builders and read from .mlir files."""
    if file.under("lib") and file.path.suffix in CXX:
        for match in re.finditer(r'R"\w*\(\s*(?:module|func\.func)\b', file.text):
            yield line_of(file.text, match.start()), "IR in a C++ string"
