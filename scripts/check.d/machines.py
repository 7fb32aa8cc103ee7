# SPDX-License-Identifier: GPL-2.0-only
"""Starts virtual machines that take selftest files from queues, and shares a folder with each."""

import os
import re
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import tap

TOP = Path(__file__).resolve().parents[2]
# Exit status of scripts/vm: the command succeeded but the kernel complained; the time limit; a machine
# that failed or died.
COMPLAINED, LIMIT, DIED = 99, 124, 125
# Memory that a machine and its emulator need.
KIB_EACH = 3 << 20
MOST = 8
# If this many machines in a row take nothing, the queue is given up.
IDLE_MOST = 3


@dataclass
class Result:
    """The result of one file: how it ended (tap.py), seconds, the reason, and what it printed."""

    status: int
    seconds: float
    why: str
    text: str

    @property
    def good(self):
        return self.status in (tap.PASSED, tap.SKIPPED)

    @property
    def second_try(self):
        """Whether a second try is allowed: not after the kernel complained or died."""
        return self.status == tap.FAILED


@dataclass
class Group:
    """The queue of one kind of machine: todo, taken/MACHINE, log and result. The pool's lock protects
    what machines may change at the same time."""

    kernel: str
    cpus: int
    icount: bool
    folder: Path
    tests: dict
    alive: set = field(default_factory=set)
    idle: int = 0
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

    def taken(self, machine):
        """The files that a machine has taken."""
        folder = self.folder / "taken" / machine
        return [entry.name for entry in folder.iterdir()] if folder.exists() else []

    def wants_machine(self):
        """Whether there is more to do than the machines that are still starting will take."""
        starting = sum(not self.taken(machine) for machine in self.alive)
        return len(self.todo()) > starting

    def again(self, name):
        """Runs a file once more; the first output is kept. The machine that had taken the file no
        longer has it."""
        for entry in (self.folder / "taken").glob(f"*/{name}"):
            entry.unlink()
        (self.folder / "log" / name).rename(self.folder / "log" / f"{name}.first")
        (self.folder / "result" / name).unlink()
        self.collected.discard(name)
        (self.folder / "todo" / f"000-{name}").touch()

    def put_result(self, name, status, why, text=""):
        """Writes a result in place of a machine that could not."""
        (self.folder / "log" / name).write_text(text)
        (self.folder / "result" / f".{name}").write_text(f"{status} 0 {why}\n")
        (self.folder / "result" / f".{name}").rename(self.folder / "result" / name)

    def give_up(self, why):
        for entry in sorted((self.folder / "todo").iterdir()):
            entry.unlink()
            self.put_result(entry.name.split("-", 1)[1], tap.SPLAT, why)

    def has_result(self, name):
        return (self.folder / "result" / name).exists()

    def status_of(self, name):
        return self._result(name).status

    def _result(self, name):
        try:
            status, seconds, *why = (self.folder / "result" / name).read_text().split(maxsplit=2)
            text = (self.folder / "log" / name).read_text(errors="replace")
            return Result(int(status), float(seconds), " ".join(why).strip(), text)
        except (OSError, ValueError) as error:
            return Result(tap.FAILED, 0, f"its result cannot be read: {error}", "")

    def new_results(self):
        """Yields (name, Result) of files that ended since the last call."""
        for entry in sorted((self.folder / "result").iterdir()):
            if entry.name not in self.collected and not entry.name.startswith("."):
                self.collected.add(entry.name)
                yield entry.name, self._result(entry.name)


class Machine:
    """One run of scripts/vm, until the queue of its group is empty."""

    def __init__(self, group, number, settings):
        self.group = group
        self.name = str(number)
        self.folder = group.folder.parent / f"machine-{number}-{group.kernel}"
        slow = settings.slow(group.kernel)
        self.command = [
            # It ends its machine when this process dies.
            "setpriv", "--pdeathsig", "TERM",
            str(TOP / "scripts/vm"), "-k", group.kernel, "-c", str(group.cpus),
            "-t", str(max(1, int(settings.end - time.monotonic()))),
            "-q", str(slow * settings.quiet),
            "-o", str(self.folder), "-s", str(group.folder),
            *(["--icount"] if group.icount else []),
            "--", "env", f"SELFTESTS_SLOW={slow}", *settings.environment(group.kernel),
            str(TOP / "selftests/run"), "-q", str(group.folder), "-m", self.name,
        ]  # fmt: skip

    def run(self):
        """Blocks until the machine ends. Returns the status."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "output.log", "wb") as log:
            return subprocess.run(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False
            ).returncode

    def unfinished(self):
        """Files that it had taken and that have no result."""
        return [name for name in self.group.taken(self.name) if not self.group.has_result(name)]

    def output(self):
        path = self.folder / "output.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def output_of(self, name):
        """The output of the file that ran last. Its own log may not have reached the folder."""
        return self.output().rpartition(f"# selftests: {name}.sh\n")[2]

    def complained_elsewhere(self):
        """Whether the kernel complained outside of all its files."""
        group = self.group
        return not any(group.status_of(name) == tap.SPLAT for name in group.taken(self.name))


def how_many():
    """How many machines run at a time: one for each CPU, as memory allows."""
    cpus = len(os.sched_getaffinity(0))
    found = re.search(r"^MemAvailable: +(\d+)", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return max(1, min(cpus, MOST, int(found.group(1)) // KIB_EACH))


class Pool:
    """Threads, each of which runs one machine after another, for the group with the most to do and the
    fewest machines."""

    def __init__(self, groups, settings, machine=Machine):
        self.groups = groups
        self.settings = settings
        self.new_machine = machine
        self.lock = threading.Lock()
        self.threads = []
        self.started = 0
        self.trouble = []
        self.broken = False

    def _next(self):
        with self.lock:
            waiting = [group for group in self.groups if group.wants_machine()]
            if not waiting:
                return None
            # What takes several CPUs comes first: at the end it would leave CPUs idle.
            group = max(waiting, key=lambda group: (
                group.cpus if not group.alive else 0,
                group.seconds_left() / (1 + len(group.alive)),
            ))  # fmt: skip
            self.started += 1
            machine = self.new_machine(group, self.started, self.settings)
            group.alive.add(machine.name)
        return machine

    def _run(self, machine):
        status = DIED
        try:
            status = machine.run()
        finally:
            with self.lock:
                machine.group.alive.discard(machine.name)
                self._ended(machine, status)

    def _ended(self, machine, status):
        group, left = machine.group, machine.unfinished()
        verdict = tap.SPLAT if status in (LIMIT, DIED) else tap.FAILED
        for name in left:
            why = f"the machine ended there with status {status}, see {machine.folder}"
            group.put_result(name, verdict, why, machine.output_of(name))
        if status and not left and (status != COMPLAINED or machine.complained_elsewhere()):
            self.trouble.append(
                f"a machine ended with status {status}, logs in {machine.folder}:\n"
                + "\n".join(machine.output().splitlines()[-20:])
            )
        group.idle = 0 if group.taken(machine.name) else group.idle + 1
        over = time.monotonic() >= self.settings.end
        if over or (group.idle >= IDLE_MOST and not group.alive):
            group.give_up("there was no time left for it" if over else "no machine ran it")

    def again(self, group, name):
        with self.lock:
            group.again(name)

    def _work(self):
        try:
            while machine := self._next():
                self._run(machine)
        except Exception as error:  # whatever it is, the run has failed
            self.trouble.append(f"internal error: {error!r}")
            self.broken = True

    def _idle(self):
        with self.lock:
            return any(group.wants_machine() for group in self.groups)

    def keep_working(self, width):
        """Starts a thread if there is something to do. Returns False when all is done."""
        self.threads = [thread for thread in self.threads if thread.is_alive()]
        if not self.broken and self._idle() and len(self.threads) < width:
            thread = threading.Thread(target=self._work, daemon=True)
            thread.start()
            self.threads.append(thread)
        return bool(self.threads)
