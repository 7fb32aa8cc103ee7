#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks which folders call the engine's inner functions. A line of
Documentation/developer/architecture.md, "FOLDER inner: ONE TWO but mrc_this mrc_that", names headers of
a folder whose functions are its own. No other folder below kernel/ calls these functions, except those
that the line ends with.
"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PAGE = "Documentation/developer/architecture.md"
# A declaration or definition in a header stands at the start of a line.
DECLARED = re.compile(r"^(?!static_assert)[a-z][\w *]*?\b(mrc_\w+)\(", re.MULTILINE)
CALLED = re.compile(r"\b(mrc_\w+)\(")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def without_comments(text):
    """The same lines without their comments."""
    return COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)


def inner(text):
    """(folder, {function: header}) of the page's line, and the exceptions."""
    found = re.search(r"^(kernel/\w+) inner: (.*(?:\n  .*)*)", text, re.MULTILINE)
    if not found:
        raise SystemExit(f"{PAGE}: no line says what is inner")
    headers, _, excepted = found[2].partition(" but ")
    functions = {}
    for name in headers.split():
        path = next((TOP / found[1]).rglob(f"{name}.h"), None)
        if not path:
            raise SystemExit(f"{PAGE}: there is no {name}.h in {found[1]}")
        for function in DECLARED.findall(without_comments(path.read_text(encoding="utf-8"))):
            functions[function] = name
    return found[1], functions, set(excepted.split())


def calls(path):
    """(number of the line, function) of each call."""
    text = without_comments(path.read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), 1):
        for function in CALLED.findall(line):
            yield number, function


def main():
    folder, functions, excepted = inner((TOP / PAGE).read_text(encoding="utf-8"))
    used, failed = set(), False
    for path in sorted(path for path in (TOP / "kernel").rglob("*") if path.suffix in (".c", ".h")):
        if path.is_relative_to(TOP / folder):
            continue
        for number, function in calls(path):
            if function in excepted:
                used.add(function)
            elif function in functions:
                print(f"{path.relative_to(TOP)}:{number}: {function}() is {folder}'s own: "
                      f"{functions[function]}.h is inner")
                failed = True
    for name in sorted(excepted - (used & set(functions))):
        print(f"{PAGE}: {name} need not be excepted")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
