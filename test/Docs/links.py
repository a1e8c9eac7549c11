"""Every link of the pages to a file of the project leads to one, and every page
of docs is on the map."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def broken_links(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target and not (path.parent / target).exists():
            yield f"{path.relative_to(ROOT)}: there is no {target}"


def main():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    problems = [problem for path in pages for problem in broken_links(path)]
    index = (ROOT / "docs" / "index.md").read_text()
    for path in pages[1:]:
        name = path.relative_to(ROOT / "docs").as_posix()
        if name != "index.md" and not name.startswith("generated/"):
            if f"({name})" not in index:
                problems.append(f"docs/index.md doesn't list {name}")
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
