#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the tables that scripts/bench.d/engine_report.py makes of measurements.

Usage: bench_engine.py TOP"""

import sys
import unittest
from pathlib import Path

TOP = Path(sys.argv.pop(1))
sys.path.insert(0, str(TOP / "scripts/bench.d"))
import api_report  # noqa: E402
import engine_report as report  # noqa: E402


def one(name, aggregate=None, **values):
    entry = {"run_name": name, **values}
    return entry | {"aggregate_name": aggregate} if aggregate else entry


class ApiReport(unittest.TestCase):
    def test_what_the_library_adds(self):
        measured = {"benchmarks": [
            one("post_send/verbs", "median", cpu_time=1.25), one("post_send/mrc", "median", cpu_time=3.5),
            one("post_send/mrc", "mean", cpu_time=99), one("poll_cq/verbs", "median", cpu_time=2)]}  # fmt: skip
        lines = api_report.report(measured).splitlines()
        self.assertEqual(lines[-1], "| post_send | 1.2 | 3.5 | 2.2 |")
        self.assertEqual(api_report.report({"benchmarks": []}), "")


class Report(unittest.TestCase):
    context = {"requester_bytes": "20480", "responder_bytes": "520"}

    def lines(self, *benchmarks):
        measured = {"context": self.context, "benchmarks": benchmarks}
        return report.report(measured, "a CPU").splitlines()

    def test_medians_of_packets(self):
        lines = self.lines(
            one("packet/qps:1/sack:64/loss:0", "mean", **{"s/packet": 9e-9}),
            one("packet/qps:1/sack:64/loss:0", "median", **{"s/packet": 42.4e-9}),
            one("packet/qps:4096/sack:64/loss:0", "median", **{"s/packet": 84e-9}),
            one("packet/qps:4096/sack:4/loss:0", "median", **{"s/packet": 128e-9}),
            one("packet/qps:1/sack:4/loss:1", "median", **{"s/packet": 90e-9}),
            one("nscc/qps:1/sack:64/loss:0", "median", **{"s/packet": 44e-9}),
        )
        head = lines.index("| QPs | lost | a SACK per 64 | a SACK per 4 |")
        self.assertEqual(lines[head + 1], "|---|---|---|---|")
        self.assertEqual(lines[head + 2:head + 5], [
            "| 1 | 0 % | 42 | - |", "| 1 | 0.1 % | - | 90 |", "| 4,096 | 0 % | 84 | 128 |"])  # fmt: skip
        nscc = lines.index("The same with NSCC:")
        self.assertGreater(nscc, head)
        self.assertEqual(lines[nscc + 2:nscc + 5], [
            "| QPs | lost | a SACK per 64 |", "|---|---|---|", "| 1 | 0 % | 44 |"])  # fmt: skip
        self.assertEqual(lines[0], "a CPU, one core.")
        self.assertIn("20,480 bytes of requester, 520 of responder", lines[-1])

    def test_one_round_has_no_medians(self):
        lines = self.lines(one("encode/write", cpu_time=4.44),
                           one("bytes/copy", bytes_per_second=35.19e9))
        self.assertIn("| encode/write | 4.4 |", lines)
        self.assertIn("| copy | 35.2 |", lines)
        self.assertFalse([line for line in lines if "QPs" in line])


if __name__ == "__main__":
    unittest.main()
