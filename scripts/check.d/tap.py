# SPDX-License-Identifier: GPL-2.0-only
"""Counts the results in what a selftest file printed."""

import re
from dataclasses import dataclass

# How a file ended, in the numbers of selftests/run: kselftest's status, or that the kernel complained
# (also if the machine died).
PASSED, FAILED, SPLAT, SKIPPED = 0, 1, 3, 4

_LINE = re.compile(r"^(?:# )?(not ok|ok) \d+(.*)$")


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def count(text, status):
    """Counts the lines of a file. A file without any is a failure, or one skipped test if its status
    says so. A file that failed without a failed line is a failure, too."""
    counts = Counts()
    for line in text.splitlines():
        found = _LINE.match(line)
        if not found:
            continue
        if found.group(1) == "not ok":
            counts.failed += 1
        elif " # SKIP" in found.group(2):
            counts.skipped += 1
        else:
            counts.passed += 1
    nothing = counts == Counts()
    if nothing and status == SKIPPED:
        counts.skipped = 1
    elif not counts.failed and (nothing or status not in (PASSED, SKIPPED)):
        counts.failed = 1
    return counts


def failed_names(text, limit=3, longest=200):
    """The names of failed tests, each with the first line that follows it, as far as they fit a line."""
    names, lines = [], text.splitlines()
    for line, following in zip(lines, lines[1:] + [""]):
        found = _LINE.match(line)
        if found and found.group(1) == "not ok":
            why = following.lstrip("# ").strip() if following.startswith("# # ") else ""
            names.append(": ".join(filter(None, [found.group(2).strip(), why[:longest]])))
    return names[:limit] + ([f"{len(names) - limit} more"] if len(names) > limit else [])


def complaints(text, limit=80, before=10):
    """The failed lines, with the lines before each and those after it up to the next result, and the
    kernel's messages; the last lines if no line failed."""
    kept, within, said = [], False, []
    for line in text.splitlines():
        found = _LINE.match(line)
        if found:
            within = found.group(1) == "not ok"
            kept += said[-before:] if within else []
            said = []
        if within or line.startswith("# kernel: "):
            kept.append(line)
        elif not found:
            said.append(line)
    return (kept or text.splitlines()[-20:])[:limit]
