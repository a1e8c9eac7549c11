"""The comparison of pages notices what it should."""
import page

CASES = [
    ("peak 499,840 bytes", "peak 499,840 bytes", True),
    ("peak 499,840 bytes", "peak   499,900 bytes", True),
    ("peak 499,840 bytes", "peak 630,912 bytes", False),
    ("peak 499,840 bytes", "height 499,840 bytes", False),
    ("loss 1.3208", "loss 1.3209", True),
    ("loss 1.3208", "loss 1.4208", False),
    ("+8.9 %", "-8.9 %", False),
    ("planning 3.18 s", "planning 20.7 ms", True),
    ("a ░▄▅ 12", "a ███ 12", True),
    ("two lines\nof text", "two lines", False),
]

TEXT = """text
```sh run
$ one \\
  more
printed
$ two 'in
quotes'
```
```sh
$ not this
```"""


def main():
    for want, got, equal in CASES:
        assert page.same(want, got) == equal, (want, got)
    found = [b for b in page.blocks(TEXT.split("\n")) if b.runs()]
    assert len(found) == 1
    assert page.commands(found[0]) == [("one \\\n  more", ["printed"]), ("two 'in\nquotes'", [])]


if __name__ == "__main__":
    main()
