# SPDX-License-Identifier: GPL-2.0-only
"""Computes figures from one run of failover.py. Times are in seconds since the fault, rates in Mb/s."""
from goodput import ENOUGH, Curve, recovered

BEFORE, LAST = 1.0, 1.0     # seconds over which "before" and "after the cut" are taken


def ports_changed(events, masks, planes):
    """(when, whether a port was lost) of each change of the ports that are up in the events' masks.

    masks: the masks that count, by host. Before the first event all @planes ports are up.
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
    """(when, whether a port was lost): a host's kernel has reported one of its own ports."""
    return ports_changed(events, {"h1": ["local"], "h2": ["local"]}, planes)


def path_left(events, lost_evs, planes):
    """When the last of the dead EVs, or its port, was taken out of use."""
    first = {}
    for event in events:
        if event["event"] == "mrc_ev" and event["new"] == "assumed-bad":
            first.setdefault(event["ev"], event["t"])
    times = [first[ev] for ev in lost_evs if ev in first]
    times += [t for t, lost in ports_changed(events, {"h1": ["local", "remote"]}, planes) if lost]
    return max(times, default=None)


def last_loss(events, lost_evs):
    """When a packet on a dead EV was last held to be lost."""
    return max((event["t"] for event in events
                if event["event"] == "mrc_loss" and set(event["evs"]) & set(lost_evs)), default=None)


def packets_lost(counts):
    """Packets that were really lost: those sent again, less those that arrived twice after all."""
    if "duplicates" not in counts:
        return None
    return max(0, counts["retransmitted"] - counts["duplicates"])


def total(counts):
    return {key: sum(part[key] for part in counts) for key in counts[0]}


class Scene:
    """What a run is judged by: the goodput that it must come back to, and from when until when."""

    def __init__(self, run, curve, before):
        fault, heal = run["fault"], run["heal"] - run["fault"]
        # Without any path nothing can recover before the restore; after it everything can.
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
