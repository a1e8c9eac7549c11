"""The code blocks of a page that run.

    ```sh run                 lines that start with "$ " are commands, those
                              below each are what it prints
    ```python run NAME.py     saved as NAME.py and run
    ```text output            what the Python block above it prints

All blocks of a page run in one empty folder, in order. Output is compared word
by word. Numbers may differ by 2 %: losses depend on the order of sums and
scratch memory on the processor. Times aren't compared, nor is what is drawn.
Without AVX-512 kernels want other scratch memory, plans may differ, and only
exit codes are looked at.
"""
import os
import pathlib
import re
import subprocess
import sys

TIME = r"[\d.,]+ (?:ns|µs|ms|s)\b"
DRAWN = "[\u2500-\u259f\u25a0-\u25ff]+"
NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"
TOLERANCE = 0.02


class Block:
    def __init__(self, info, first, lines):
        self.info, self.first, self.lines = info.split(), first, lines

    def runs(self):
        return self.info[1:2] in (["run"], ["output"])


def blocks(lines):
    """Fenced blocks; `first` is the index of the line after the fence."""
    found, start, info = [], None, ""
    for i, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start, info = i + 1, line[3:]
        else:
            found.append(Block(info, start, lines[start:i]))
            start = None
    return found


def goes_on(lines):
    """A command with a backslash at its end or an open quote."""
    return lines[-1].endswith("\\") or "".join(lines).count("'") % 2 == 1


def commands(block):
    """Pairs of a command and the lines that it should print."""
    pairs = []
    for line in block.lines:
        if line.startswith("$ "):
            pairs.append(([line[2:]], []))
        elif goes_on(pairs[-1][0]):
            pairs[-1][0].append(line)
        else:
            pairs[-1][1].append(line)
    return [("\n".join(command), output) for command, output in pairs]


def words(text):
    """What is compared: times and drawings taken out, split at spaces."""
    text = re.sub(TIME, "TIME", text)
    return re.sub(DRAWN, " ", text).split()


def same_word(want, got):
    """Equal, or equal but for numbers that are close."""
    if re.sub(NUMBER, "#", want) != re.sub(NUMBER, "#", got):
        return False
    values = [[float(n.replace(",", "")) for n in re.findall(NUMBER, word)]
              for word in (want, got)]
    return all(abs(a - b) <= TOLERANCE * max(abs(a), abs(b))
               for a, b in zip(*values))


def comparable():
    """Whether this processor runs the kernels that the pages were made with."""
    try:
        return "avx512dq" in pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return False


def same(want, got):
    want, got = words(want), words(got)
    return len(want) == len(got) and all(map(same_word, want, got))


def environment(folder):
    """Our tools and the tests' Python, in front of everything else."""
    tools = folder / ".bin"
    tools.mkdir()
    python = tools / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    # Kernels for newer processors may want other scratch memory.
    return {**os.environ, "DNNL_MAX_CPU_ISA": "AVX512_CORE",
            "PATH": os.pathsep.join([str(tools), os.environ["LOWTIDE_BIN"],
                                     os.environ["PATH"]])}


def execute(command, folder, env):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=600)
    text = done.stdout.decode()
    return done.returncode, [line.rstrip() for line in text.splitlines()]


def run_python(block, folder, env):
    name = block.info[2] if len(block.info) > 2 else "block.py"
    pathlib.Path(folder, name).write_text("\n".join(block.lines) + "\n")
    return execute(f"python3 {name}", folder, env)
