#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The guest's side of scripts/profile: lets h1 write to h2 over two planes, and says which seconds count.

The files "begin" and "end" are made in a folder of the host: so their times are the host's. "facts.json" has
what h1 sent and received in between.

Usage: guest.py SECONDS
"""

import json
import os
import subprocess
import sys
import time

from machine import LAB, OUT, PROVIDER, gid_index, lab, ns, run, wait_until

PREFIX = "fd00:6d72"
PORT = f":{18515:04X} "
COUNTERS = ("tx_packets", "rx_packets", "tx_bytes", "retransmitted_packets")
# How long packets flow before the time is taken, and how much longer than that the programs run.
WARM, SPARE = 2, 60


def counters(device):
    values = {}
    for name in COUNTERS:
        with open(f"/sys/class/infiniband/{device}/ports/1/hw_counters/{name}", encoding="ascii") as file:
            values[name] = int(file.read())
    return values


def listens(server):
    """Whether perftest's server waits for its client."""
    if server.poll() is not None:
        raise RuntimeError(f"the server has ended with status {server.returncode}")
    for family in ("tcp", "tcp6"):
        with open(f"/proc/{server.pid}/net/{family}", encoding="ascii") as file:
            if PORT in file.read():
                return True
    return False


def start(host, device, seconds, *server):
    """One end of writes of 64 KiB on one QP. It ends with the machine."""
    index = gid_index(device, PREFIX)
    return subprocess.Popen(ns(host) + ["ib_write_bw", "-F", "-d", device, "-x", index, "-s", "65536",
                                        "-m", "4096", "-D", str(seconds + SPARE), *server])  # fmt: skip


def mark(name):
    with open(f"{OUT}/{name}", "w", encoding="ascii"):
        pass


def measure(seconds):
    time.sleep(WARM)
    before, began = counters("mrc0"), time.monotonic()
    mark("begin")
    time.sleep(seconds)
    mark("end")
    after, ended = counters("mrc0"), time.monotonic()
    facts = {name: after[name] - before[name] for name in COUNTERS}
    return facts | {"seconds": ended - began, "kernel": os.uname().release}


def main():
    seconds = int(sys.argv[1])
    run([LAB, "up", "--planes", "2", "--racks", "1", "--hosts-per-rack", "2", "--management"])
    os.environ["RDMAV_DRIVERS"] = PROVIDER
    server = start("h2", "mrc1", seconds)
    wait_until("the server", lambda: listens(server))
    start("h1", "mrc0", seconds, lab("management", "h2"))
    wait_until("packets", lambda: counters("mrc0")["tx_packets"] > 1000)
    facts = measure(seconds)
    with open(f"{OUT}/facts.json", "w", encoding="ascii") as file:
        json.dump(facts, file)


if __name__ == "__main__":
    main()
