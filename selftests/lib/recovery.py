# SPDX-License-Identifier: GPL-2.0-only
"""Measures how many round trips a QP needs to recover from a fault, by the time stamps of a kernel
trace.

Usage: recovery.py silent|told GID <TRACE

The trace has the events mrc_ev, mrc_ports and mrc_window of one QP that sends to GID, and
sys_enter_sendmsg of the tc or ip that broke something. "silent": nothing reports the fault; it began
with the last such call before an EV left. "told": the fault counts from the mrc_ports event.

Prints a JSON object. rtt_ms: the median of the smoothed RTTs before the fault. left: round trips until
the last EV that left because of the fault had left. recovered: round trips until all that had been sent
by then had arrived. evs: the EVs that left. late: those of them that left although the sender had been
told.
"""

import json
import math
import re
import statistics
import sys

LINE = re.compile(r" ([0-9]+\.[0-9]+): (\w+)(?:\(|: )(.*)$")
PORTS = re.compile(r"remote=(\S+) ")
LEFT = re.compile(r"remote=(\S+) ev=(\d+) .* -> assumed-bad")
WINDOW = re.compile(r"una=0x(\w+) nxt=0x(\w+) .* srtt=(\d+)")
HALF, PSNS = 1 << 23, 1 << 24


def events(lines):
    """(seconds, name, text) of each event."""
    for line in lines:
        if found := LINE.search(line):
            yield float(found.group(1)), found.group(2), found.group(3)


def began(way, trace, left):
    if way == "told":
        return next(time for time, name, _ in trace if name == "mrc_ports")
    first = left[0][0]
    return max(time for time, name, _ in trace if name == "sys_sendmsg" and time < first)


def heard(way, trace, gid):
    """The time at which the sender learned of the ports; never, if nothing reports them."""
    if way != "told":
        return math.inf
    return next(time for time, name, text in trace
                if name == "mrc_ports" and PORTS.search(text).group(1) == gid)  # fmt: skip


def windows(trace):
    """(seconds, una, nxt, RTT in seconds) of each mrc_window event."""
    for time, name, text in trace:
        if name == "mrc_window" and (found := WINDOW.search(text)):
            una, nxt = (int(found.group(n), 16) for n in (1, 2))
            yield time, una, nxt, int(found.group(3)) / 1e9


def main():
    way, gid, trace = sys.argv[1], sys.argv[2], list(events(sys.stdin))
    left = [(time, int(found.group(2))) for time, name, text in trace
            if name == "mrc_ev" and (found := LEFT.search(text))
            and found.group(1) == gid]  # fmt: skip
    start, word = began(way, trace, left), heard(way, trace, gid)
    known = list(windows(trace))
    before = [one for one in known if one[0] <= start]
    rtt = statistics.median(one[3] for one in before)
    last = max((time for time, _ in left), default=start)
    sent = [one[2] for one in known if one[0] <= last][-1]
    over = next(time for time, una, _, _ in known
                if time > last and (una - sent) % PSNS < HALF)  # fmt: skip
    print(json.dumps({
        "rtt_ms": rtt * 1000, "left": (last - start) / rtt, "recovered": (over - start) / rtt,
        "evs": sorted({ev for _, ev in left}),
        "late": sorted({ev for time, ev in left if time > word}),
    }))  # fmt: skip


main()
