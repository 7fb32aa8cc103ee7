#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the figures and reports that scripts/bench.d/congestion_figures.py and congestion_report.py
make of runs.

Usage: bench_congestion.py TOP"""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

TOP = Path(sys.argv.pop(1))
sys.path[:0] = [str(TOP / "scripts/bench.d"), str(TOP / "scripts/lib")]
import congestion_figures as figures  # noqa: E402
import congestion_report as report  # noqa: E402

PAYLOAD = 1024
WIRE = (PAYLOAD + figures.HEADERS) / PAYLOAD


def samples(rates, queues=(0.5, 0.5), seconds=10, bdp=10_000, step=0.1, sent=50):
    """Flows with these rates in Mb/s, and ports with these mean queues in parts of bdp, which send that
    much."""
    found = []
    for i in range(int(seconds / step) + 1):
        t = i * step
        ns = int(t * 1e9)
        found.append({"t": 100 + t, "bytes": [rate * t * 1e6 / 8 for rate in rates],
                      "ports": [(queue * bdp * ns, ns, sent * ns / 8e3) for queue in queues]})
    return found


def a_run(rates, cc="nscc", ecn=True, trim=True, victim=False, timeouts=0, p99=10_000_000, idle=0.5,
          **more):
    senders = len(rates) - victim
    case = {"senders": senders, "cc": cc, "ecn": ecn, "trim": trim, "victim": victim}
    return {"case": case, "name": f"{senders}:1 {cc}{', ECN' * ecn}{', trim' * trim}",
            "samples": samples(rates, **more),
            "counts": {"retransmitted_packets": 3, "local_ack_timeout_err": timeouts},
            "idle": idle, "switch": {"marked": 1, "trimmed": 2, "dropped": 3, "control_dropped": 4},
            "completions": [{"count": 9, "p50_ns": 5_000_000, "p99_ns": p99}, None]}


def a_record(*runs, **more):
    return {"kernel": "6", "rate": 50, "planes": 2, "bdp": 10_000, "base_rtt_us": 2000,
            "path_mtu": PAYLOAD, "runs": list(runs), **more}


def a_foreign(before, during, after, rate):
    """Shares of the first plane; Mb/s of MRC while others are there."""
    found, planes, sent = [], [0.0, 0.0], 0.0
    for i in range(800):
        share = before if i < 200 else during if i < 600 else after
        planes = [planes[0] + share, planes[1] + 1 - share]
        sent += rate * 0.01 * 1e6 / 8
        found.append({"t": i * 0.01, "bytes": [sent], "planes": list(planes)})
    return {"samples": found, "came": 1.995, "went": 5.995}


class Figures(unittest.TestCase):
    def run_of(self, *arguments, **more):
        run = a_run(*arguments, **more)
        return figures.Run(a_record(run), run)

    def test_fairness(self):
        self.assertEqual(figures.jain([5, 5, 5, 5]), 1)
        self.assertEqual(figures.jain([5, 0, 0, 0]), 0.25)
        self.assertIsNone(figures.jain([0, 0]))

    def test_a_link_is_used_by_what_its_port_sends(self):
        self.assertAlmostEqual(self.run_of([1, 1]).use, 1)
        self.assertAlmostEqual(self.run_of([50, 50], sent=40).use, 0.8)
        self.assertAlmostEqual(self.run_of([20, 30]).goodput, 50)

    def test_of_tcp_nobody_counts_retransmissions(self):
        self.assertIsNone(self.run_of([50, 50], cc="dctcp").again)

    def test_the_queue_is_the_mean_over_time_and_planes(self):
        run = self.run_of([1, 1], queues=(0.2, 0.6))
        self.assertAlmostEqual(run.queue, 0.4)
        self.assertAlmostEqual(run.longest, 0.4)

    def test_a_victim_is_not_its_hosts_share_of_the_incast(self):
        # The last sender's host has 10 of the incast and 40 of the victim.
        run = self.run_of([10 / WIRE, 50 / WIRE, 40 / WIRE], victim=True)
        self.assertEqual([round(rate * WIRE) for rate in run.goodputs], [10, 10])
        self.assertAlmostEqual(run.jain, 1)
        self.assertAlmostEqual(run.left, 40 / 90)

    def test_the_worst_flow_counts(self):
        completions = [{"count": 5, "p99_ns": 3e6}, {"count": 0, "p99_ns": 9e9},
                       {"count": 5, "p99_ns": 7e6}, None]
        self.assertEqual(figures.worst(completions, "p99_ns"), 7)
        self.assertIsNone(figures.worst([None], "p99_ns"))

    def test_foreign_traffic(self):
        found = figures.foreign(a_record(foreign=a_foreign(0.5, 0.1, 0.4, 45 / WIRE)))
        for key, value in (("before", 0.5), ("during", 0.1), ("after", 0.4), ("of_others", 0.9)):
            self.assertAlmostEqual(found[key], value, places=2)


class Report(unittest.TestCase):
    def goals(self, *runs, **more):
        found = report.Report(a_record(*runs, **more)).goals()
        return {what: (round(value, 3), met) for what, value, _, met in found}

    def test_an_incast_meets_its_goals_or_not(self):
        name = "8:1 nscc, ECN, trim"
        good = self.goals(a_run([12.4 / WIRE] * 8))
        self.assertEqual([good[f"{name}: {what}"][1] for what in ("link used", "Jain", "mean queue",
                                                                 "timeouts")], [True] * 4)
        bad = self.goals(a_run([24 / WIRE] + [1] * 7, queues=(1, 1), timeouts=1, sent=47))
        self.assertEqual([bad[f"{name}: {what}"][1] for what in ("link used", "Jain", "mean queue",
                                                                "timeouts")], [False] * 4)

    def test_the_queue_keeps_to_the_target(self):
        for queue, trim, met in ((0.97, False, True), (1, False, False), (0.97, True, True)):
            name = f"8:1 nscc, ECN{', trim' * trim}: mean queue"
            goals = self.goals(a_run([12] * 8, trim=trim, queues=(queue, queue)))
            self.assertEqual(goals[name][1], met, name)

    def test_timeouts_count_with_trims_alone(self):
        goals = self.goals(a_run([12] * 8, trim=False, timeouts=9))
        self.assertFalse(any("timeouts" in what for what in goals))

    def test_a_victim(self):
        name = "8:1 nscc, ECN, trim: victim, of what is left"
        for rate, met in ((80, True), (70, False)):
            rates = [12.5 / WIRE] * 7 + [(rate + 12.5) / WIRE, rate / WIRE]
            self.assertEqual(self.goals(a_run(rates, victim=True))[name][1], met)

    def test_writes_are_compared_with_the_fixed_windows(self):
        name = "8:1 nscc, ECN, trim: p99 of a write, of the fixed window's"
        for p99, met in ((5_000_000, True), (6_000_000, False)):
            goals = self.goals(a_run([12] * 8, cc="fixed"), a_run([12] * 8, p99=p99))
            self.assertEqual(goals[name], (p99 / 10_000_000, met))

    def test_foreign(self):
        name = "foreign traffic on one plane: of what the others have"
        for rate, met in ((46, True), (44, False)):
            goals = self.goals(foreign=a_foreign(0.5, 0.1, 0.4, rate / WIRE))
            self.assertEqual(goals[name][1], met)

    def test_foreign_traffic_that_ends_early_is_said(self):
        found = report.Report(a_record(foreign={"name": "foreign traffic", "failed": "it ended"}))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            found.print_foreign()
            found.warnings()
        self.assertIn("FAILED: foreign traffic: it ended", out.getvalue())
        self.assertEqual([*found.goals()], [])

    def test_files(self):
        record = a_record(a_run([12] * 8), a_run([12] * 8, cc="dctcp", idle=0.1),
                          a_run([12] * 9, victim=True), {"name": "4:1 fixed", "failed": "it ended"},
                          foreign=a_foreign(0.5, 0.1, 0.4, 45))
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "congestion.json").write_text(json.dumps(record), encoding="utf-8")
            out = io.StringIO()
            with contextlib.redirect_stdout(out), unittest.mock.patch.object(sys, "argv", ["", folder]):
                self.assertEqual(report.main(), 1)
            self.assertEqual(sorted(os.listdir(folder)), [
                "congestion-figures.json", "congestion-foreign.svg", "congestion-goodput.svg",
                "congestion-queue-8to1-victim.svg", "congestion-queue-8to1.svg",
                "congestion.json"])
            saved = json.loads(Path(folder, "congestion-figures.json").read_text(encoding="utf-8"))
            picture = Path(folder, "congestion-goodput.svg").read_text(encoding="utf-8")
        self.assertEqual(len(saved["runs"]), 3)
        self.assertEqual(picture.count("<polyline"), 8)
        said = out.getvalue()
        self.assertIn("FAILED: 4:1 fixed: it ended", said)
        self.assertRegex(said, "to spare, so that hosts were late, in: 8:1 dctcp, ECN, trim\\.")


if __name__ == "__main__":
    unittest.main()
