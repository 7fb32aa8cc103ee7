#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks which file includes which: only as Documentation/developer/architecture.md shows.

A line there, "FOLDER: ONE TWO THREE|FOUR", orders the files and folders in a folder. Files that differ
only in what is behind the dot stand together. Each entry includes itself and those before it. Entries
joined by | do not include each other. "*" stands for all that the line does not name; a line without
"*" must name all. "FOLDER headers: ..." is about headers alone.
"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PAGE = "Documentation/developer/architecture.md"
SOURCES = (".c", ".cc", ".h")
# Where the compilers look, after the folder of the file itself.
ROOTS = ("kernel", "kernel/include/uapi", "userspace/mrcd/src")


def orders():
    """(folder, suffixes of its files, {name: place}) of each line."""
    text = (TOP / PAGE).read_text(encoding="utf-8")
    for folder, headers, line in re.findall(
        r"^((?:kernel|userspace)[\w/]*)( headers)?: (.*(?:\n  .*)*)", text, re.M
    ):
        names = enumerate(line.split())
        order = {name: place for place, joined in names for name in joined.split("|")}
        yield folder, (".h",) if headers else SOURCES, order


def name_of(path, folder):
    """The name of a file in a line of that folder, or None."""
    try:
        inside = path.relative_to(TOP / folder)
    except ValueError:
        return None
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def included(path):
    """(number of the line, file) of each include of a file of the tree."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r'\s*#\s*include "([^"]+)"', line)
        if not match:
            continue
        for root in (path.parent, *(TOP / root for root in ROOTS)):
            target = (root / match[1]).resolve()
            if target.exists():
                yield number, target
                break


def complaints(folder, paths, order):
    """Complaints about the files of a folder."""
    rest = order.get("*")
    for path in sorted(paths):
        name = name_of(path, folder)
        place = order.get(name, rest)
        if place is None:
            yield f"{path.relative_to(TOP)}: {PAGE} does not say where in {folder} it stands"
            continue
        for number, target in included(path):
            other = name_of(target, folder)
            if other in (None, name):
                continue
            where = order.get(other, rest)
            if where is None or where > place or (where == place and other in order):
                yield (f"{path.relative_to(TOP)}:{number}: {name} includes {other}, "
                       f"which does not stand before it")


def main():
    found, failed = list(orders()), False
    if not found:
        print(f"{PAGE}: no order is found there")
        return 1
    for folder, suffixes, order in found:
        paths = [p for p in (TOP / folder).rglob("*") if p.suffix in suffixes]
        for name in set(order) - {name_of(p, folder) for p in paths} - {"*"}:
            print(f"{PAGE}: there is no {name} in {folder}")
            failed = True
        for complaint in complaints(folder, paths, order):
            print(complaint)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
