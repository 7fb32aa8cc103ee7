# SPDX-License-Identifier: GPL-2.0-only
"""Figures of one run of failover.py. Times in seconds since the fault, rates in Mb/s."""
import bisect

BIN = 0.01
BEFORE, LAST = 1.0, 1.0     # seconds that "before" and "after the cut" are taken over
ENOUGH = 0.9                # of the capacity that remains: recovered
# A dip that begins later than this after a fault is none of the fault's. It is over with a
# bin that has enough, when so does each 200 ms that begins within the next half second, and
# all until the restore on average: a burst is not enough. A window over one plane moves in
# bursts 20 ms apart: 100 ms have five of them, or four.
DIP_BEGINS, STRETCH, BINS = 0.5, 50, 20


class Curve:
    """Bytes received by a moment, drawn straight between two samples."""

    def __init__(self, samples, zero):
        self.times = [t - zero for t, _ in samples]
        self.bytes = [count for _, count in samples]

    def at(self, t):
        i = min(max(bisect.bisect_left(self.times, t), 1), len(self.times) - 1)
        t0, t1 = self.times[i - 1:i + 1]
        b0, b1 = self.bytes[i - 1:i + 1]
        return b0 + (b1 - b0) * (min(max(t, t0), t1) - t0) / (t1 - t0)

    def rate(self, start, end):
        return (self.at(end) - self.at(start)) * 8 / (end - start) / 1e6

    def bins(self, start, end):
        """(begin, rate) of each 10 ms; one of them begins with the fault."""
        first, last = int(start / BIN), int(end / BIN)
        return [(k * BIN, self.rate(k * BIN, (k + 1) * BIN)) for k in range(first, last)]

    def widest_gap(self, start, end):
        inside = [t for t in self.times if start <= t <= end]
        return max(b - a for a, b in zip(inside, inside[1:]))


def mean(rates):
    return sum(rates) / len(rates)


def lasts(rates, target):
    """The goodput is back from the first of these bins on."""
    stretches = (rates[i:i + BINS] for i in range(min(STRETCH, len(rates) - BINS + 1)))
    return rates[0] >= target and mean(rates) >= target and all(
        mean(stretch) >= target for stretch in stretches)


def recovered(bins, target):
    """When the goodput is back at the target for good; 0: it was never below. None: not yet."""
    rates = [rate for _, rate in bins]
    low = next((i for i, rate in enumerate(rates) if rate < target), None)
    if low is None or bins[low][0] > DIP_BEGINS:
        return 0.0
    return next((bins[i][0] for i in range(low, len(rates) - BINS)
                 if lasts(rates[i:], target)), None)


def ports_changed(events, masks, planes):
    """(when, was one lost?) of changes of the ports that events have in all of these masks.

    masks: what counts, by host. Before the first event all @planes ports are up.
    """
    up = {host: (1 << planes) - 1 for host in masks}
    for event in events:
        if event["event"] != "mrc_ports" or event["host"] not in masks:
            continue
        ports = (1 << planes) - 1
        for mask in masks[event["host"]]:
            ports &= event[mask]
        before, up[event["host"]] = up[event["host"]], ports
        if before != ports:
            yield event["t"], bool(before & ~ports)


def noticed(events, planes):
    """(when, was one lost?): a host's kernel has told it of a port of its own."""
    return ports_changed(events, {"h1": ["local"], "h2": ["local"]}, planes)


def path_left(events, lost_evs, planes):
    """When the last of the EVs that died was taken out of use, or its port was."""
    first = {}
    for event in events:
        if event["event"] == "mrc_ev" and event["new"] == "assumed-bad":
            first.setdefault(event["ev"], event["t"])
    times = [first[ev] for ev in lost_evs if ev in first]
    times += [t for t, lost in ports_changed(events, {"h1": ["local", "remote"]}, planes) if lost]
    return max(times, default=None)


def last_loss(events, lost_evs):
    """When a packet on one of the EVs that died was last held to be lost."""
    return max((event["t"] for event in events
                if event["event"] == "mrc_loss" and set(event["evs"]) & set(lost_evs)), default=None)


def packets_lost(counts):
    """Of those sent again, some arrived twice after all: the others were lost."""
    if "duplicates" not in counts:
        return None
    return max(0, counts["retransmitted"] - counts["duplicates"])


def total(counts):
    return {key: sum(part[key] for part in counts) for key in counts[0]}


class Scene:
    """What a run is judged by: the goodput that it is to come back to, from when on, until when."""

    def __init__(self, run, curve, before):
        fault, heal = run["fault"], run["heal"] - run["fault"]
        # Without any path nothing can recover before the restore, and all of it can after that.
        self.remains = before * (1 if run["outage"] else run["left"])
        self.begin = heal if run["outage"] else 0.0
        self.end = curve.times[-1] if run["outage"] else heal
        self.counts = total(run["counts"]) if run["outage"] else run["counts"][0]
        since = [dict(event, t=event["t"] - fault) for event in run["events"]
                 if event["t"] >= fault]
        self.events = [event for event in since if event["t"] < heal]
        ports = list(noticed(since, run["planes"]))
        self.noticed = max((t for t, lost in ports if lost and t < heal), default=None)
        self.noticed_back = max((t - heal for t, lost in ports if not lost and t >= heal),
                                default=None)


def figures(run):
    """All figures of a run."""
    heal = run["heal"] - run["fault"]
    curve = Curve(run["samples"], run["fault"])
    before = curve.rate(-BEFORE, 0)
    scene = Scene(run, curve, before)
    bins = [(t - scene.begin, rate) for t, rate in curve.bins(scene.begin, scene.end)]
    again, lost = scene.counts["retransmitted"], packets_lost(scene.counts)
    return {
        "nominal": run["nominal"], "before": before, "remains": scene.remains, "heal": heal,
        "rtt": run["rtt"], "seen": scene.end - scene.begin,
        "recovered": recovered(bins, ENOUGH * scene.remains),
        "noticed": scene.noticed, "noticed_back": scene.noticed_back,
        "path_left": path_left(scene.events, run["evs"], run["planes"]),
        "last_loss": last_loss(scene.events, run["evs"]),
        "lost": lost, "again": again,
        "again_per_lost": again / lost if lost else None,
        "again_restored": run["counts"][1]["retransmitted"],
        "lowest": min(rate for _, rate in bins),
        "after_cut": curve.rate(scene.end - LAST, scene.end) / scene.remains,
        "gap": curve.widest_gap(-BEFORE, scene.end),
        "curve": curve.bins(curve.times[0], curve.times[-1]),
    }
