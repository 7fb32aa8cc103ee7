#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests what "make demo" computes from samples of the last links, and from the kernel's report of a
qdisc.

For demo.sh, with scripts/demo.d and scripts/lib in PYTHONPATH."""
import json
import os
import struct
import sys
import unittest

import carried
import last_links

RATE = 1000.0       # bytes per second


def samples(sent, waiting, spare=(0.01, 0.01), step=0.02):
    """Samples of one plane, for each step: bytes sent in it, and bytes waiting at its beginning."""
    found, total, had = [], 0, [0.0, 0.0]
    for i, (bytes_sent, waits) in enumerate(zip([*sent, 0], [*waiting, 0])):
        found.append((round(i * step, 4), [(total, waits)], list(had)))
        total += bytes_sent
        had = [a + b for a, b in zip(had, spare)]
    return found


def times(end, gaps=()):
    """Times of goodput samples every 10 ms, except in gaps (begin, end)."""
    ticks = [i / 100 for i in range(int(end * 100) + 1)]
    return [t for t in ticks if not any(a < t < b for a, b in gaps)]


def of_one(found, moments):
    (plane,) = carried.carried(found, moments, [1], RATE, 0, 100)
    return round(plane.had, 2), round(plane.withheld, 2), round(plane.idle, 2)


class WhoWithheldIt(unittest.TestCase):
    def test_a_queue_that_is_sent_at_its_rate(self):
        self.assertEqual(of_one(samples([20] * 50, [50] * 50), times(1)), (1, 0, 0))

    def test_a_queue_that_is_not(self):
        self.assertEqual(of_one(samples([10] * 50, [50] * 50), times(1)), (0.5, 0.5, 0))

    def test_no_queue(self):
        self.assertEqual(of_one(samples([10] * 50, [0] * 50), times(1)), (0.5, 0, 0.5))

    def test_a_queue_that_may_have_been_empty_meanwhile(self):
        self.assertEqual(of_one(samples([10] * 50, [9] * 50), times(1)), (0.5, 0, 0.5))

    def test_what_was_made_up_for_was_not_withheld(self):
        self.assertEqual(of_one(samples([0, 40] * 25, [50] * 50), times(1)), (1, 0, 0))

    def test_nobody_ran(self):
        sent = [20] * 10 + [0] * 20 + [20] * 20
        found = [s for s in samples(sent, [0] * 50) if not 0.2 < s[0] < 0.6]
        self.assertEqual(of_one(found, times(1, [(0.2, 0.6)])), (0.6, 0.39, 0.01))
        self.assertEqual(of_one(found, times(1)), (0.6, 0, 0.4), "others ran meanwhile")

    def test_a_cpu_without_anything_to_spare(self):
        idle = [10] * 50, [0] * 50
        self.assertEqual(of_one(samples(*idle, spare=(0.01, 0.0)), times(1)), (0.5, 0.5, 0))
        self.assertEqual(of_one(samples(*idle, spare=(0.0, 0.01)), times(1)), (0.5, 0, 0.5),
                         "it moves the packets of other planes")

    def test_without_samples_nothing_is_known(self):
        self.assertEqual(carried.carried([], [], [1], RATE, 0, 1), [])


class RealRuns(unittest.TestCase):
    """A recording of planes at 25 Mb/s, on a machine that was also used for something else."""

    @staticmethod
    def planes(name):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "demo_samples.json")
        with open(path, encoding="utf-8") as file:
            run = json.load(file)[name]
        return {plane.plane: plane for plane in carried.carried(
            run["links"], run["times"], [1, 2, 3, 4], 25e6 / 8, run["from"], run["to"])}

    def test_what_the_machine_had_to_give(self):
        """MRC held EVs of plane 3 to be bad, and the link of plane 2 was cut."""
        planes = self.planes("spared")
        for plane in (1, 4):
            self.assertLess(planes[plane].idle, 0.05)
        self.assertGreater(planes[3].idle, 0.2)
        self.assertGreater(planes[2].idle, 0.9)
        self.assertTrue(all(plane.withheld < 0.05 for plane in planes.values()), planes)

    def test_what_it_had_not(self):
        """Both CPUs had no time to spare for most of the time."""
        planes = self.planes("busy")
        self.assertTrue(all(plane.withheld > 0.15 for plane in planes.values()), planes)
        self.assertGreater(planes[2].withheld, 0.6)


class WhatTheKernelSays(unittest.TestCase):
    @staticmethod
    def attribute(kind, data):
        return last_links.NLA.pack(4 + len(data), kind) + data + bytes(-len(data) % 4)

    def test_a_queue(self):
        stats = self.attribute(1, struct.pack("=QI", 1 << 33, 7)) + \
            self.attribute(3, struct.pack("=IIIII", 3, 4567, 8, 9, 10))
        body = last_links.TCMSG.pack(0, 5, 0x80010000, last_links.TC_H_ROOT, 2) + \
            self.attribute(1, b"tbf\0") + self.attribute(7 | 0x8000, stats)
        message = last_links.NLMSG.pack(16 + len(body), 36, 0, 1, 0) + body
        self.assertEqual(last_links.queue_of(message), (1 << 33, 4567))

    def test_a_refusal(self):
        message = last_links.NLMSG.pack(36, 2, 0, 1, 0) + struct.pack("=i", -2) + bytes(16)
        with self.assertRaisesRegex(RuntimeError, "No such file"):
            last_links.queue_of(message)

    def test_spare_times(self):
        text = "cpu  9 9 9 9 9 9 9 0 0 0\ncpu0 1 200 3 400 50 6 7 8 0 0\ncpu1 0 0 0 100 0 0 0 0 0 0\n"
        self.assertEqual(last_links.spare_times(text + "intr 5\n"), [6.5, 1.0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
