# SPDX-License-Identifier: GPL-2.0-only
"""What a file of selftests printed, counted."""

import re
from dataclasses import dataclass

_LINE = re.compile(r"^(?:# )?(not ok|ok) \d+(.*)$")
_PLAN = re.compile(r"^(?:# )?1\.\.0 # SKIP ?(.*)$")


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def count(text, good):
    """Its lines. A file that failed without a line that says so is one failure; one that was
    skipped as a whole is one skipped test."""
    counts = Counts()
    for line in text.splitlines():
        if _PLAN.match(line):
            counts.skipped += 1
        elif found := _LINE.match(line):
            if found.group(1) == "not ok":
                counts.failed += 1
            elif " # SKIP" in found.group(2):
                counts.skipped += 1
            else:
                counts.passed += 1
    if not good and not counts.failed:
        counts.failed = 1
    return counts


def complaints(text, limit=80):
    """The lines that failed, with what follows each until the next result, and what the kernel
    said; the last lines when none failed."""
    kept, within = [], False
    for line in text.splitlines():
        found = _LINE.match(line)
        if found:
            within = found.group(1) == "not ok"
        if within or line.startswith("# kernel: "):
            kept.append(line)
    return (kept or text.splitlines()[-20:])[:limit]
