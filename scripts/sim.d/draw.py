# SPDX-License-Identifier: GPL-2.0-only
"""Draws pictures of one run, beside the JSON that mrcsim wrote of it: goodput and EVs over time, the
distribution of goodput over flows, and the length of queues."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from curves import Curves  # noqa: E402

TIERS = ("t0-up", "t1-down", "t0-down")


def over_time(run, names):
    step = run["curves"]["sample-us"]
    return {label: [((i + 1) * step, y) for i, y in enumerate(run["curves"][key])]
            for label, key in names.items()}  # fmt: skip


def distribution(values):
    """For each value, the part of all values that are not greater."""
    values = sorted(values)
    return [(value, (i + 1) / len(values)) for i, value in enumerate(values)]


def queues(run):
    """The part of packets that found at most that many bytes before them."""
    curves = {}
    for tier in TIERS:
        bins, seen, total = run["queues"][tier], 0, sum(run["queues"][tier])
        last = max((i for i, count in enumerate(bins) if count), default=0)
        curves[tier] = []
        for i, count in enumerate(bins[: last + 1]):
            seen += count
            curves[tier].append((i / run["queues"]["bins-per-bdp"], seen / max(total, 1)))
    return curves


def pictures(run):
    name = run["scenario"]
    yield "goodput", Curves(f"{name}: goodput of all flows", "time in us", "Gb/s",
                            over_time(run, {"goodput": "goodput-gbps"}))  # fmt: skip
    yield "evs", Curves(f"{name}: EVs that are not used as they should be", "time in us", "EVs",
                        over_time(run, {"bad": "evs-bad", "held": "evs-held"}))  # fmt: skip
    yield "flows", Curves(f"{name}: goodput of flows", "part of the line rate", "part of flows",
                          {"flows": distribution(f["goodput"] for f in run["flows"])})  # fmt: skip
    yield "queues", Curves(f"{name}: queues, as packets found them", "plane BDP",
                           "part of packets", queues(run))  # fmt: skip


def draw(path):
    run = json.loads(path.read_text())
    for what, picture in pictures(run):
        path.with_name(f"{path.stem}-{what}.svg").write_text(picture.svg())


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
