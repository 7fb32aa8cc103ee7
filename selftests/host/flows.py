#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests what scripts/lib/flows.py reads from mrcctl against what mrcctl prints.

Usage: flows.py TOP"""

import json
import sys
import unittest
from pathlib import Path

TOP = Path(sys.argv.pop(1))
sys.path.insert(0, str(TOP / "scripts/lib"))
import flows  # noqa: E402

GOLDEN = TOP / "userspace/mrcctl/tests/golden"


class Flows(unittest.TestCase):
    def test_rtt_of_qps(self):
        qps = json.loads((GOLDEN / "qp.json").read_text())
        self.assertAlmostEqual(flows.longest_rtt(qps), 123456e-9)


if __name__ == "__main__":
    unittest.main()
