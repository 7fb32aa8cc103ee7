# SPDX-License-Identifier: GPL-2.0-only
"""Tells what planes carried, what the machine withheld from them, and what MRC left idle.

A plane that carried less than it could has one of two reasons. The machine withheld the rest if
  - the plane's queue was never empty in between (no more was sent than had waited in the
    beginning), and was nevertheless not sent at the plane's rate;
  - or no process ran: even samples of a process that has priority over all others came late;
  - or the CPU that moves the plane's packets had no time to spare.
Otherwise there was nothing to send, and MRC left the plane idle. The amount withheld is never more than
what is missing in total, because a queue that was sent late may catch up.

A sample is [time, [[bytes sent, bytes waiting] of each plane], [spare seconds of each CPU]], taken by
last_links.py. Times are in seconds, rates in bytes per second.
"""
from typing import NamedTuple

# Seconds over which a CPU's spare time is measured: ticks are 10 ms.
WINDOW = 0.2
# A smaller part of a CPU's time does not count as spare.
SPARE = 0.05
# Samples of goodput are 10 ms apart. With more than this between two of them, no process ran.
TICK, STILL = 0.01, 0.025


class Carried(NamedTuple):
    """What one plane did in one part, in parts of what it could have carried."""

    plane: int
    had: float
    withheld: float

    @property
    def idle(self):
        return max(0.0, 1 - self.had - self.withheld)


def late_with_queue(samples, plane, rate):
    """Bytes that were not sent although something waited all the time."""
    missing = 0.0
    for (t0, before, _), (t1, after, _) in zip(samples, samples[1:]):
        sent, waited = after[plane][0] - before[plane][0], before[plane][1]
        if waited and sent <= waited:
            missing += max(0.0, rate * (t1 - t0) - sent)
    return missing


def stood_still(times):
    """Seconds in which no process ran."""
    return sum(b - a - TICK for a, b in zip(times, times[1:]) if b - a > STILL)


def saturated(samples, cpu):
    """Whether the CPU had no time to spare."""
    (t0, _, before), (t1, _, after) = samples[0], samples[-1]
    return cpu < len(before) and after[cpu] - before[cpu] < SPARE * (t1 - t0)


def windows(samples):
    """Consecutive stretches of samples, each at least WINDOW seconds long, that cover all samples."""
    bounds = [0]
    for i, (t, _, _) in enumerate(samples):
        if t - samples[bounds[-1]][0] >= WINDOW:
            bounds.append(i)
    # The rest belongs to the last stretch.
    bounds[max(1, len(bounds) - 1):] = [len(samples) - 1]
    return [samples[a:b + 1] for a, b in zip(bounds, bounds[1:])]


def withheld(samples, times, plane, rate):
    """Bytes that the machine withheld from a plane. @times: of the samples of goodput"""
    total = 0.0
    for part in windows(samples):
        (t0, before, spare), (t1, after, _) = part[0], part[-1]
        missing = max(0.0, rate * (t1 - t0) - (after[plane][0] - before[plane][0]))
        # One CPU moves each plane's packets: machine.steer_packets().
        if saturated(part, (plane + 1) % max(1, len(spare))):
            total += missing
            continue
        still = rate * stood_still([t for t in times if t0 <= t <= t1])
        total += min(missing, max(late_with_queue(part, plane, rate), still))
    return total


def carried(samples, times, planes, rate, start, end):
    """A Carried for each of these planes, 1, 2, ...; an empty list if there are no samples."""
    inside = [sample for sample in samples if start <= sample[0] <= end]
    if len(inside) < 2:
        return []
    found = []
    whole = rate * (inside[-1][0] - inside[0][0])
    for plane in planes:
        had = inside[-1][1][plane - 1][0] - inside[0][1][plane - 1][0]
        kept = min(max(0.0, whole - had), withheld(inside, times, plane - 1, rate))
        found.append(Carried(plane, had / whole, kept / whole))
    return found
