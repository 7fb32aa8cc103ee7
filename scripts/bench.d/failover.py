#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The guest's side of scripts/bench failover: one bulk flow from h1 to h2 at a time, of MRC and its
peers in turn, while paths die and come back.

The last links, from the T0 switches to h2, are held at a rate well below what the CPUs can do, so that
the planes are the limit: without one of four planes, three quarters are left. A switch or trunk that
dies takes nothing away as long as its plane has another.

This process samples every 10 ms how much has arrived in order. It has priority over all others. For MRC
it reads a counter of the receiving device, for the others a count that the receiver keeps in shared
memory. The commands that break and heal are started beforehand and wait for a line on their standard
input: the moment of a fault is the moment that this line is written. Samples, faults and the module's
tracepoints use one clock, CLOCK_MONOTONIC.

Writes failover.json: what happened. failover_report.py makes figures of it.
"""
import argparse
import contextlib
import ipaddress
import json
import os
import re
import sys
import time
import typing

from fabric import PLANES, Held, go_first, limit_links, mptcp_setup
from flows import STEADY, Ends, Mrc, Stream, check_alive, settle
from machine import MRCCTL, OUT, lab, run, say, steer_packets, wait_until

INTERVAL = 0.01
# Seconds of a run: before it is watched, until the fault, until the restore, until the end.
SETTLE, BEFORE, DURING, AFTER = 2, 1, 3, 3
# Seconds without any plane: perftest's QPs end after 29 timeouts of 67 ms.
OUTAGE = 0.5
# A verbs timeout that is longer than any fault here, 4.3 s: nothing may have to wait for it.
PATIENT = 20
# Seconds between two samples beyond which the machine is taken to have stood still.
STILL = 0.025
TRACE = "/sys/kernel/tracing/instances/failover"
EVENTS = ("mrc_loss", "mrc_ev", "mrc_ports")


# ---- what breaks ----------------------------------------------------------------

def cut(planes, host="h1"):
    """A number of planes lose their link at a host, which sees it."""
    return lambda plane, spine: [
        ("fail", "link", f"{host}:eth{(plane - 1 + i) % PLANES + 1}") for i in range(planes)]


def switch(name):
    """A switch drops all packets, its links stay up."""
    return lambda plane, spine: [("fail", "switch", name.format(plane, spine))]


def lossy(loss, both=False):
    """A trunk loses some of the packets towards h2, or also of those that come back."""
    def commands(plane, spine):
        ways = [f"p{plane}t0r1:t1s{spine}", f"p{plane}t1s{spine}:t0r1"][:1 + both]
        return [("netem", way, "loss", loss) for way in ways]
    return commands


def all_of(planes):
    """The EVs of whole planes, of two spines each."""
    return lambda plane, spine: [ev_of((plane - 1 + i) % PLANES + 1, s)
                                 for i in range(planes) for s in (1, 2)]


def one_ev(plane, spine):
    return [ev_of(plane, spine)]


def ev_of(plane, spine):
    """The index of an EV in scripts/lab's numbering."""
    return (plane - 1) * 2 + spine - 1


class Case(typing.NamedTuple):
    """A fault: its name, the planes that are left, its lab commands, and MRC's EVs that die, by plane
    and spine."""

    name: str
    left: int
    commands: typing.Callable
    evs: typing.Callable
    during: float = DURING

    @property
    def outage(self):
        """Whether no path is left: then there is none before the restore."""
        return not self.left


CASES = {
    "cut1": Case("1 of 4 planes cut at the sender", 3, cut(1), all_of(1)),
    "cut2": Case("2 of 4 planes cut at the sender", 2, cut(2), all_of(2)),
    "cut3": Case("3 of 4 planes cut at the sender", 1, cut(3), all_of(3)),
    "cutfar": Case("1 of 4 planes cut at the receiver", 3, cut(1, "h2"), all_of(1)),
    "cutfar2": Case("2 of 4 planes cut at the receiver", 2, cut(2, "h2"), all_of(2)),
    "cutfar3": Case("3 of 4 planes cut at the receiver", 1, cut(3, "h2"), all_of(3)),
    "outage": Case("all planes cut at the sender, and back", 0, cut(4), all_of(4),
                   during=OUTAGE),
    "t0": Case("T0 switch dead, silently", 3, switch("p{0}t0r1"), all_of(1)),
    "t1": Case("T1 switch dead, silently", 4, switch("p{0}t1s{1}"), one_ev),
    "oneway": Case("T0-T1 link blackholed, towards h2", 4, lossy("100%"), one_ev),
    "bothways": Case("T0-T1 link blackholed, both ways", 4, lossy("100%", both=True), one_ev),
    "lossy": Case("one EV loses 20 %", 4, lossy("20%"), one_ev),
}


def healing(command):
    if command[0] == "fail":
        return ("heal", *command[1:])
    return (*command[:2], "off")


# ---- what the module says ---------------------------------------------------------

def numbers(text):
    """The numbers of a list as the kernel writes it: 1-3,7"""
    ranges = ([int(n) for n in part.split("-")] for part in text.split(",") if part)
    return [n for ends in ranges for n in range(ends[0], ends[-1] + 1)]


class Trace:
    """The module's tracepoints: of h1's sending, and of each host's ports."""

    LINE = re.compile(r" (\d+\.\d+): (mrc_\w+): (.*)")
    EV = re.compile(r"remote=(\S+) ev=(\d+) port=(\d+) (\S+) -> (\S+) \((.*)\)")

    def __init__(self, remote):
        """remote: h2's GID; a host with another peer is h2, and its peer is h1."""
        self.remote = ipaddress.ip_address(remote)
        os.mkdir(TRACE)
        self.write("trace_clock", "mono")
        self.write("buffer_size_kb", "4096")
        for event in EVENTS:
            self.write(f"events/mrc/{event}/enable", "1")

    def write(self, name, text):
        with open(f"{TRACE}/{name}", "w", encoding="ascii") as file:
            file.write(text)

    def clear(self):
        self.write("trace", "")

    def read(self):
        with open(f"{TRACE}/trace", encoding="ascii") as file:
            found = [self.LINE.search(line) for line in file]
        events = [self.event(float(m[1]), m[2], m[3]) for m in found if m]
        return [event for event in events if event]

    def event(self, t, name, text):
        if name == "mrc_ev":
            return self.ev_event(t, name, text)
        fields = dict(word.split("=") for word in text.split() if "=" in word)
        if name == "mrc_ports":
            there = ipaddress.ip_address(fields["remote"]) == self.remote
            return {"t": t, "event": name, "host": "h1" if there else "h2",
                    "local": int(fields["local-ports"], 16),
                    "remote": int(fields["remote-ports"], 16)}
        return {"t": t, "event": name, "why": text.rpartition(" by ")[2],
                "lost": int(fields["lost"]), "evs": numbers(fields["evs"])}

    def ev_event(self, t, name, text):
        m = self.EV.search(text)
        if ipaddress.ip_address(m[1]) != self.remote:
            return None
        return {"t": t, "event": name, "ev": int(m[2]), "port": int(m[3]), "old": m[4],
                "new": m[5], "why": m[6]}


# ---- the runs ---------------------------------------------------------------------

def watch(flow, client, fault, heal, during):
    """Samples, the moments of the fault and the restore, and the counts there and at the end."""
    samples, moments, counts = [], [], []
    start = time.monotonic()
    due = [(start + BEFORE, fault), (start + BEFORE + during, heal)]
    end, tick = start + BEFORE + during + AFTER, start
    while tick < end:
        time.sleep(max(0, tick - time.monotonic()))
        samples.append((time.monotonic(), flow.received()))
        if due and tick >= due[0][0]:
            moments.append(due.pop(0)[1].fire())
            counts.append(flow.counts(client))
        tick = max(tick + INTERVAL, time.monotonic())
    return samples, moments, counts + [flow.counts(client)]


def stood_still(run):
    """The longest time between two samples that figures are made of, in seconds."""
    times = [t for t, _ in run.get("samples", []) if run["outage"] or t <= run["heal"]]
    return max((b - a for a, b in zip(times, times[1:])), default=0)


def run_case(name, flow, trace, opts):
    """One flow and one fault, from beginning to end."""
    case = CASES[name]
    with contextlib.ExitStack() as stack:
        client = flow.start(Ends(stack))
        begin = flow.received()
        wait_until(flow.name, lambda: flow.received() > begin + (1 << 20))
        time.sleep(SETTLE)
        path = flow.path()
        commands = case.commands(*path)
        fault = Held(commands)
        heal = Held([healing(command) for command in commands])
        time.sleep(SETTLE)
        settle(flow, opts.rate)
        rtt = flow.rtt(client)
        trace.clear()
        samples, (fault_at, heal_at), counts = watch(flow, client, fault, heal, case.during)
        fault.finish()
        heal.finish()
        check_alive(client)
    return {"case": name, "peer": flow.name, "left": flow.share(case.left), "path": path,
            "outage": case.outage, "planes": flow.planes, "evs": case.evs(*path), "rtt": rtt,
            "commands": [" ".join(command) for command in commands],
            "nominal": flow.planes * opts.rate, "fault": fault_at, "heal": heal_at, "samples": samples,
            "events": trace.read() if isinstance(flow, Mrc) else [],
            "counts": [{key: b[key] - a[key] for key in a} for a, b in zip(counts, counts[1:])]}


def tried(name, flow, trace, opts):
    """A flow that ends is a result, too."""
    try:
        return run_case(name, flow, trace, opts)
    except RuntimeError as error:
        say(str(error))
        return {"case": name, "peer": flow.name, "failed": str(error)}


def least_disturbed(name, flow, trace, opts):
    """Runs a case again when the machine stood still: the choice of the run does not depend on its
    result."""
    runs = []
    while len(runs) < opts.tries:
        runs.append(tried(name, flow, trace, opts))
        if "failed" in runs[-1]:
            return runs[-1]
        if stood_still(runs[-1]) <= STILL:
            break
    return min(runs, key=stood_still)


def set_window(window, remote):
    """The memory of MRC's queue pair, in KiB."""
    for words in (["cc-profile", "add", "mrc0", "1", "algorithm", "none",
                   "window", str(window << 10)],
                  ["route", "replace", "mrc0", remote + "/128", "ev-profile", "2",
                   "cc-profile", "1"]):
        run([MRCCTL, "-n", "h1", *words])


def main():
    flows = {"mrc": Mrc, "mrc20": lambda: Mrc(PATIENT),
             "mptcp": lambda: Stream("MPTCP", "mptcp", "fd00:7463:1", PLANES),
             "ecmp": lambda: Stream("ECMP TCP", "tcp", "fd00:7463", 1)}
    p = argparse.ArgumentParser()
    p.add_argument("--rate", type=int, default=200)
    p.add_argument("--queue", type=int, default=1536)
    p.add_argument("--tries", type=int, default=2)
    p.add_argument("--window", type=int, default=1024)
    p.add_argument("--peer", action="append", choices=list(flows))
    p.add_argument("case", nargs="*", choices=list(CASES) + [[]])
    opts = p.parse_args()
    say("    scripts/lab up --management --plain-too")
    say(lab("up", "--management", "--plain-too"))
    steer_packets()
    limit_links(opts.rate, opts.queue)
    mptcp_setup()
    flows = {peer: make() for peer, make in flows.items() if peer in (opts.peer or flows)}
    remote = lab("gid", "h2")
    set_window(opts.window, remote)
    trace = Trace(remote)
    go_first()
    runs = []
    for case in opts.case or CASES:
        for flow in flows.values():
            say(f"  {CASES[case].name}: {flow.name}")
            runs.append(least_disturbed(case, flow, trace, opts))
    with open(os.path.join(OUT, "failover.json"), "w", encoding="utf-8") as f:
        json.dump({"kernel": os.uname().release, "rate": opts.rate, "queue": opts.queue,
                   "window": opts.window,
                   "still": STILL, "steady": STEADY, "names": {key: case.name for key, case in CASES.items()},
                   "runs": runs}, f)


if __name__ == "__main__":
    sys.exit(main())
