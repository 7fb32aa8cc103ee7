# SPDX-License-Identifier: GPL-2.0-only
"""Runs the steps that need no virtual machine, one after another, beside the machines."""

import os
import re
import shutil
import subprocess
import threading
import time
import xml.etree.ElementTree
from pathlib import Path

import report
import tap

TOP = Path(__file__).resolve().parents[2]
# The machines have priority. Steps that only compute get what is left, a fifth of the CPUs; that is too
# little for tests that look at a clock.
COMPUTING = 19
TESTING = 5


def run(command, nice=COMPUTING, **how):
    return subprocess.run(["nice", "-n", str(nice), *command], check=False, **how)


def gtest_counts(written):
    """The cases of a program, from its own report."""
    counts = tap.Counts()
    for suite in xml.etree.ElementTree.parse(written).getroot().iter("testsuite"):
        total, failed, skipped, off = (
            int(suite.get(key, 0)) for key in ("tests", "failures", "skipped", "disabled")
        )
        counts.add(tap.Counts(total - failed - skipped - off, failed, skipped))
    return counts


def unit_counts(junit, cases):
    """What ctest ran. A GoogleTest program counts as the cases in its report, which lies in the folder
    cases; everything else counts as one."""
    counts = tap.Counts()
    for test in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        written = cases / f"{test.get('name')}.xml"
        failed = test.get("status") == "fail"
        skipped = test.find("skipped") is not None
        own = tap.Counts(int(not failed and not skipped), int(failed), int(skipped))
        if written.exists():
            own = gtest_counts(written)
            # A program may crash after its last case.
            own.failed = own.failed or int(failed)
        counts.add(own)
    return counts


class Step:
    """A step: its counts, how long it took, and its complaints."""

    name = ""
    log = ""

    def __init__(self):
        self.done = False
        self.counts = tap.Counts()
        self.seconds = 0
        self.text = ""

    def __call__(self):
        began = time.monotonic()
        try:
            self._run()
        except (OSError, ValueError, KeyError, xml.etree.ElementTree.ParseError) as error:
            self._failed(f"{self.name}: {error!r}")
        finally:
            self.seconds = time.monotonic() - began
            self.done = True

    def _failed(self, text):
        self.counts.failed = self.counts.failed or 1
        self.text = text

    def tell(self):
        counts = self.counts
        if self.text:
            report.say(self.text)
        report.say(
            f"== {self.name}: {counts.passed} passed, {counts.failed} failed, "
            f"{counts.skipped} skipped, {report.duration(self.seconds)}, log in {self.log}"
        )


class Unit(Step):
    """The host unit tests: built and run. Options are those of ctest."""

    name = "host unit tests"
    log = "build/unit.log"

    def __init__(self, *options):
        super().__init__()
        self.options = options

    def _run(self):
        built = run([TOP / "scripts/build-userspace", "--tests"], capture_output=True, text=True)
        if built.returncode:
            self._failed(built.stdout + built.stderr)
        else:
            self._ctest()

    def _ctest(self):
        junit, log = TOP / "build/unit.xml", TOP / self.log
        cases = TOP / "build/userspace/gtest"
        junit.unlink(missing_ok=True)
        shutil.rmtree(cases, ignore_errors=True)
        with open(log, "wb") as out:
            status = run(
                ["ctest", "--test-dir", TOP / "build/userspace", "--output-on-failure",
                 "--no-tests=error", "--timeout", "1800", "--output-junit", junit,
                 "-j", str(len(os.sched_getaffinity(0))), *self.options],
                nice=TESTING, stdout=out, stderr=out,
            ).returncode  # fmt: skip
        self.counts.add(unit_counts(junit, cases))
        if status:
            quiet = re.compile(r" Passed +[0-9.]+ sec$|^ +Start |^\[ +(RUN|OK) |^\[-+\]")
            lines = log.read_text(errors="replace").splitlines()
            # ctest counts a test whose program is missing as skipped.
            self._failed("\n".join(line for line in lines if not quiet.search(line)))


class Lint(Step):
    """scripts/lint: a test for each of its lines. With "--deep" also what takes minutes, with "--fast"
    without the module for other kernels than the newest."""

    name = "static checks"
    log = "build/lint.log"

    def __init__(self, *options):
        super().__init__()
        self.options = options

    def _run(self):
        text = run([TOP / "scripts/lint", *self.options],
                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        (TOP / self.log).write_text(text.stdout)
        lines = text.stdout.splitlines()
        passed = sum(line.endswith(": ok") for line in lines)
        failed = sum(line.endswith(": COMPLAINTS") for line in lines)
        skipped = sum(line.endswith(": not installed, left out") for line in lines)
        self.counts.add(tap.Counts(passed, failed, skipped))
        if text.returncode or not passed:
            self._failed(text.stdout)


class Fuzz(Step):
    """scripts/fuzz, as one test."""

    name = "fuzzing"
    log = "build/fuzz-run.log"

    def _run(self):
        for command in ([TOP / "scripts/setup", "fuzz"], [TOP / "scripts/fuzz"]):
            ended = run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            (TOP / self.log).write_text(ended.stdout)
            if ended.returncode:
                return self._failed(ended.stdout)
        self.counts.passed = 1


class Steps:
    """A thread that runs the steps in turn."""

    def __init__(self, steps):
        self.steps = steps
        self.untold = list(steps)
        self.thread = threading.Thread(target=self._work, daemon=True)

    def start(self):
        self.thread.start()

    def _work(self):
        for step in self.steps:
            step()

    def tell(self):
        """Reports steps that have ended since the last call. Returns False when all are reported."""
        while self.untold and self.untold[0].done:
            self.untold.pop(0).tell()
        alive = self.thread.is_alive()
        return bool(self.untold) and (alive or self.untold[0].done)

    def conclude(self, counts, phases):
        """Adds the counts of the steps, and how long each took."""
        for step in self.steps:
            counts.add(step.counts)
            # A step that its thread did not reach has not passed.
            counts.failed += not step.done
            phases[f"{step.name}, beside machines"] = step.seconds

    def failures(self):
        """A line for each failed step."""
        return [f"{step.name}, log in {step.log}"
                for step in self.steps if step.counts.failed or not step.done]  # fmt: skip
