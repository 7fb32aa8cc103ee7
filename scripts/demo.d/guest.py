#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What "make demo" does inside the virtual machine.

Builds the fabric, with planes that are slower than the CPUs, and has mrcd configure the hosts. Then one
flow after the other goes from h1 to h2: of MRC (ib_write_bw), of MPTCP, of TCP over ECMP. Under each
flow the fabric breaks in the same ways at the same times. This process samples every 10 ms what has
arrived in order; it has priority over all others.

Options: --window KIB (MRC has a fixed window instead of its default), --only mrc (without the others).

Standard output: a JSON object a line, with "kind"
  say      text for people
  setup    kernel, rate (Mb/s of a plane), seconds (of a flow)
  flow     peer, planes (that it can use): what follows is about it, times are seconds since now
  goodput  samples: pairs of a time and the bytes that have arrived by then
  links    of MRC: samples of the last links and the CPUs, see last_links.py
  sample   of MRC: t, planes (of h1, by port; rx_* are h2's), and counters of the devices
  fault    t, what, how, element (mrcd's name for it), healed
  health   of MRC: t, host, text: what mrcctl shows
  end      problems, and decisions of mrcd until MRC's flow ended: host, t, text
Other lines come from the programs. Exit status 1: the run could not be done.
"""
import argparse
import contextlib
import os
import subprocess
import sys

import daemons
from fabric import PLANES, go_first, limit_links, mptcp_setup
from faults import END, Faults
from flows import Ends, Mrc, Stream, check_alive, settle
from last_links import LastLinks
from machine import LAB, lab, steer_packets, wait_until
from planes import Planes
from telling import Clock, Worker, emit, say

# Mb/s and KiB of a plane: far below what two emulated CPUs can do, even with other load on them.
RATE, QUEUE = 25, 128
INTERVAL = 0.01
# Samples that are reported at a time.
BATCH = 20


def sample(flow, clock):
    """Reports what has arrived, until the end."""
    batch, tick = [], 0
    while tick < END:
        clock.sleep_until(tick)
        batch.append((clock.now(), flow.received()))
        if len(batch) == BATCH:
            emit("goodput", samples=batch)
            batch = []
        tick = max(tick, clock.now() - INTERVAL / 2) + INTERVAL
    emit("goodput", samples=batch)


def watch(flow, daemon):
    """Runs one flow with all faults. daemon: mrcd of h1, if the flow is MRC's."""
    faults = Faults(flow)
    settle(flow, RATE)
    emit("flow", peer=flow.name, planes=flow.planes)
    clock = Clock()
    workers = [Worker(lambda: faults.follow(clock, daemon))]
    if daemon:
        planes, links = Planes(), LastLinks()
        workers.append(Worker(lambda: planes.follow(clock, END)))
        workers.append(Worker(lambda: links.follow(clock, END)))
    sample(flow, clock)
    for worker in workers:
        worker.done()
    return clock


def run_flow(flow, daemon=None):
    """Runs a flow from its start to its end. Returns its clock."""
    with contextlib.ExitStack() as stack:
        client = flow.start(Ends(stack))
        begin = flow.received()
        wait_until(flow.name, lambda: flow.received() > begin + (1 << 20))
        clock = watch(flow, daemon)
        check_alive(client)
    return clock


def build(stack, window):
    """Sets up the fabric, and waits for mrcd to configure its hosts. Returns the daemons."""
    say("building the fabric: 2 racks, 4 planes, 16 switches; the hosts are left to mrcd")
    stack.callback(subprocess.run, [LAB, "down"])
    lab("up", "--management", "--bare-hosts", "--plain-too")
    lab("load")
    say(f"each plane is held at {RATE} Mb/s, so that the network is the limit, not the CPUs")
    limit_links(RATE, QUEUE)
    steer_packets()
    mptcp_setup()
    return daemons.start(stack, ("h1", "h2"), window)


def run(stack, options):
    watching = build(stack, options.window)
    go_first()
    emit("setup", kernel=os.uname().release, rate=RATE, seconds=END)
    clock = run_flow(Mrc(), watching["h1"])
    decisions = [decision for daemon in watching.values() for decision in daemon.decisions(clock)]
    problems = []
    for flow in () if options.only else (Stream("MPTCP", "mptcp", "fd00:7463:1", PLANES),
                                         Stream("TCP over ECMP", "tcp", "fd00:7463", 1)):
        try:
            run_flow(flow)
        except RuntimeError as error:
            problems.append(str(error))
    emit("end", problems=problems, decisions=decisions)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--window", type=int)
    parser.add_argument("--only", choices=["mrc"])
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        try:
            run(stack, options)
        except RuntimeError as error:
            print(f"demo: {error}", file=sys.stderr, flush=True)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
