# SPDX-License-Identifier: GPL-2.0-only
"""All tests: what scripts/check runs once everything is built that this needs."""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import machines
import plan
import report
import tap

TOP = machines.TOP
SCRIPTS = TOP / "scripts"
OUT = TOP / "build/check"
# Seconds for all selftests, for a machine to say nothing, and for each further round of chaos.sh.
LIMIT, QUIET, ROUND = 4800, 480, 150
# Times that everything may take longer on the debug kernel.
DEBUG_SLOW = 5
FAST_SECONDS = 240
# A change is held against a seed of chaos.sh that took the traffic of an older tree away.
CHAOS_SEED = 3
# Files that may fail once and pass then, in a whole run.
SECOND_TRIES = 1


def number(name, default):
    """A number from the environment."""
    text = os.environ.get(name, "")
    if text and not text.isdigit():
        raise SystemExit(f"check: {name} wants a number, not '{text}'")
    return int(text or default)


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="scripts/check",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Host unit tests, and selftests in virtual machines. Ends with "
        '"N passed, N failed".',
        epilog="""\
Without options: all files on 6.12; on 6.1 those that touch interfaces of the kernel, and an
eighth of the others, another one with each commit. build/check/ has summary.json, index.html
and the logs of each file and machine.

In the environment: CHECK_RETRIES=N files may fail and pass in a second try (default 1, named at
the end; 0 with --full); CHECK_LIMIT=SECONDS for all selftests; CHECK_QUIET=SECONDS for a machine
to print nothing; CHECK_MACHINES=N at a time; CHAOS_SEED=N and CHAOS_ROUNDS=N for chaos.sh.

Example: scripts/check --only selftests --kernel 6.12 spray netem""",
    )
    parser.add_argument("--only", choices=("unit", "selftests"), help="half of it")
    parser.add_argument(
        "--kernel", action="append", choices=("6.1", "6.12", "debug"),
        help="on this kernel, may be repeated; debug has every checker on (scripts/debug-kernel)",
    )  # fmt: skip
    parser.add_argument("--fast", action="store_true", help="the quickest files on 6.12 alone")
    parser.add_argument("--full", action="store_true", help="everything on 6.1, 6.12 and debug")
    parser.add_argument("--nightly", action="store_true", help="ten rounds of random faults")
    parser.add_argument("tests", metavar="TEST", nargs="*", help="files of selftests (all)")
    return parser.parse_args(arguments)


@dataclass
class Unit:
    """The host unit tests: built and run as one job beside the machines."""

    done: bool = False
    counts: tap.Counts = None
    seconds: float = 0
    text: str = ""

    def __call__(self):
        began = time.monotonic()
        self.counts = tap.Counts()
        built = subprocess.run(
            [SCRIPTS / "build-userspace", "--tests"], capture_output=True, text=True, check=False
        )
        if built.returncode:
            self.counts.failed += 1
            self.text = built.stdout + built.stderr
        else:
            self._run()
        self.seconds = time.monotonic() - began
        self.done = True

    def _run(self):
        junit, log = TOP / "build/unit.xml", TOP / "build/unit.log"
        junit.unlink(missing_ok=True)
        with open(log, "wb") as out:
            subprocess.run(
                ["ctest", "--test-dir", TOP / "build/userspace", "--output-on-failure",
                 "--no-tests=error", "--timeout", "600", "--output-junit", junit],
                stdout=out, stderr=out, check=False,
            )  # fmt: skip
        text = log.read_text(errors="replace")
        found = dict(re.findall(r'\b(tests|failures|skipped|disabled)="(\d+)"',
                                junit.read_text() if junit.exists() else ""))  # fmt: skip
        if not found:
            self.counts.failed += 1
            self.text = "\n".join(text.splitlines()[-30:])
            return
        total, failed, skipped, off = (
            int(found[key]) for key in ("tests", "failures", "skipped", "disabled")
        )
        self.counts.add(tap.Counts(total - failed - skipped - off, failed, skipped))
        if failed:
            quiet = re.compile(r" Passed +[0-9.]+ sec$|^ +Start ")
            self.text = "\n".join(line for line in text.splitlines() if not quiet.search(line))

    def tell(self):
        counts = self.counts
        if self.text:
            report.say(self.text)
        report.say(
            f"== host unit tests: {counts.passed} passed, {counts.failed} failed, "
            f"{counts.skipped} skipped, {report.duration(self.seconds)}, log in build/unit.log"
        )


def kernel_folders(kernels):
    """{kernel: folder to build a module against}, fetched or built where they are missing."""
    folders = {}
    for kernel in kernels:
        command = [SCRIPTS / "debug-kernel"] if kernel == "debug" else [SCRIPTS / "kernels", kernel]
        line = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if line.returncode or not line.stdout.split():
            raise SystemExit(f"check: kernel {kernel} is missing")
        folders[kernel] = line.stdout.split()[-1]
    return folders


def build_modules(kernels):
    for kernel, folder in kernel_folders(kernels).items():
        if subprocess.run([SCRIPTS / "build-module", kernel, folder], check=False).returncode:
            raise SystemExit(f"check: the module does not build for {kernel}")


def commit():
    """The hash of what is checked, or nothing outside a repository."""
    found = subprocess.run(
        ["git", "-C", TOP, "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() if found.returncode == 0 else ""


def chosen_runs(options, last):
    """The files of selftests, and where they run."""
    names = [Path(name).name.removesuffix(".sh") for name in options.tests]
    if not names:
        listed = subprocess.run(
            [TOP / "selftests/run", "-l"], stdout=subprocess.PIPE, text=True, check=True
        )
        names = listed.stdout.split()
    seconds = plan.read_seconds(TOP / "selftests/seconds")
    seconds.update({one["file"]: one["seconds"] for one in last.get("files", [])
                    if one["kernel"] == plan.NEWEST and not one["failed"]})  # fmt: skip
    tests = [plan.read_test(TOP / "selftests", name, seconds) for name in names]
    if options.fast:
        return plan.matrix(plan.fast(tests, FAST_SECONDS), [plan.NEWEST], "", True)
    kernels = options.kernel or ["6.1", "6.12"] + (["debug"] if options.full else [])
    everything = bool(options.full or options.kernel or options.tests)
    return plan.matrix(tests, kernels, commit(), everything)


class Selftests:
    """One run of them, from the queues' folders to the counts."""

    def __init__(self, runs, options, unit):
        debug = any(run.kernel == "debug" for run in runs)
        rounds = number("CHAOS_ROUNDS", 10 if options.nightly else 1)
        seed = number("CHAOS_SEED", random.getrandbits(30) if options.nightly else CHAOS_SEED)
        slow = DEBUG_SLOW if debug else 1
        self.limit = slow * (number("CHECK_LIMIT", LIMIT) + (rounds - 1) * ROUND)
        self.settings = SimpleNamespace(
            end=time.monotonic() + self.limit,
            quiet=slow * number("CHECK_QUIET", QUIET),
            environment=[f"SELFTESTS_SLOW={slow}", f"CHAOS_ROUNDS={rounds}", f"CHAOS_SEED={seed}"],
        )
        self.tries = number("CHECK_RETRIES", 0 if options.full else SECOND_TRIES)
        self.again = {}
        self.files = []
        self.unit = unit
        self.groups = [
            machines.Group(
                kernel, cpus, icount, OUT / f"{kernel}-{cpus}cpu{'-icount' if icount else ''}",
                {one.name: one for one in tests},
            )
            for (kernel, cpus, icount), tests in plan.groups(runs).items()
        ]  # fmt: skip
        self.total = len(runs)
        self.width = number("CHECK_MACHINES", machines.how_many())

    def _ended(self, group, name, result):
        key = (group.kernel, name)
        # A splat has no second try.
        if not result.good and result.status != 3 and self.tries and key not in self.again:
            self.tries -= 1
            self.again[key] = tap.complaints(result.text) or [result.why]
            report.say(f"== {name} on {group.kernel} failed, once more: {result.why}")
            group.again(name)
            return
        counts = tap.count(result.text, result.good)
        entry = {
            "file": name, "kernel": group.kernel, "seconds": result.seconds,
            "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped,
            "again": key in self.again, "why": result.why,
        }  # fmt: skip
        self.files.append(entry)
        report.progress(len(self.files), self.total, entry)
        if not result.good:
            report.say("\n".join(tap.complaints(result.text)))
            report.say(f"# {result.why or 'see above'}; log: {group.folder}/log/{name}")

    def run(self):
        for group in self.groups:
            group.fill()
        pool = machines.Pool(self.groups, self.settings, [self.unit] if self.unit else [])
        told = self.unit is None
        while True:
            working = pool.keep_working(self.width)
            for group in self.groups:
                for name, result in group.new_results():
                    self._ended(group, name, result)
            if not told and self.unit.done:
                told = True
                self.unit.tell()
            if not working and not any(group.todo() for group in self.groups):
                return self._trouble(pool)
            time.sleep(1)

    def _trouble(self, pool):
        """Machines that failed and no file is to blame: each is a failure."""
        splat = any(one["why"].find("splat") >= 0 for one in self.files)
        failures = 0
        for machine, status in pool.trouble:
            if status == 99 and splat:
                continue
            failures += 1
            report.warn(f"a machine ended with status {status}, logs in {machine.folder}")
            report.say("\n".join(machine.last_words()))
        return failures


def expected(runs, width):
    """Seconds that the selftests will take, as far as they were measured."""
    return sum(run.test.seconds * max(1, run.test.cpus) for run in runs) / width


def main():
    options = parse(sys.argv[1:])
    began = time.monotonic()
    last = report.read(OUT)
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    runs = [] if options.only == "unit" else chosen_runs(options, last)
    phases = {}
    if runs:
        build_modules(sorted({run.kernel for run in runs}))
        phases["modules"] = time.monotonic() - began
    selftests = Selftests(runs, options, None if options.only == "selftests" else Unit())
    if runs:
        report.say(
            f"== {len(runs)} files of selftests, {selftests.width} machines at a time: "
            f"about {report.duration(expected(runs, selftests.width))}"
        )
    failures = selftests.run()
    counts = tap.Counts(failed=failures)
    for one in selftests.files:
        counts.add(tap.Counts(one["passed"], one["failed"], one["skipped"]))
    if selftests.unit:
        counts.add(selftests.unit.counts)
        phases["unit tests, beside machines"] = selftests.unit.seconds
    phases["all"] = time.monotonic() - began
    summary = {
        "commit": commit(), "seconds": phases["all"], "phases": phases, "files": selftests.files,
        "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped,
    }  # fmt: skip
    for name, was, now in report.slower_files(last, summary):
        report.say(f"== slower than the last run: {name}, {was:.0f} s then, {now:.0f} s now")
    report.write(OUT, summary)
    for (kernel, name), lines in selftests.again.items():
        report.say("\n".join(lines))
        report.say(f"flaky on {kernel}: {name} failed with the above, and was run once more")
    if counts.skipped:
        report.say(f"{counts.skipped} skipped")
    report.say(f"took {report.duration(phases['all'])}, see build/check/index.html")
    report.say(f"{counts.passed} passed, {counts.failed} failed")
    return 1 if counts.failed else 0


sys.exit(main())
