# SPDX-License-Identifier: GPL-2.0-only
"""Runs all tests. scripts/check starts it."""

import argparse
import fcntl
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import host
import machines
import plan
import report
import tap

TOP = machines.TOP
SCRIPTS = TOP / "scripts"
OUT = TOP / "build/check"
SECONDS = TOP / "selftests/seconds"
# Minimum of seconds for all selftests (otherwise twice what they are expected to take); seconds that a
# machine may be silent; seconds for each further round of chaos.sh.
LIMIT, QUIET, ROUND = 1800, 480, 150
# Factor for everything on the debug kernel.
DEBUG_SLOW = 5
# Seconds of each fuzz_*.sh, and on the debug kernel with --full.
FUZZ, FUZZ_LONG = 20, 600
FAST_SECONDS = 120
# The seed of chaos.sh that a change is tested with: it once stopped the traffic of an older tree.
CHAOS_SEED = 3
# The same flags with which scripts/lint compiles the module, so that lint finds nothing left to
# compile.
STRICT = ("W=1", "KCFLAGS=-Werror")
# Files that may fail once if they then pass, in a whole run.
SECOND_TRIES = 1


class Broken(Exception):
    """Something is missing without which there is nothing to test."""


def number(name, default, least=0):
    """A number from the environment."""
    text = os.environ.get(name, "")
    if text and not (re.fullmatch(r"[0-9]{1,6}", text) and int(text) >= least):
        raise SystemExit(f"check: {name} wants a number from {least} to 999999, not '{text}'")
    return int(text or default)


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="scripts/check",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Host unit tests, and selftests in virtual machines. Ends with "
        '"N passed, N failed".',
        epilog="""\
Without options: all files on 6.12; on 6.1 those that touch interfaces of the kernel, and an
eighth of the others, another one with each commit. What is skipped there counts as failed.
build/check/ has summary.json, index.html and the logs of each file and machine.

In the environment: CHECK_RETRIES=N files may fail and pass in a second try (default 1, named at
the end; 0 with --full); CHECK_LIMIT=SECONDS for all selftests; CHECK_QUIET=SECONDS for a machine
to print nothing; CHECK_MACHINES=N at a time; CHAOS_SEED=N and CHAOS_ROUNDS=N for chaos.sh,
SOAK_MINUTES=N for soak.sh, which --full runs; FUZZ_SECONDS=N for each fuzz_*.sh (default 20; 600 on
the debug kernel with --full).

Examples: scripts/check --only selftests --kernel 6.12 spray netem
          scripts/check --only selftests selftests/congestion/*.sh""",
    )
    parser.add_argument("--only", choices=("unit", "selftests"), help="only this half of the tests")
    parser.add_argument(
        "--kernel", action="append", choices=("6.1", "6.12", "debug"),
        help="use this kernel; may be repeated; debug has every checker on (scripts/debug-kernel)",
    )  # fmt: skip
    parser.add_argument("--fast", action="store_true", help="the quickest files on 6.12 alone")
    parser.add_argument(
        "--full", action="store_true", help="everything on 6.1, 6.12 and debug, long tests too"
    )
    parser.add_argument("--nightly", action="store_true", help="ten rounds of random faults")
    parser.add_argument(
        "--times", action="store_true",
        help="run nothing; write selftests/seconds from the times of the last run",
    )  # fmt: skip
    parser.add_argument("tests", metavar="TEST", nargs="*", help="files of selftests (all)")
    options = parser.parse_args(arguments)
    if options.fast and (options.full or options.kernel):
        parser.error("--fast chooses for itself what runs where")
    if options.times and len(arguments) > 1:
        parser.error("--times runs nothing: it takes no other argument")
    return options


def kernel_folders(kernels):
    """{kernel: folder to build a module against}, fetched or built where they are missing."""
    folders = {}
    for kernel in kernels:
        command = [SCRIPTS / "debug-kernel"] if kernel == "debug" else [SCRIPTS / "kernels", kernel]
        line = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if line.returncode or not line.stdout.split():
            raise Broken(f"kernel {kernel} is missing")
        folders[kernel] = line.stdout.split()[-1]
    return folders


def build_modules(kernels):
    for kernel, folder in kernel_folders(kernels).items():
        command = [SCRIPTS / "build-module", kernel, folder, *STRICT]
        if subprocess.run(command, check=False).returncode:
            raise Broken(f"the module does not build for {kernel}")


def commit():
    """The hash of the commit that is checked, or nothing outside a repository."""
    found = subprocess.run(
        ["git", "-C", TOP, "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() if found.returncode == 0 else ""


def listed(option):
    """{name: path} of the files that selftests/run lists: -l the default ones, -L all files."""
    answer = subprocess.run(
        [TOP / "selftests/run", option], stdout=subprocess.PIPE, text=True, check=False
    )
    if answer.returncode:
        raise Broken("what selftests there are is not known")
    return {Path(line).stem: TOP / "selftests" / line for line in answer.stdout.split()}


def chosen_files(options):
    """The paths of the named files, or of all files."""
    if not options.tests:
        return list(listed("-L" if options.full else "-l").values())
    files = listed("-L")
    names = [Path(name).stem for name in options.tests]
    for name in names:
        if name not in files:
            raise SystemExit(f"check: no test '{name}'")
    return [files[name] for name in names]


def chosen_runs(options, last):
    """The selftest files, and where they run."""
    usual = plan.read_seconds(SECONDS)
    tests = [plan.read_test(path, usual) for path in chosen_files(options)]
    tests = plan.as_measured(tests, last.get("files", []))
    if options.fast:
        return plan.matrix(plan.fast(tests, FAST_SECONDS), [plan.NEWEST], "", True)
    kernels = options.kernel or ["6.1", "6.12"] + (["debug"] if options.full else [])
    everything = bool(options.full or options.kernel or options.tests)
    return plan.matrix(tests, kernels, commit(), everything, usual)


def write_times(last, path=SECONDS):
    """Rewrites the table of seconds from the last run: files that it did not measure stay, files that
    are gone go."""
    usual = plan.read_seconds(path)
    tests = [plan.read_test(file, usual) for file in listed("-L").values()]
    took = plan.measured(tests, last.get("files", []))
    if not took:
        raise SystemExit("check: --times needs an earlier run: build/check has no results")
    known = usual | took
    plan.write_seconds(path, {one.name: known[one.name] for one in tests if one.name in known})
    report.say(f"{path.name}: {len(took)} of {len(tests)} files were measured")
    return 0


def settings_of(runs, options, width):
    """What all machines share, and their time limits."""
    rounds = number("CHAOS_ROUNDS", 10 if options.nightly else 1, 1)
    seed = number("CHAOS_SEED", random.randrange(10**6) if options.nightly else CHAOS_SEED)
    soak = number("SOAK_MINUTES", 20, 1)
    fuzz = number("FUZZ_SECONDS", FUZZ, 1)
    fuzz_debug = number("FUZZ_SECONDS", FUZZ_LONG if options.full else FUZZ, 1)
    debug = any(run.kernel == "debug" for run in runs)
    limit = max(LIMIT * (DEBUG_SLOW if debug else 1), 3 * expected(runs, width))
    limit = number("CHECK_LIMIT", int(limit), 1) + (rounds - 1) * ROUND
    return SimpleNamespace(
        limit=limit,
        quiet=number("CHECK_QUIET", QUIET, 1),
        poll=1,
        slow=lambda kernel: DEBUG_SLOW if kernel == "debug" else 1,
        environment=lambda kernel: [
            f"CHAOS_ROUNDS={rounds}", f"CHAOS_SEED={seed}", f"SOAK_MINUTES={soak}",
            f"FUZZ_SECONDS={fuzz_debug if kernel == 'debug' else fuzz}",
        ],  # fmt: skip
    )


class Selftests:
    """One run of the machines, from the queues' folders to the counts."""

    def __init__(self, runs, settings, tries, out=OUT):
        self.runs = runs
        self.settings = settings
        self.tries = tries
        self.again = {}
        self.files = []
        self.groups = [
            machines.Group(
                kernel, cpus, icount, out / f"{kernel}-{cpus}cpu{'-icount' if icount else ''}",
                {one.name: one for one in tests},
            )
            for (kernel, cpus, icount), tests in plan.groups(runs).items()
        ]  # fmt: skip

    def _ended(self, pool, group, name, result):
        key = (group.kernel, name)
        if result.second_try and self.tries and key not in self.again:
            self.tries -= 1
            self.again[key] = tap.complaints(result.text) + [f"# {result.why}"]
            report.say(f"== {name} on {group.kernel} failed, once more: {result.why}")
            pool.again(group, name)
            return
        counts = tap.count(result.text, result.status)
        entry = {
            "file": name, "kernel": group.kernel, "seconds": result.seconds,
            "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped,
            "again": key in self.again, "why": result.why,
            "what": tap.failed_names(result.text),
        }  # fmt: skip
        self.files.append(entry)
        report.progress(len(self.files), len(self.runs), entry)
        if counts.failed:
            report.say("\n".join(tap.complaints(result.text)))
            report.say(f"# {result.why or 'see above'}; log: {group.folder}/log/{name}")

    def run(self, steps, width, machine=machines.Machine):
        """Runs all machines, and the host's steps beside them. Returns failures that belong to no
        file."""
        for group in self.groups:
            group.fill()
        pool = machines.Pool(self.groups, self.settings, machine)
        steps.start()
        while True:
            working = pool.keep_working(width)
            for group in self.groups:
                for name, result in group.new_results():
                    self._ended(pool, group, name, result)
            busy = steps.tell()
            over = pool.broken or not any(group.todo() for group in self.groups)
            if not working and over and not busy:
                return self._trouble(pool)
            time.sleep(self.settings.poll)

    def _trouble(self, pool):
        """Machines that failed without a file to blame, and files without a result: each is a
        failure."""
        known = {(one["kernel"], one["file"]) for one in self.files}
        missing = [run for run in self.runs if (run.kernel, run.test.name) not in known]
        for text in pool.trouble:
            report.warn(text)
        for run in missing:
            report.warn(f"{run.test.name} has no result on {run.kernel}")
        return len(pool.trouble) + len(missing)

    def tell_second_tries(self):
        for (kernel, name), lines in self.again.items():
            ended = [one for one in self.files if (one["kernel"], one["file"]) == (kernel, name)]
            good = ended and not ended[0]["failed"]
            report.say("\n".join(lines))
            report.say(
                f"flaky on {kernel}: {name} failed with the above, and passed then"
                if good else f"{name} on {kernel} failed twice, first with the above"
            )  # fmt: skip

    def failures(self):
        """A line for each file that failed, with its failed tests."""
        return [
            f"{one['file']} on {one['kernel']}: {', '.join(one['what']) or one['why'] or 'see its log'}"
            for one in self.files if one["failed"]
        ]  # fmt: skip


def host_steps(options):
    """The steps that run beside the machines."""
    if options.only:
        return [host.Unit()] if options.only == "unit" else []
    if options.full:
        return [host.Unit(), host.Lint("--deep"), host.Fuzz()]
    if options.fast:
        return [host.Unit("-LE", "slow"), host.Lint("--fast")]
    return [host.Unit(), host.Lint()]


def expected(runs, width):
    """Seconds that the selftests will take, as far as they were measured."""
    return sum(run.cost for run in runs) / width


def set_up(options):
    """Gets the packages."""
    purposes = ["build", "vm", "test"] + ([] if options.only else ["lint"])
    purposes += ["tidy"] if options.full else []
    if subprocess.run([SCRIPTS / "setup", *purposes], check=False).returncode:
        raise Broken("packages are missing")
    if "MRC_TOOLS" not in os.environ and (TOP / "build/tools/root").exists():
        # Programs and libraries are there now that were missing at the start.
        os.execv(SCRIPTS / "check", [SCRIPTS / "check", *sys.argv[1:]])
    if subprocess.run([SCRIPTS / "setup", "page"], check=False).returncode:
        report.warn("no browser, so mrcd's status page is not tested")


def at_once(*works):
    """Runs functions beside each other, to their ends. Raises what one of them raised."""
    with ThreadPoolExecutor(len(works)) as pool:
        for ended in [pool.submit(work) for work in works]:
            ended.result()


def build_programs():
    """Builds what both halves need."""
    if subprocess.run([SCRIPTS / "build-userspace"], check=False).returncode:
        raise Broken("the programs do not build")


def fetch_and_build(runs):
    """Kernels, modules, and what else machines want: mostly the work of the network and of one CPU."""
    # Without them a machine takes the installed emulator, and of the files ynl and programs fail.
    subprocess.run([SCRIPTS / "emulator"], stdout=subprocess.DEVNULL, check=False)
    build_modules(sorted({run.kernel for run in runs}))
    # The machines have no network.
    for name in {"ynl", "programs"} & {run.test.name for run in runs}:
        subprocess.run([SCRIPTS / name], stdout=subprocess.DEVNULL, check=False)


def build(runs, width):
    """The folder for all that follows, with programs and modules. Prints the plan."""
    if not runs:
        return build_programs()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True, exist_ok=True)
    at_once(build_programs, lambda: fetch_and_build(runs))
    report.say(
        f"== {len(runs)} files of selftests, {width} machines at a time: "
        f"about {report.duration(expected(runs, width))}"
    )


def is_whole(options):
    """True for the run that decides about a change, on a machine that has all that it needs."""
    return not (options.tests or options.only or options.fast or options.full or options.kernel)


def refuse_skips(counts):
    """Counts skipped tests as failed, because a test that does not run proves nothing."""
    if counts.skipped:
        report.warn(f"{counts.skipped} skipped, but no test may be skipped")
    counts.failed += counts.skipped
    counts.skipped = 0


def conclude(selftests, steps, failures, last, phases, whole=False):
    """Counts, writes and prints the results. Returns the exit status."""
    counts = tap.Counts(failed=failures)
    for one in selftests.files:
        counts.add(tap.Counts(one["passed"], one["failed"], one["skipped"]))
    steps.conclude(counts, phases)
    if whole:
        refuse_skips(counts)
    summary = {
        "commit": commit(), "seconds": phases["all"], "phases": phases, "files": selftests.files,
        "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped,
    }  # fmt: skip
    for name, was, now in report.slower_files(last, summary):
        report.say(f"== slower than the last run: {name}, {was:.0f} s then, {now:.0f} s now")
    if selftests.files:
        report.write(OUT, summary)
    selftests.tell_second_tries()
    # The output ends with the failures, because each was reported far above.
    for name in selftests.failures() + steps.failures():
        report.say(f"failed: {name}")
    if counts.skipped:
        report.say(f"{counts.skipped} skipped")
    where = ", see build/check/index.html" if selftests.files else ""
    report.say(f"took {report.duration(phases['all'])}{where}")
    report.say(f"{counts.passed} passed, {counts.failed} failed")
    return 1 if counts.failed else 0


def check(options):
    began = time.monotonic()
    last = report.read(OUT)
    runs = [] if options.only == "unit" else chosen_runs(options, last)
    if not runs and options.only != "unit":
        raise Broken("none of these files of selftests runs on these kernels")
    width = number("CHECK_MACHINES", machines.how_many(), 1)
    tries = number("CHECK_RETRIES", 0 if options.full else SECOND_TRIES)
    settings = settings_of(runs, options, width)
    set_up(options)
    build(runs, width)
    ready = time.monotonic() - began
    steps = host.Steps(host_steps(options))
    settings.end = time.monotonic() + settings.limit
    selftests = Selftests(runs, settings, tries)
    failures = selftests.run(steps, width)
    seconds = time.monotonic() - began
    phases = {"all": seconds, "until the first machine": ready}
    return conclude(selftests, steps, failures, last, phases, is_whole(options))


def main():
    options = parse(sys.argv[1:])
    (TOP / "build").mkdir(exist_ok=True)
    with open(TOP / "build/.lock-check", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit("check: another check is running in this tree") from None
        try:
            return write_times(report.read(OUT)) if options.times else check(options)
        except (Broken, OSError) as error:
            report.warn(error)
            report.say("0 passed, 1 failed")
            return 1


if __name__ == "__main__":
    sys.exit(main())
