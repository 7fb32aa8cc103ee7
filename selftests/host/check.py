# SPDX-License-Identifier: GPL-2.0-only
"""Tests what scripts/check plans, counts and prints, without a machine. Usage: check.py TOP"""

import contextlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path
from types import SimpleNamespace

TOP = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(TOP / "scripts/check.d"))

import host  # noqa: E402
import machines  # noqa: E402
import main  # noqa: E402
import plan  # noqa: E402
import report  # noqa: E402
import tap  # noqa: E402


def a_test(name, seconds=60.0, cpus=1, all_kernels=False, icount=False, debug_only=False):
    return plan.Test(
        name=name, all_kernels=all_kernels, debug_only=debug_only, cpus=cpus, icount=icount,
        seconds=seconds,
    )  # fmt: skip


def an_entry(name, seconds, failed=0, again=False):
    return {"file": name, "kernel": "6.12", "seconds": seconds, "passed": 3, "failed": failed,
            "skipped": 0, "again": again, "why": ""}  # fmt: skip


class Plan(unittest.TestCase):
    def test_comments_of_a_file(self):
        def read(name, text, seconds):
            path = Path(folder, f"{name}.sh")
            path.write_text(text)
            return plan.read_test(path, seconds)

        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(
                read("one", "#!/bin/bash\n#\n# kernels: all\n# cpus: 2\n", {"one": 7.0}),
                a_test("one", 7.0, 2, True),
            )
            self.assertEqual(read("two", "# About kernels: all of them.\n", {}), a_test("two"))
            self.assertEqual(read("time", "# clock: icount\n", {}), a_test("time", icount=True))
            self.assertEqual(read("deep", "# kernels: debug\n", {}), a_test("deep", debug_only=True))
            for line in ("cpus: two", "kernels: 6.1", "clock:"):
                with self.assertRaisesRegex(SystemExit, "bad.sh: '# "):
                    read("bad", f"# {line}\n", {})

    def test_real_files(self):
        tests = [plan.read_test(path, {}) for path in main.listed("-L").values()]
        self.assertGreaterEqual(sum(test.all_kernels for test in tests), 16)
        self.assertTrue(any(test.cpus > 1 for test in tests))

    def test_which_files(self):
        def chosen(*arguments):
            return [path.stem for path in main.chosen_files(main.parse(arguments))]

        self.assertEqual(chosen("spray", "mrcd.sh", "selftests/wire/icrc.sh"), ["spray", "mrcd", "icrc"])
        self.assertEqual(set(chosen("--full")) - set(chosen()), {"soak"})
        with self.assertRaisesRegex(SystemExit, "no test 'three'"):
            chosen("spray", "three")

    def test_names_of_files(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shutil.copy(TOP / "selftests/run", folder)
            for path in ("wire/one.sh", "lib/one.sh", "host/one.sh"):
                (folder / path).parent.mkdir()
                (folder / path).touch()

            def listed():
                return subprocess.run(
                    [folder / "run", "-L"], capture_output=True, text=True, check=False
                )

            self.assertEqual(listed().stdout, "wire/one.sh\n")
            (folder / "api").mkdir()
            (folder / "api/one.sh").touch()
            self.assertEqual(listed().stdout, "")
            self.assertIn("api/one.sh and wire/one.sh have one name", listed().stderr)

    def test_measured(self):
        tests = [a_test("new", 60), a_test("bad", 7), a_test("deep", 8, debug_only=True)]
        entries = [
            an_entry("new", 5), an_entry("new", 40) | {"kernel": "debug"}, an_entry("gone", 1),
            an_entry("bad", 90, failed=1), an_entry("deep", 70) | {"kernel": "debug"},
        ]  # fmt: skip
        self.assertEqual(plan.measured(tests, entries), {"new": 5, "deep": 70})
        self.assertEqual([one.seconds for one in plan.as_measured(tests, entries)], [5, 7, 70])
        entries[0]["passed"] = 0
        self.assertEqual(plan.measured(tests[:2], entries), {}, "what was skipped took no time")

    def test_times_are_written(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = Path(folder, "seconds")
            plan.write_seconds(path, {"spray": 4, "netem": 11, "gone": 12})
            with self.assertRaisesRegex(SystemExit, "needs an earlier run"):
                main.write_times({}, path)
            main.write_times({"files": [an_entry("spray", 0.2), an_entry("verbs", 27.4)]}, path)
            self.assertEqual(plan.read_seconds(path), {"netem": 11, "spray": 1, "verbs": 27})

    def test_real_times(self):
        self.assertGreater(len(plan.read_seconds(main.SECONDS)), 50)

    def test_newest_kernel_runs_all(self):
        tests = [a_test(f"t{n}") for n in range(80)] + [a_test("both", all_kernels=True)]
        runs = plan.matrix(tests, ["6.1", "6.12"], "12345678", False)
        newest = [run.test for run in runs if run.kernel == "6.12"]
        older = [run.test for run in runs if run.kernel == "6.1"]
        self.assertEqual(newest, tests)
        self.assertIn(tests[-1], older)
        self.assertTrue(1 < len(older) < 40)
        self.assertEqual(len(plan.matrix(tests, ["6.1", "6.12"], "0", True)), 2 * len(tests))

    def test_several_cpus(self):
        tests = [a_test("each", cpus=2, all_kernels=True), a_test("turn", cpus=2)]
        commit = next(f"{n:08x}" for n in range(8) if len(self.older(tests, f"{n:08x}", {})) == 2)
        for everything, older in ((False, 1), (True, 2)):
            runs = plan.matrix(tests, ["6.1", "6.12"], commit, everything)
            self.assertEqual(
                {(run.kernel, run.test.name, run.cpus) for run in runs},
                {("6.1", "each", older), ("6.1", "turn", 2),
                 ("6.12", "each", 2), ("6.12", "turn", 2)},
            )  # fmt: skip
            self.assertEqual({kind[1] for kind in plan.groups(runs)}, {older, 2})

    def test_debug_kernel_alone(self):
        tests = [a_test("deep", 1, debug_only=True), a_test("usual", 2)]
        runs = plan.matrix(tests, ["6.1", "6.12", "debug"], "0", True)
        self.assertEqual(
            [(run.kernel, run.test.name) for run in runs],
            [("6.1", "usual"), ("6.12", "usual"), ("debug", "deep"), ("debug", "usual")],
        )
        self.assertEqual(plan.matrix(tests[:1], ["6.1", "6.12"], "0", True), [])
        self.assertEqual([one.name for one in plan.fast(tests, 10)], ["usual"])
        # Tests that run only on that kernel were measured there.
        self.assertEqual([run.cost for run in runs], [2, 2, 1, 2 * plan.DEBUG_TIMES])

    def older(self, tests, commit, usual):
        runs = plan.matrix(tests, ["6.1", "6.12"], commit, False, usual)
        return [run.test for run in runs if run.kernel == "6.1"]

    def test_eighths_are_everything(self):
        tests = [a_test(f"t{n}") for n in range(30)] + [a_test("both", all_kernels=True)]
        ran = [one.name for n in range(8) for one in self.older(tests, f"{n:08x}", {"t3": 7.0})]
        self.assertEqual(sorted(ran), sorted([f"t{n}" for n in range(30)] + ["both"] * 8))
        self.assertTrue(self.older(tests, "", {}))

    def test_eighths_take_equally_long(self):
        tests = [a_test(f"t{n}", 4 + 37 * n * n % 91) for n in range(90)]
        usual = {test.name: test.seconds for test in tests}
        sums = [
            sum(one.seconds for one in self.older(tests, f"{n:08x}", usual)) for n in range(8)
        ]  # fmt: skip
        self.assertLess(max(sums) - min(sums), 10)

    def test_longest_first(self):
        tests = [a_test("short", 5), a_test("long", 50), a_test("wide", 9, cpus=2),
                 a_test("slow", 1, icount=True)]  # fmt: skip
        found = plan.groups(plan.matrix(tests, ["6.12"], "", True))
        self.assertEqual([one.name for one in found["6.12", 1, False]], ["long", "short"])
        self.assertEqual([one.name for one in found["6.12", 2, False]], ["wide"])
        self.assertEqual([one.name for one in found["6.12", 1, True]], ["slow"])

    def test_the_debug_kernel_has_no_clock_of_instructions(self):
        tests = [a_test("slow", icount=True)]
        self.assertEqual(list(plan.groups(plan.matrix(tests, ["debug"], "", True))),
                         [("debug", 1, False)])

    def test_fast(self):
        tests = [a_test("long", 50), a_test("short", 5), a_test("other", 6)]
        self.assertEqual([one.name for one in plan.fast(tests, 12)], ["short", "other"])


class Tap(unittest.TestCase):
    def test_counts(self):
        text = "# ok 1 one\n# not ok 2 two\n# # why\n# ok 3 three # SKIP no\n# 1..3\n"
        self.assertEqual(tap.count(text, tap.FAILED), tap.Counts(1, 1, 1))

    def test_failed_without_a_line(self):
        self.assertEqual(tap.count("# ok 1 one\n", tap.FAILED), tap.Counts(1, 1, 0))
        self.assertEqual(tap.count("# ok 1 one\n", tap.SPLAT), tap.Counts(1, 1, 0))
        self.assertEqual(tap.count("# ok 1 one\n", tap.PASSED), tap.Counts(1, 0, 0))
        self.assertEqual(tap.count("", tap.PASSED), tap.Counts(0, 1, 0))

    def test_skipped_as_a_whole(self):
        self.assertEqual(tap.count("# 1..0 # SKIP needs jq\n", tap.SKIPPED), tap.Counts(0, 0, 1))

    def test_complaints(self):
        text = "# ok 1 a\n# not ok 2 b\n# # wanted: x\n# ok 3 c\n# kernel: BUG\n"
        self.assertEqual(
            tap.complaints(text), ["# not ok 2 b", "# # wanted: x", "# kernel: BUG"]
        )
        self.assertEqual(tap.complaints("# ok 1 a\nlast"), ["# ok 1 a", "last"])

    def test_complaints_with_what_was_said_before(self):
        text = "# early\n# ok 1 a\n# x\n# y\n# not ok 2 b\n# after\n# not ok 3 c\n"
        self.assertEqual(
            tap.complaints(text, before=1), ["# y", "# not ok 2 b", "# after", "# not ok 3 c"]
        )

    def test_failed_names(self):
        text = "".join(f"# not ok {n} of {n}: x\n# ok 9 a\n" for n in range(1, 6))
        self.assertEqual(tap.failed_names(text, 2), ["of 1: x", "of 2: x", "3 more"])
        self.assertEqual(tap.failed_names("# ok 1 a\n"), [])
        text = "# not ok 1 a\n# # it is b\n# # or c\n# not ok 2 d\n# # e\n# ok 3 f\n"
        self.assertEqual(tap.failed_names(text), ["a: it is b", "d: e"])
        self.assertEqual(tap.failed_names(text, longest=2), ["a: it", "d: e"])


class Queue(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        tests = {name: a_test(name, seconds) for name, seconds in (("a-b", 10), ("c", 5))}
        self.group = machines.Group("6.12", 1, False, self.folder / "group", tests)
        self.group.fill()

    def result(self, name, text):
        (self.group.folder / "log" / name).write_text("# ok 1 x\n")
        (self.group.folder / "result" / name).write_text(text)

    def test_a_result_is_told_once(self):
        self.assertEqual(self.group.todo(), ["a-b", "c"])
        self.assertEqual(self.group.seconds_left(), 15)
        self.result("c", "1 12 time limit of 5 s\n")
        ((name, result),) = self.group.new_results()
        self.assertEqual((name, result.status, result.seconds), ("c", 1, 12))
        self.assertEqual(result.why, "time limit of 5 s")
        self.assertEqual(list(self.group.new_results()), [])

    def test_once_more(self):
        (self.group.folder / "todo/002-c").unlink()
        self.result("c", "1 12\n")
        list(self.group.new_results())
        (self.group.folder / "taken/1").mkdir()
        (self.group.folder / "taken/1/c").touch()
        self.group.again("c")
        self.assertEqual(self.group.todo(), ["c", "a-b"])
        self.assertEqual(self.group.taken("1"), [], "it is not what that machine left")
        self.assertTrue((self.group.folder / "log/c.first").exists())
        self.result("c", "0 3\n")
        self.assertEqual([name for name, _ in self.group.new_results()], ["c"])


class FakeMachine:
    """Takes files as selftests/run does. "script" says what happens to each file, one word per try: ok,
    bad, splat; die (the machine dies), refuse (it takes nothing)."""

    script = {}

    def __init__(self, group, number, settings):
        self.group, self.name = group, str(number)
        self.folder = group.folder.parent / f"machine-{number}"

    def run(self):
        self.folder.mkdir(parents=True)
        taken = self.group.folder / "taken" / self.name
        taken.mkdir(parents=True)
        while todo := sorted((self.group.folder / "todo").iterdir()):
            name = todo[0].name.split("-", 1)[1]
            word = self.script[name][0] if self.script.get(name) else "ok"
            if word == "refuse":
                return 2
            self.script.get(name, ["ok"]).pop(0)
            todo[0].rename(taken / name)
            if word == "die":
                return machines.DIED
            status = {"ok": tap.PASSED, "bad": tap.FAILED, "splat": tap.SPLAT}[word]
            text = "# ok 1 x\n" if word == "ok" else "# not ok 1 x\n"
            self.group.put_result(name, status, "", text)
        return 0

    unfinished = machines.Machine.unfinished
    output = machines.Machine.output
    output_of = machines.Machine.output_of
    complained_elsewhere = machines.Machine.complained_elsewhere


class WholeRun(unittest.TestCase):
    def run_all(self, width=2, seconds=60, tries=1, **script):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        FakeMachine.script = {name: list(words) for name, words in script.items()}
        runs = [plan.Run("6.12", a_test(name)) for name in ("a", "b", "c", "d")]
        settings = SimpleNamespace(end=time.monotonic() + seconds, poll=0.01)
        selftests = main.Selftests(runs, settings, tries, Path(folder.name))
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            failures = selftests.run(host.Steps([]), width, FakeMachine)
        bad = {one["file"] for one in selftests.files if one["failed"]}
        return bad, failures, selftests

    def test_all_good(self):
        for width in (1, 2, 4):
            self.assertEqual(self.run_all(width)[:2], (set(), 0))

    def test_one_second_try(self):
        self.assertEqual(self.run_all(b=["bad", "ok"])[:2], (set(), 0))
        bad, failures, selftests = self.run_all(b=["bad", "bad"])
        self.assertEqual((bad, failures, selftests.failures()), ({"b"}, 0, ["b on 6.12: x"]))
        self.assertEqual(self.run_all(tries=0, b=["bad", "ok"])[:2], ({"b"}, 0))
        bad, failures, _ = self.run_all(b=["bad", "ok"], c=["bad", "ok"])
        self.assertEqual((len(bad), failures), (1, 0))

    def test_no_second_try_after_a_complaint(self):
        self.assertEqual(self.run_all(b=["splat", "ok"])[:2], ({"b"}, 0))
        self.assertEqual(self.run_all(b=["die", "ok"])[:2], ({"b"}, 0))

    def test_machines_that_take_nothing(self):
        bad, failures, _ = self.run_all(width=1, a=["refuse"])
        self.assertEqual(bad, {"a", "b", "c", "d"})
        self.assertGreater(failures, 0)

    def test_no_time_left(self):
        bad, _, _ = self.run_all(width=1, seconds=-1, a=["die"])
        self.assertEqual(bad, {"a", "b", "c", "d"})

    def test_nothing_is_known_of_a_file(self):
        with unittest.mock.patch.object(machines.Group, "new_results", lambda self: iter(())):
            self.assertEqual(self.run_all()[1], 4)


class HostSteps(unittest.TestCase):
    def steps_done(self, *steps):
        steps = host.Steps(steps)
        with contextlib.redirect_stdout(io.StringIO()) as told:
            steps.start()
            while steps.tell():
                time.sleep(0.01)
        counts, phases = tap.Counts(), {}
        steps.conclude(counts, phases)
        return counts, phases, told.getvalue()

    def test_one_that_breaks_is_a_failure(self):
        with unittest.mock.patch.object(host.subprocess, "run", side_effect=OSError("no ctest")):
            counts, _, told = self.steps_done(host.Unit())
        self.assertEqual(counts, tap.Counts(failed=1))
        self.assertIn("no ctest", told)

    def lint_says(self, text, status):
        answer = SimpleNamespace(stdout=text, returncode=status)
        with tempfile.TemporaryDirectory() as top, \
                unittest.mock.patch.object(host, "run", return_value=answer), \
                unittest.mock.patch.object(host, "TOP", Path(top)):
            Path(top, "build").mkdir()
            return self.steps_done(host.Lint())[0]

    def test_lint(self):
        self.assertEqual(self.lint_says("a: ok\nb: ok\n", 0), tap.Counts(passed=2))
        self.assertEqual(self.lint_says("x.sh: bad\na: COMPLAINTS\nb: ok\n", 1),
                         tap.Counts(1, 1, 0))
        self.assertEqual(self.lint_says("a: not installed, left out\nb: ok\n", 0),
                         tap.Counts(1, 0, 1))
        self.assertEqual(self.lint_says("", 0).failed, 1)
        self.assertEqual(self.lint_says("a: ok\n", 1).failed, 1)

    def fuzz_says(self, *statuses):
        ends = [SimpleNamespace(stdout="words\n", returncode=status) for status in statuses]
        with tempfile.TemporaryDirectory() as top, \
                unittest.mock.patch.object(host, "run", side_effect=ends), \
                unittest.mock.patch.object(host, "TOP", Path(top)):
            Path(top, "build").mkdir()
            return self.steps_done(host.Fuzz())[0]

    def test_fuzzing(self):
        self.assertEqual(self.fuzz_says(0, 0), tap.Counts(passed=1))
        self.assertEqual(self.fuzz_says(0, 1), tap.Counts(failed=1))
        self.assertEqual(self.fuzz_says(1), tap.Counts(failed=1), "no compiler")

    def test_which_steps(self):
        def names(*arguments):
            return [type(step).__name__ for step in main.host_steps(main.parse(arguments))]

        self.assertEqual(names(), ["Unit", "Lint"])
        self.assertEqual(names("--full"), ["Unit", "Lint", "Fuzz"])
        self.assertEqual(names("--only", "unit"), ["Unit"])
        self.assertEqual(names("--only", "selftests"), [])

    def test_what_fast_leaves_out(self):
        unit, lint = main.host_steps(main.parse(["--fast"]))
        self.assertEqual(unit.options, ("-LE", "slow"))
        self.assertEqual(lint.options, ("--fast",))
        self.assertIn("LABELS slow", (TOP / "selftests/host/CMakeLists.txt").read_text())

    def test_in_turn_and_told_once(self):
        order = []

        class One(host.Step):
            def _run(self):
                order.append(self.name)
                self.counts.passed += 1

        first, second = One(), One()
        first.name, second.name = "first", "second"
        counts, phases, told = self.steps_done(first, second)
        self.assertEqual((order, counts.passed), (["first", "second"], 2))
        self.assertEqual(len(phases), 2)
        self.assertEqual(told.count("first:"), 1)

    def test_one_that_nobody_came_to(self):
        counts = tap.Counts()
        steps = host.Steps([host.Unit()])
        steps.conclude(counts, {})
        self.assertEqual(counts.failed, 1)
        self.assertEqual(steps.failures(), ["host unit tests, log in build/unit.log"])

    def test_cases_are_counted(self):
        junit = (
            '<testsuite tests="5"><testcase name="gone" status="fail"/>'
            '<testcase name="many" status="run"/><testcase name="leak" status="fail"/>'
            '<testcase name="shell" status="run"/>'
            '<testcase name="off" status="notrun"><skipped/></testcase></testsuite>'
        )
        suites = '<testsuites>{}<testsuite tests="2" failures="0"/></testsuites>'
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "junit").write_text(junit)
            (folder / "many.xml").write_text(
                suites.format('<testsuite tests="7" failures="1" disabled="1" skipped="2"/>')
            )
            (folder / "leak.xml").write_text(suites.format(""))
            counts = host.unit_counts(folder / "junit", folder)
        # many: 3 and 2 passed; leak: 2, and failed at its end; gone: no report; shell; off.
        self.assertEqual((counts.passed, counts.failed, counts.skipped), (8, 3, 3))


class Skips(unittest.TestCase):
    def ended(self, whole, skipped):
        selftests = SimpleNamespace(
            files=[an_entry("spray", 5) | {"skipped": skipped}], tell_second_tries=lambda: None,
            failures=list,
        )  # fmt: skip
        steps = SimpleNamespace(conclude=lambda counts, phases: None, failures=list)
        said = io.StringIO()
        with (
            unittest.mock.patch.object(report, "write"),
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
        ):
            status = main.conclude(selftests, steps, 0, {}, {"all": 1.0}, whole)
        return status, said.getvalue()

    def test_none_in_a_whole_run(self):
        status, said = self.ended(True, 2)
        self.assertEqual(status, 1)
        self.assertIn("2 skipped, but no test may be skipped", said)
        self.assertTrue(said.endswith("3 passed, 2 failed\n"), said)
        self.assertEqual(self.ended(True, 0)[0], 0)

    def test_some_elsewhere(self):
        status, said = self.ended(False, 2)
        self.assertEqual(status, 0)
        self.assertTrue(said.endswith("3 passed, 0 failed\n"), said)

    def test_which_run_is_whole(self):
        self.assertTrue(main.is_whole(main.parse([])))
        self.assertTrue(main.is_whole(main.parse(["--nightly"])))
        for arguments in (["spray"], ["--fast"], ["--full"], ["--only", "unit"],
                          ["--kernel", "6.1"]):  # fmt: skip
            self.assertFalse(main.is_whole(main.parse(arguments)), arguments)


class AtOnce(unittest.TestCase):
    def test_beside_each_other(self):
        both = threading.Barrier(2, timeout=10)
        main.at_once(both.wait, both.wait)

    def test_one_that_fails_stops_no_other(self):
        done = []

        def fails():
            raise main.Broken("the first")

        def ends():
            time.sleep(0.05)
            done.append(True)

        with self.assertRaisesRegex(main.Broken, "the first"):
            main.at_once(fails, ends)
        self.assertEqual(done, [True])


class Report(unittest.TestCase):
    def summary(self, *entries):
        return {"commit": "abc", "seconds": 120.0, "phases": {"all": 120.0}, "passed": 9,
                "failed": 1, "skipped": 0, "files": list(entries)}  # fmt: skip

    def test_which_became_slower(self):
        old = self.summary(an_entry("a", 10), an_entry("b", 10), an_entry("gone", 500))
        self.assertEqual(report.slower_files(old, old), [])
        new = self.summary(an_entry("a", 11), an_entry("b", 20), an_entry("new", 500))
        self.assertEqual(
            report.slower_files(old, new, 1), [("b on 6.12", 10, 20)]
        )
        self.assertEqual(report.slower_files({}, new), [])

    def test_files_for_programs_and_people(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self.assertEqual(report.read(folder), {})
            one = self.summary(an_entry("<a>", 10, failed=2), an_entry("b", 20, again=True))
            report.write(folder, one)
            self.assertEqual(report.read(folder), json.loads(json.dumps(one)))
            page = (folder / "index.html").read_text()
            self.assertIn("&lt;a&gt;", page)
            self.assertIn("FAILED", page)
            self.assertIn("second try", page)


unittest.main()
