"""Reads the files of the checkout and what a C++ file looks like without
comments and strings. Used by check.py."""
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = {".git", "build", ".cache", "__pycache__", ".venv"}
CXX = {".cpp", ".h"}
CODE = CXX | {".td"}
TEXT = CODE | {".py", ".md", ".cmake", ".txt", ".json", ".mlir", ".sh", ".test",
               ".yaml", ".in", ""}


class File:
    """One file: its path from the root of the checkout and its text."""

    def __init__(self, path, text):
        self.path = pathlib.PurePosixPath(path)
        self.text = text
        self.lines = text.splitlines()
        self._code = None

    @property
    def code(self):
        if self._code is None:
            self._code = blank_comments_and_strings(self.text)
        return self._code

    def under(self, *folders):
        return any(str(self.path).startswith(f + "/") for f in folders)


def all_files(root=ROOT):
    """Every text file of the checkout, in the order of its path."""
    found = []
    for folder, folders, names in os.walk(root):
        # Other work trees, if someone keeps them inside, aren't ours.
        folders[:] = sorted(f for f in folders if f not in SKIPPED
                            and not os.path.exists(f"{folder}/{f}/.git"))
        for name in sorted(set(names) - SKIPPED):
            path = pathlib.Path(folder, name)
            if path.suffix in TEXT and path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                found.append(File(path.relative_to(root).as_posix(), text))
    return found


_TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def blank_comments_and_strings(text):
    """TEXT with comments and the insides of literals turned into spaces; every
    other character keeps its line and column."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    return _TOKEN.sub(blank, text)


def functions(file):
    """Yields (name, first line, last line) of each function body, lambdas not
    counted apart: they belong to the function around them.

    Walks the braces with a stack. A brace opens a function when it stands in a
    namespace, a class or the file itself and the words before it, back to the
    last ; or brace, hold a parameter list.
    """
    # Directives and their continuation lines hold no bodies worth counting.
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: re.sub(
        r"[^\n]", " ", m.group(0)), file.code, flags=re.MULTILINE)
    # A default argument isn't a body.
    code = code.replace("= {}", "    ")
    stack, begin = [], 0
    for at, char in enumerate(code):
        if char == "{":
            head = code[begin:at]
            stack.append((_kind(head, stack), head, begin))
            begin = at + 1
        elif char == "}":
            if stack:
                kind, head, start = stack.pop()
                if kind == "function":
                    first = start + len(head) - len(head.lstrip())
                    yield (_name(head), code.count("\n", 0, first) + 1,
                           code.count("\n", 0, at) + 1)
            begin = at + 1
        elif char == ";" and not (stack and stack[-1][0] in ("function", "inner")):
            begin = at + 1


def _kind(head, stack):
    if stack and stack[-1][0] in ("function", "inner"):
        return "inner"
    if re.search(r"\b(namespace|extern)\b", head) and "(" not in head:
        return "container"
    if re.search(r"\b(class|struct|union|enum)\b[^()=]*$", head):
        return "container"
    if "(" in head and not re.search(r"=\s*$", head):
        return "function"
    return "inner"


def _name(head):
    match = re.search(r"([\w:~]+|operator\S+)\s*\(", head)
    return match.group(1) if match else "?"
