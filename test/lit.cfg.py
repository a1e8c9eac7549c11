# The lit suites: every folder of test/ that holds .mlir or .test files.
#
# Tools are found by name: ours from build/<preset>/bin, then FileCheck, not,
# count and split-file from LLVM. Beyond lit's own substitutions:
#   %lowtide         the command-line tool
#   %lowtide-opt     the pass driver
#   %lowtide-solve   the solver's tool
#   %python          the interpreter that has onnx, onnxruntime and numpy
#   %models          test/models
#   %materialize     writes the weights of a graph: %materialize NAME FOLDER
#   %shared          the folder with data outside the checkout
# Features for REQUIRES:
#   compiler         built with MLIR and ONNX
#   shared           %shared exists (LOWTIDE_SHARED, or ../shared)
import os

import lit.formats

config.name = "Lowtide"
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "lib", "bench", "models", "Lint"]
# lit's own shell works without bash, stops at the first failing command of a
# pipe and prints the line that failed.
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.lowtide_binary, "test")

tools = os.path.join(config.lowtide_binary, "bin")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_tools, os.environ.get("PATH", "")]
)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "OMP_NUM_THREADS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

shared = os.environ.get("LOWTIDE_SHARED") or os.path.join(
    os.path.dirname(config.lowtide_source), "shared"
)
if os.path.isdir(shared):
    config.available_features.add("shared")
if config.lowtide_compiler:
    config.available_features.add("compiler")

models = os.path.join(config.lowtide_source, "test", "models")
config.substitutions += [
    # The longer name first: %lowtide begins all three.
    ("%lowtide-opt", os.path.join(tools, "lowtide-opt")),
    ("%lowtide-solve", os.path.join(tools, "lowtide-solve")),
    ("%lowtide", os.path.join(tools, "lowtide")),
    ("%python", config.lowtide_python),
    ("%materialize", f"{config.lowtide_python} {models}/materialize.py"),
    ("%models", models),
    ("%shared", shared),
]
