# SPDX-License-Identifier: GPL-2.0-only
"""Virtual machines that take files of selftests from queues, each a folder that they share."""

import os
import re
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
# What the kernel says of a machine that had no time, and of nothing else.
STARVED = re.compile(r"Call Trace|soft lockup|blocked for more than|rcu.*(stall|kthread starved)")
# "scripts/vm": the time limit, and a machine that failed or died.
LIMIT, DIED = 124, 125
# Of a machine: its memory and what the emulator needs.
MIB_EACH = 3072


@dataclass
class Result:
    """What became of one file: status of kselftest (3: the kernel complained), seconds, why."""

    status: int
    seconds: float
    why: str
    text: str

    @property
    def good(self):
        return self.status in (0, 4)


@dataclass
class Group:
    """The queue of one kind of machine: todo, taken/MACHINE, log and result."""

    kernel: str
    cpus: int
    icount: bool
    folder: Path
    tests: dict
    machines: int = 0
    collected: set = field(default_factory=set)

    def fill(self):
        for part in ("todo", "taken", "log", "result"):
            (self.folder / part).mkdir(parents=True)
        for number, name in enumerate(self.tests, 1):
            (self.folder / "todo" / f"{number:03d}-{name}").touch()

    def todo(self):
        return [entry.name.split("-", 1)[1] for entry in sorted((self.folder / "todo").iterdir())]

    def seconds_left(self):
        return sum(self.tests[name].seconds for name in self.todo())

    def again(self, name):
        """Once more; what it said the first time is kept."""
        (self.folder / "log" / name).rename(self.folder / "log" / f"{name}.first")
        (self.folder / "result" / name).unlink()
        self.collected.discard(name)
        (self.folder / "todo" / f"000-{name}").touch()

    def put_result(self, name, status, why):
        """For a machine that could not."""
        (self.folder / "log" / name).touch()
        (self.folder / "result" / name).write_text(f"{status} 0 {why}\n")

    def new_results(self):
        """Yields (name, Result) of those that ended since the last call."""
        for entry in sorted((self.folder / "result").iterdir()):
            if entry.name in self.collected or entry.name.startswith("."):
                continue
            self.collected.add(entry.name)
            status, seconds, *why = entry.read_text().split(maxsplit=2)
            text = (self.folder / "log" / entry.name).read_text(errors="replace")
            yield entry.name, Result(int(status), float(seconds), " ".join(why).strip(), text)


def emulator_failed(status, folder):
    """The machine stood still or died, and all that the kernel said, stacks of all tasks and
    CPUs among it, is that it had no time, and has none of our code: the emulator's fault, or its
    host's."""
    console = folder / "console.log"
    if status not in (LIMIT, DIED) or not console.exists():
        return False
    text = console.read_text(errors="replace")
    said = text.split("not syncing: NMI")[0]
    splats = [
        re.compile(line)
        for line in (TOP / "selftests/splats").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    bad = [line for line in said.splitlines() if any(one.search(line) for one in splats)]
    return "[mrc]" not in text and all(STARVED.search(line) for line in bad)


class Machine:
    """One run of scripts/vm, until the queue of its group is empty."""

    def __init__(self, group, number, seconds, quiet, environment):
        self.group = group
        self.name = str(number)
        self.folder = group.folder.parent / f"machine-{number}-{group.kernel}"
        self.command = [
            str(TOP / "scripts/vm"), "-k", group.kernel, "-c", str(group.cpus),
            "-t", str(max(1, int(seconds))), "-q", str(quiet),
            "-o", str(self.folder), "-s", str(group.folder),
            *(["--icount"] if group.icount else []),
            "--", "env", *environment,
            str(TOP / "selftests/run"), "-q", str(group.folder), "-m", self.name,
        ]  # fmt: skip

    def run(self):
        """Blocks until it ends. Returns the status."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "output.log", "wb") as log:
            return subprocess.run(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False
            ).returncode

    def unfinished(self):
        """What it had taken and has no result."""
        taken = self.group.folder / "taken" / self.name
        names = (entry.name for entry in taken.iterdir()) if taken.exists() else ()
        return [name for name in names if not (self.group.folder / "result" / name).exists()]

    def last_words(self):
        return (self.folder / "output.log").read_text(errors="replace").splitlines()[-20:]


def how_many():
    """Machines at a time: one for each CPU, as memory allows."""
    pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(os.cpu_count() or 1, 8, pages // (MIB_EACH << 20)))


class Pool:
    """Threads, each of which does a job after another: the first ones that it is given, then
    machines for the group that has most to do and fewest machines."""

    def __init__(self, groups, settings, first_jobs=()):
        self.groups = groups
        self.settings = settings
        self.first_jobs = list(first_jobs)
        self.lock = threading.Lock()
        self.threads = []
        self.started = 0
        self.trouble = []

    def _next(self):
        with self.lock:
            if self.first_jobs:
                return self.first_jobs.pop(0)
            waiting = [group for group in self.groups if group.todo()]
            if not waiting:
                return None
            # What takes several CPUs comes first: at the end it would keep one of them idle.
            group = max(waiting, key=lambda group: (
                group.cpus if not group.machines else 0,
                group.seconds_left() / (1 + group.machines),
            ))  # fmt: skip
            group.machines += 1
            self.started += 1
            number = self.started
        return lambda: self._machine(group, number)

    def _machine(self, group, number):
        settings = self.settings
        machine = Machine(
            group, number, settings.end - time.monotonic(), settings.quiet, settings.environment
        )
        status = machine.run()
        with self.lock:
            group.machines -= 1
            left = machine.unfinished()
            emulator = emulator_failed(status, machine.folder)
            for name in left:
                why = f"the machine ended there with status {status}, see {machine.folder}"
                group.put_result(name, 5 if emulator else 1, why)
            # A machine that dies before it takes anything would do so for ever.
            if not left and status != 0:
                self.trouble.append((machine, status))
            if not left and status in (LIMIT, DIED):
                for entry in sorted((group.folder / "todo").iterdir()):
                    entry.unlink()
                    group.put_result(entry.name.split("-", 1)[1], 1, "no machine ran it")

    def _work(self):
        while job := self._next():
            job()

    def keep_working(self, width):
        """Start threads as long as there is something to do. Returns False when all is done."""
        self.threads = [thread for thread in self.threads if thread.is_alive()]
        with self.lock:
            idle = self.first_jobs or any(group.todo() for group in self.groups)
        while idle and len(self.threads) < width:
            thread = threading.Thread(target=self._work, daemon=True)
            thread.start()
            self.threads.append(thread)
        return bool(self.threads)
