# SPDX-License-Identifier: GPL-2.0-only
"""Splits a run into the parts between changes of the fabric: what goodput a flow had in each part, and
for how long it had little. Rates are in Mb/s, times in seconds."""

from carried import carried

PLANES = 4
# What the planes carry in each part. A switch that dies leaves its plane another.
NAMES = ("all is well", "a link of h1 is cut", "a switch is dead, too",
         "both are repaired")
LEFT = (PLANES, PLANES - 1, PLANES - 1, PLANES)
# Of a packet on a link its payload: around it are Ethernet, IPv6 twice, UDP, MRC.
PAYLOAD = 4096 / (4096 + 14 + 40 + 40 + 8 + 36)
# Goodput of a part is what it ends with, when all has been noticed that has to be.
LAST = 2.0
# Little is less than half of what is left, on average over so many seconds.
WINDOW, STEP = 0.05, 0.01


def capacity(rate, left=PLANES):
    """Payload that so many planes carry."""
    return rate * PAYLOAD * left


def bounds(flow):
    """Where the parts begin, and the end; None when not all faults came and went in time."""
    if len(flow.faults) != 2 or flow.active_faults():
        return None
    times = [0.0, *sorted(fault["from"] for fault in flow.faults),
             max(fault["to"] for fault in flow.faults), flow.now()]
    return times if all(b - a > LAST for a, b in zip(times, times[1:])) else None


def living(flow):
    """The planes that are left in each part: all but that of the link that is cut."""
    cut = [int(fault["what"].rpartition("eth")[2]) for fault in flow.faults
           if fault["what"].startswith("link ")]
    return [[plane for plane in range(1, PLANES + 1) if left == PLANES or plane not in cut]
            for left in LEFT]


def planes_of(flow, rate, links):
    """For each part a Carried of each plane that is left, at the end of it. @links: samples of the
    last links"""
    times = bounds(flow)
    moments = [t for t, _ in flow.points]
    return [carried(links, moments, planes, rate * 1e6 / 8, max(start, end - LAST), end)
            for planes, start, end in zip(living(flow), times, times[1:])] if times else []


def standstill(flow):
    """The longest time between two samples, which are to be 10 ms apart."""
    times = [t for t, _ in flow.points]
    return max(b - a for a, b in zip(times, times[1:]))


def little(curve, start, end, enough):
    """Seconds in which the flow had less than enough."""
    steps = int((end - start - WINDOW) / STEP)
    return STEP * sum(curve.rate(start + i * STEP, start + i * STEP + WINDOW) < enough
                      for i in range(steps))


def parts(flow, rate):
    """A dict for each part; none when the faults did not come and go."""
    times = bounds(flow)
    if not times:
        return []
    curve = flow.curve()
    # A flow that uses one plane has all that it had while one is left.
    return [{"name": name, "from": start, "to": end, "left": left,
             "mbps": curve.rate(max(start, end - LAST), end),
             "little": little(curve, start, end, capacity(rate, min(left, flow.planes)) / 2)}
            for name, left, start, end in zip(NAMES, LEFT, times, times[1:])]
