"""Shows each rule a file that it must refuse and one that it must pass: a rule
that finds nothing guards nothing."""
import rules
from sources import File

GOOD = ("//===- Good.cpp - A file that every rule passes "
        + "-" * 27 + "===//\n//\n// " + rules.LICENCE + "\n//\n")
assert len(GOOD.splitlines()[0]) == 80

LONG = "int longOne(int a) {\n" + "  ++a;\n" * 99 + "  return a;\n}\n"
AT_LIMIT = "int longOne(int a) {\n" + "  ++a;\n" * 97 + "  return a;\n}\n"
METHOD = "namespace x {\nstruct S {\n  S() : a(1) {}\n  int f() const {\n" \
    + "    g([](int b) { return b; });\n" * 100 + "  }\n};\n}\n"

# rule, path, text, whether the rule must find something
CASES = [
    (rules.banner, "lib/Solver/Good.cpp", GOOD, False),
    (rules.banner, "lib/Solver/Other.cpp", GOOD, True),
    (rules.banner, "lib/Solver/Good.cpp", GOOD.replace("---===", "--==="), True),
    (rules.banner, "lib/Solver/Good.cpp", GOOD.replace("Apache", "MIT"), True),
    (rules.guard, "include/lowtide/Solver/A.h", "#ifndef LOWTIDE_SOLVER_A_H\n", False),
    (rules.guard, "include/lowtide/Solver/A.h", "#ifndef A_H\n", True),
    (rules.includes, "lib/Solver/A.cpp", '#include "lowtide/Support/Bytes.h"\n', False),
    (rules.includes, "lib/Solver/A.cpp", '#include "lowtide/Runtime/Tensor.h"\n', True),
    (rules.includes, "lib/Solver/A.cpp", '#include "mlir/IR/Value.h"\n', True),
    (rules.includes, "lib/Runtime/A.cpp", '#include "lowtide/Solver/Remat.h"\n', True),
    (rules.includes, "lib/Rules/Cost/A.cpp", '#include "lowtide/Frontend/Model.h"\n', True),
    (rules.includes, "lib/Runtime/A.cpp", "#include <dnnl.h>\n", True),
    (rules.includes, "lib/Runtime/Cpu/A.cpp", "#include <dnnl.h>\n", False),
    (rules.includes, "lib/Transforms/A.cpp", '#include "onnx/checker.h"\n', True),
    (rules.includes, "lib/Odd/A.cpp", "", True),
    (rules.concrete_ops, "lib/Transforms/A.cpp", "isa<onnx::ReluOp>(op);\n", True),
    (rules.concrete_ops, "lib/Transforms/A.cpp", "// onnx::ReluOp\n", False),
    (rules.concrete_ops, "lib/Rules/Cost/A.cpp", "isa<onnx::ReluOp>(op);\n", False),
    (rules.mlir_idioms, "lib/Transforms/A.cpp", "cl::opt<int> a;\n", True),
    (rules.mlir_idioms, "tools/lowtide/A.cpp", "cl::opt<int> a;\n", False),
    (rules.mlir_idioms, "include/lowtide/Transforms/P.td", "let constructor = 0;\n", True),
    (rules.names, "lib/Solver/GraphUtils.cpp", "", True),
    (rules.names, "lib/Common/Graph.cpp", "", True),
    (rules.names, "test/helpers.py", "", True),
    (rules.names, "lib/Solver/Miscount.cpp", "", False),
    (rules.names, "lib/Solver/maxFlow.cpp", "", True),
    (rules.names, "lib/A/B/C/D/E/F.cpp", "", True),
    (rules.length, "lib/Solver/A.cpp", "\n" * 801, True),
    (rules.length, "lib/Solver/A.cpp", "\n" * 800, False),
    (rules.function_length, "lib/Solver/A.cpp", LONG, True),
    (rules.function_length, "lib/Solver/A.cpp", AT_LIMIT, False),
    (rules.function_length, "lib/Solver/A.cpp", METHOD, True),
    (rules.calls, "lib/Solver/A.cpp", "void f() { exit(1); }\n", True),
    (rules.calls, "lib/Solver/A.cpp", "void f() { std::abort(); }\n", True),
    (rules.calls, "lib/Solver/A.cpp", "void f() { door.exit(); }\n", False),
    (rules.calls, "lib/Solver/A.cpp", 'auto s = "exit(1)"; // abort()\n', False),
    (rules.calls, "lib/Solver/A.cpp", "llvm::errs() << 1;\n", True),
    (rules.calls, "lib/Solver/A.cpp", "llvm_unreachable(0);\n", True),
    (rules.calls, "tools/lowtide/A.cpp", "void f() { exit(1); }\n", False),
    (rules.text, "docs/A.md", "see /wor" + "k/main\n", True),
    (rules.text, "docs/A.md", "see network/main\n", False),
    (rules.text, "docs/A.md", "from pyp" + "i.org\n", True),
    (rules.text, "lib/Solver/A.cpp", "int a; \n", True),
    (rules.mlir_in_strings, "lib/Solver/A.cpp", 'auto s = R"(module {})";\n', True),
]


def run():
    wrong = 0
    for rule, path, text, must_find in CASES:
        found = list(rule(File(path, text)))
        if bool(found) != must_find:
            print(f"{rule.__name__} on {path} {text[:60]!r}: found {found}")
            wrong += 1
    print(f"{len(CASES)} cases of the rules, {wrong} wrong")
    return wrong
