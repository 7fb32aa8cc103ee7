#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks the names in comments and pages: functions and files of this project must exist.

A function, "mrc_this()", must be in the code of some source. A file with a folder of ours before it, as
core/wire/wire.h, must be in the tree, and so must any file that a comment of kernel/ names.
"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
CODE = ("kernel", "userspace")
SOURCES = (".c", ".cc", ".h")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FUNCTION = re.compile(r"\b(mrc_\w+)\(\)")
# A file name, with its folders, if it has any; neither <linux/this.h> nor this.html.
FILE = re.compile(r"(?<![\w./<-])((?:[\w.-]+/)*)(\w+\.(?:c|cc|h))\b(?![\w/-])")


def paths(folders):
    """Paths of the sources in these folders."""
    return [path for folder in folders for path in sorted((TOP / folder).rglob("*"))
            if path.suffix in SOURCES]


def texts():
    """All code in one text, and [(path, text, [(start, words)])] of all comments and pages."""
    code, found = [], []
    for path in paths(CODE):
        text = path.read_text(encoding="utf-8")
        code.append(COMMENT.sub("", text))
        found.append((path, text, [(c.start(), c[0]) for c in COMMENT.finditer(text)]))
    for path in sorted([*TOP.glob("*.md"), *(TOP / "Documentation").rglob("*.md")]):
        text = path.read_text(encoding="utf-8")
        found.append((path, text, [(0, text)]))
    return "\n".join(code), found


def is_ours(file, path, folders):
    """Whether the name means a file of the tree, existing or not."""
    if file[1]:
        return file[1].split("/")[0] in folders
    return path.is_relative_to(TOP / "kernel")


def missing(path, words, known, files, folders):
    """(start, name) of each name that does not exist."""
    for function in FUNCTION.finditer(words):
        if function[1] not in known:
            yield function.start(), function[0]
    for file in FILE.finditer(words):
        if is_ours(file, path, folders) and not any(one.endswith(f"/{file[0]}") for one in files):
            yield file.start(), file[0]


def main():
    code, found = texts()
    known = set(re.findall(r"\bmrc_\w+", code))
    files = [str(path) for path in paths((*CODE, "selftests", "examples"))]
    folders = {folder.name for top in (TOP, *(TOP / folder for folder in CODE))
               for folder in top.iterdir() if folder.is_dir()}
    failed = False
    for path, text, comments in found:
        for start, words in comments:
            for at, name in missing(path, words, known, files, folders):
                line = text.count("\n", 0, start + at) + 1
                print(f"{path.relative_to(TOP)}:{line}: there is no {name}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
