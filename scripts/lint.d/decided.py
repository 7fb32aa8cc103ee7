#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks the table "Where is it decided" of Documentation/developer/architecture.md against the
sources.

A row has a question, then "`FILE`: `FUNCTION()`, `FUNCTION()`; `FILE`: `FUNCTION()`", then a remark. A
file is below kernel/, or below the top of the tree. It must define the functions behind its name: to call
or declare them is not enough.
"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PAGE = "Documentation/developer/architecture.md"
HEADING = "## Where is it decided"
# A function, or a file, which has a suffix.
NAMED = re.compile(r"`(?:([\w:]+)\(\)|([\w./-]+\.\w+))`")


def rows():
    """(question, the rest) of each row of the table."""
    _, _, section = (TOP / PAGE).read_text(encoding="utf-8").partition(f"\n{HEADING}\n")
    table = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("|")]
    for line in table[2:]:
        question, _, rest = line.strip("|").partition("|")
        yield question.strip(), rest


def find(name):
    """The file with that name, or None."""
    paths = (TOP / "kernel" / name, TOP / name)
    return next((path for path in paths if path.is_file()), None)


def defines(path, function):
    """Whether a file defines a function. A definition has a body; a macro is one, too."""
    text = path.read_text(encoding="utf-8")
    name = re.escape(function)
    if path.suffix == ".py":
        return re.search(rf"^ *def {name}\(", text, re.MULTILINE)
    return re.search(rf"^(?:#define {name}\(|\w[^\n;(]*\b{name}\([^;{{}}]*\)[\w\s]*\{{)", text,
                     re.MULTILINE)


def complaints(rest):
    """Complaints about the names in a row."""
    path, pointers = None, 0
    for function, name in NAMED.findall(rest):
        if name:
            path = find(name)
            if not path:
                yield f"there is no {name}"
        elif path:
            pointers += 1
            if not defines(path, function):
                yield f"{path.relative_to(TOP)} does not define {function}()"
        else:
            yield f"no file is named before {function}()"
    if not pointers:
        yield "no function of a file is named"


def main():
    found, failed = list(rows()), False
    if not found:
        print(f'{PAGE}: "{HEADING}" has no table')
        return 1
    for question, rest in found:
        for complaint in complaints(rest):
            print(f"{PAGE}: {question} {complaint}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
