# SPDX-License-Identifier: GPL-2.0-only
"""Which selftest files run on which kernel, in what kind of machine, and for how long.

A comment in a file says what is special about it:

    # kernels: all     it touches interfaces that differ between kernels: both run it each time
    # kernels: debug   it needs what only the debug kernel has, and runs on no other
    # cpus: 2          it tests things that happen at once, so the machine has that many CPUs. On an
                       older kernel it runs each time because of differences, and one CPU will do
    # clock: icount    its results depend on time, and a host that stands still would spoil them. The
                       machine's clock counts instructions (scripts/vm --icount). On the debug kernel
                       that would be twelve times as slow, so the clock is an ordinary one there
    # when: full       it takes long: scripts/check runs it with --full, or when it is named
                       (selftests/run reads this, and "# timeout: SECONDS", 900 without it)

All other files run on the newest kernel each time, in machines with one CPU, which an emulator runs at
least cost. On the other kernels an eighth of them runs each time, another eighth with each commit.
"""

import re
from dataclasses import dataclass, replace
from types import MappingProxyType

NEWEST = "6.12"
DEBUG = "debug"
# Factor between a file's time on the debug kernel and on others: mostly 4 to 17, more (35 were seen)
# where it moves much data.
DEBUG_TIMES = 8
# The assumed time of a file that was never measured.
UNKNOWN_SECONDS = 60
# The text at the top of the table of seconds.
SECONDS_HEAD = """\
# SPDX-License-Identifier: GPL-2.0-only
# Written by "scripts/check --times": the seconds of each file in the last run on kernel 6.12, or on
# the debug kernel where it runs on no other. scripts/check plans by them.
"""
EIGHTHS = 8


@dataclass(frozen=True)
class Test:
    """A selftest file: what its comments say, and its time in seconds."""

    name: str
    all_kernels: bool
    debug_only: bool
    cpus: int
    icount: bool
    seconds: float


@dataclass(frozen=True)
class Run:
    """A file on a kernel, in a machine with that many CPUs."""

    kernel: str
    test: Test
    cpus: int = 1

    @property
    def cost(self):
        """The time of the file in CPU seconds."""
        slow = DEBUG_TIMES if self.kernel == DEBUG and not self.test.debug_only else 1
        return self.test.seconds * self.cpus * slow


def said(name, text, key, values):
    """The value of the comment "# key: value", or None. SystemExit for a value that makes no sense."""
    found = re.search(rf"^# {key}: *(.*?) *$", text, re.MULTILINE)
    if found and found.group(1) not in values:
        raise SystemExit(f"check: {name}.sh: '# {key}:' wants {' or '.join(values)}")
    return found.group(1) if found else None


def read_seconds(path):
    """A table of lines "name seconds"; an absent one is empty."""
    if not path.exists():
        return {}
    lines = (line.split() for line in path.read_text().splitlines() if not line.startswith("#"))
    return {name: float(seconds) for name, seconds in lines}


def write_seconds(path, seconds):
    lines = [f"{name} {max(1, round(took))}\n" for name, took in sorted(seconds.items())]
    path.write_text(SECONDS_HEAD + "".join(lines))


def home(test):
    """The kernel that a file always runs on."""
    return DEBUG if test.debug_only else NEWEST


def measured(tests, entries):
    """{name: seconds} of the files that a run has measured; entries are "files" of its summary."""
    took = {(one["file"], one["kernel"]): one["seconds"] for one in entries
            if one["passed"] and not one["failed"]}  # fmt: skip
    return {test.name: took[test.name, home(test)] for test in tests
            if (test.name, home(test)) in took}  # fmt: skip


def as_measured(tests, entries):
    """The tests with the seconds that they took in that run."""
    took = measured(tests, entries)
    return [replace(test, seconds=took.get(test.name, test.seconds)) for test in tests]


def read_test(path, seconds):
    """A planned run of one file."""
    name, text = path.stem, path.read_text()
    kernels = said(name, text, "kernels", ["all", DEBUG])
    return Test(
        name=name,
        all_kernels=kernels == "all",
        debug_only=kernels == DEBUG,
        cpus=int(said(name, text, "cpus", ["1", "2", "4"]) or 1),
        icount=said(name, text, "clock", ["icount"]) is not None,
        seconds=seconds.get(name, UNKNOWN_SECONDS),
    )


def eighths(tests, usual):
    """Divides files into parts that take equally long: {name: number}. usual has seconds of files that
    are the same everywhere, so a commit gets the same eighth wherever it is checked."""
    cost = {test.name: usual.get(test.name, UNKNOWN_SECONDS) for test in tests}
    sums, parts = [0] * EIGHTHS, {}
    for name in sorted(cost, key=lambda name: (-cost[name], name)):
        parts[name] = sums.index(min(sums))
        sums[parts[name]] += cost[name]
    return parts


def matrix(tests, kernels, commit, everything, usual=MappingProxyType({})):
    """The runs for a change (commit: its hash, in hex): all of them, or what the module's docstring
    says."""
    newest = NEWEST if NEWEST in kernels else kernels[-1]
    rest = [test for test in tests if not test.all_kernels and not test.debug_only]
    parts = eighths(rest, usual)
    turn = int(commit[:8] or "0", 16) % EIGHTHS

    def older(kernel):
        return kernel != newest and not everything

    return [
        Run(kernel, test, 1 if test.all_kernels and older(kernel) else test.cpus)
        for kernel in kernels
        for test in tests
        if (kernel == DEBUG or not test.debug_only)
        and (everything or kernel == newest or test.all_kernels or parts.get(test.name) == turn)
    ]


def fast(tests, limit):
    """The quickest tests, as many as fit into the given seconds."""
    chosen, sum_of = [], 0
    for test in sorted(tests, key=lambda test: test.seconds):
        if test.debug_only:
            continue
        sum_of += test.seconds
        if sum_of > limit:
            break
        chosen.append(test)
    return chosen


def groups(runs):
    """Groups of runs that one machine can take: {(kernel, cpus, icount): tests, the longest first}."""
    found = {}
    for run in sorted(runs, key=lambda run: -run.test.seconds):
        kind = (run.kernel, run.cpus, run.test.icount and run.kernel != DEBUG)
        found.setdefault(kind, []).append(run.test)
    return found
