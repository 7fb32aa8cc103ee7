# SPDX-License-Identifier: GPL-2.0-only
"""Splits a run into the parts between changes of the fabric: what goodput a flow had in each part, and
for how long it had little. Rates are in Mb/s, times in seconds."""

from carried import carried

PLANES = 4
# Planes that carry in each part. A switch that dies leaves its plane another switch.
NAMES = ("all is well", "a link of h1 is cut", "a switch is dead, too",
         "both are repaired")
LEFT = (PLANES, PLANES - 1, PLANES - 1, PLANES)
# The payload's share of a packet on a link: around it are Ethernet, IPv6 twice, UDP, MRC.
PAYLOAD = 4096 / (4096 + 14 + 40 + 40 + 8 + 36)
# The goodput of a part is measured at its end, when everything has reacted to the change.
LAST = 2.0
# Little is less than half of what is left, on average over this many seconds.
WINDOW, STEP = 0.05, 0.01


def capacity(rate, left=PLANES):
    """Payload that this many planes carry."""
    return rate * PAYLOAD * left


def bounds(flow):
    """The beginnings of the parts, and the end; None if not all faults came and went in time."""
    if len(flow.faults) != 2 or flow.active_faults():
        return None
    times = [0.0, *sorted(fault["from"] for fault in flow.faults),
             max(fault["to"] for fault in flow.faults), flow.now()]
    return times if all(b - a > LAST for a, b in zip(times, times[1:])) else None


def living(flow):
    """The planes that are left in each part: all except that of the cut link."""
    cut = [int(fault["what"].rpartition("eth")[2]) for fault in flow.faults
           if fault["what"].startswith("link ")]
    return [[plane for plane in range(1, PLANES + 1) if left == PLANES or plane not in cut]
            for left in LEFT]


def planes_of(flow, rate, links):
    """For each part, a Carried of each plane that is left, measured at the part's end. @links: samples
    of the last links"""
    times = bounds(flow)
    moments = [t for t, _ in flow.points]
    return [carried(links, moments, planes, rate * 1e6 / 8, max(start, end - LAST), end)
            for planes, start, end in zip(living(flow), times, times[1:])] if times else []


def standstill(flow):
    """The longest time between two samples, which should be 10 ms apart."""
    times = [t for t, _ in flow.points]
    return max(b - a for a, b in zip(times, times[1:]))


def little(curve, start, end, enough):
    """Seconds in which the flow had too little."""
    steps = int((end - start - WINDOW) / STEP)
    return STEP * sum(curve.rate(start + i * STEP, start + i * STEP + WINDOW) < enough
                      for i in range(steps))


def parts(flow, rate):
    """A dict for each part; an empty list if the faults did not come and go."""
    times = bounds(flow)
    if not times:
        return []
    curve = flow.curve()
    # A flow that uses one plane keeps all of its capacity while one plane is left.
    return [{"name": name, "from": start, "to": end, "left": left,
             "mbps": curve.rate(max(start, end - LAST), end),
             "little": little(curve, start, end, capacity(rate, min(left, flow.planes)) / 2)}
            for name, left, start, end in zip(NAMES, LEFT, times, times[1:])]
