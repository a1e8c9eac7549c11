"""Runs the code of a page and compares what it prints with the page.

    run_page.py PAGE            the test; exit code 1 when something differs
    run_page.py PAGE --update   writes what was printed into the page
"""
import pathlib
import sys
import tempfile

import page


def failed(where, code, got):
    """A command that should fail is followed by another one in its line."""
    if code:
        print(f"{where}: exit code {code}", *got, sep="\n  ")
    return code != 0


def differs(where, want, got):
    if not page.comparable() or page.same("\n".join(want), "\n".join(got)):
        return False
    print(f"{where}: the page says", *want, "and it prints", *got, sep="\n  ")
    return True


def run(path, lines, folder):
    """Whether all went well, and the blocks with what they printed."""
    env, good, printed, printed_blocks = page.environment(folder), True, None, []
    for block in filter(page.Block.runs, page.blocks(lines)):
        where = f"{path.name}:{block.first + 1}"
        if block.info[0] == "sh":
            fresh = []
            for command, want in page.commands(block):
                code, got = page.execute(command, folder, env)
                good &= not failed(f"{where}: {command}", code, got)
                good &= not differs(f"{where}: {command}", want, got)
                fresh += ["$ " + command, *got]
            printed_blocks.append((block, "\n".join(fresh).split("\n")))
        elif block.info[0] == "python":
            code, printed = page.run_python(block, folder, env)
            good &= not failed(where, code, printed)
        else:
            good &= not differs(where, block.lines, printed)
            printed_blocks.append((block, printed))
    return good, printed_blocks


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    path = root / "docs" / (sys.argv[1] + ".md")
    lines = path.read_text().split("\n")
    with tempfile.TemporaryDirectory() as folder:
        good, printed_blocks = run(path, lines, pathlib.Path(folder))
    if "--update" in sys.argv:
        for block, fresh in reversed(printed_blocks):
            lines[block.first:block.first + len(block.lines)] = fresh
        path.write_text("\n".join(lines))
        return 0
    if not printed_blocks:
        print(f"{path.name} has no code that runs")
        return 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
